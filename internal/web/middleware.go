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

// arrive bounds a request in time. net/http also cancels its context when the client has closed its half of the connection; such a client
// still gets its answer, and one that is gone may retry, so the work goes on. Only the end of the program cancels it too.
func (s *Server) arrive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.RequestTime)
		defer cancel()
		defer context.AfterFunc(s.Ending, cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// securityHeaders forbids everything that our pages do not need.
func (s *Server) securityHeaders(next http.Handler) http.Handler {
	all := http.Header{
		"Content-Security-Policy": {"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
		"X-Content-Type-Options":     {"nosniff"},
		"Referrer-Policy":            {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
	}
	if s.Secure && s.Path == "" { // it applies to the whole host, which may have other apps
		all.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), all)
		next.ServeHTTP(w, r)
	})
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
// Config.Origin, if there is one.
func (s *Server) sameOrigin() (func(http.Handler) http.Handler, error) {
	protection := http.NewCrossOriginProtection()
	expected := "//"
	if s.Origin != "" {
		if err := protection.AddTrustedOrigin(s.Origin); err != nil {
			return nil, fmt.Errorf("address of this site: %w", err)
		}
		expected = s.Origin + " or //"
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, expected := "Origin", expected+r.Host
		if r.Header.Get("Sec-Fetch-Site") != "" {
			header, expected = "Sec-Fetch-Site", "same-origin or none"
		}
		s.Log.WarnContext(r.Context(), "refused a request from another origin", "method", r.Method, "path", r.URL.Path,
			"header", header, "value", fmt.Sprintf("%.200s", r.Header.Get(header)), "expected", expected)
		s.FailHTML(w, r, errForbidden)
	}))
	return protection.Handler, nil
}

// fromElsewhere explains why a form was refused whose browser doesn't send Sec-Fetch-Site, as over plain HTTP: the form may be
// from this site all the same.
func (s *Server) fromElsewhere(r *http.Request) string {
	origin := fmt.Sprintf("%.200s", r.Header.Get("Origin"))
	if origin == "null" {
		return "Nothing was saved: your browser didn't tell which page the form is from. A privacy setting causes this, or a proxy that " +
			"sends Referrer-Policy: no-referrer. Allow referrers within this site, or open it over HTTPS."
	}
	return fmt.Sprintf("Nothing was saved: the form is from a page of %s, and this app was asked for as %s. If you see %[1]s in the "+
		"address bar, whoever runs the app can set PUBLIC_URL=%[1]s%[3]s, or let the proxy pass on the Host header.",
		origin, r.Host, s.Path)
}

// recoverPanics turns a panic into a logged 500.
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

// classify returns the problem of an error, and logs a server error.
func (s *Server) classify(r *http.Request, err error) problem {
	kind := s.withExplanation(problemOf(err))
	if kind.Status >= http.StatusInternalServerError {
		s.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path,
			"status", kind.Status, "error", err)
	}
	return kind
}

func retryAfter(w http.ResponseWriter, kind problem) {
	if kind.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(kind.Retry))
	}
}
