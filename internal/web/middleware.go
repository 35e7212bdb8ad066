package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/klauspost/compress/gzhttp"
)

type fail func(http.ResponseWriter, *http.Request, error)

// always answers with one error.
func (s *Server) always(fail fail, err error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fail(w, r, err) }
}

// wrongMethod answers with the methods that the address takes, or that there is no such address.
func (s *Server) wrongMethod(fail fail) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		} {
			routed := method
			if method == http.MethodHead { // see middleware.GetHead
				routed = http.MethodGet
			}
			if s.Mux.Match(chi.NewRouteContext(), routed, r.URL.Path) {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			fail(w, r, ErrNotFound)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		fail(w, r, errMethod)
	}
}

// arrive bounds a request in time, and by nothing else. net/http also ends its context when the client has
// closed its half of the connection. Such a client still gets its answer, and one that is gone altogether may
// send the same again: what it asked for is then done. Only the end of the program ends it too.
func (s *Server) arrive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.bound)
		defer cancel()
		defer context.AfterFunc(s.ending, cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// securityHeaders forbids everything that our pages do not need.
func securityHeaders(secure bool) func(http.Handler) http.Handler {
	all := http.Header{
		"Content-Security-Policy": {"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
		"X-Content-Type-Options":     {"nosniff"},
		"Referrer-Policy":            {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
	}
	if secure {
		all.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			maps.Copy(w.Header(), all)
			next.ServeHTTP(w, r)
		})
	}
}

// gzipPages compresses answers. A compressor is large, and is taken when an answer is written, not before.
func gzipPages(next http.Handler) http.Handler {
	gzip, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.CompressionLevel(5))
	if err != nil {
		panic(err) // the options are constants
	}
	return gzip(next)
}

// sameOrigin refuses state changes that another site caused. The site is the one in the Host header, and
// origin, if there is one.
func (s *Server) sameOrigin(origin string) (func(http.Handler) http.Handler, error) {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(s.always(s.FailHTML, errForbidden))
	if origin != "" {
		if err := protection.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("address of this site: %w", err)
		}
	}
	return protection.Handler, nil
}

// recoverPanics turns a mistake of ours into a logged 500.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch cause := recover(); cause {
			case nil:
			case http.ErrAbortHandler:
				panic(cause)
			default:
				s.fail(w, r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// classify finds what an error means in HTTP, and logs what somebody has to look at.
func (s *Server) classify(r *http.Request, err error) problem {
	kind := problemOf(err)
	if kind.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path,
			"status", kind.Status, "error", err)
	}
	return kind
}

func retryAfter(w http.ResponseWriter, kind problem) {
	if kind.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(kind.Retry))
	}
}
