package web

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
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

// Limit bounds how often a minute something is done for a key, such as an email. Each process counts too, so that the limit holds for it if
// the shared counters are lost.
type Limit struct {
	s       *Server
	what    string
	aMinute int
	own     *httprate.RateLimiter
}

// NewLimit returns a limit; what names it in the counters that replicas share.
func (s *Server) NewLimit(what string, aMinute int) *Limit {
	return &Limit{s, what, aMinute, httprate.NewRateLimiter(aMinute, time.Minute)}
}

// Exceeded counts one more for a key, and reports whether that is too many.
func (l *Limit) Exceeded(w http.ResponseWriter, r *http.Request, key string) bool {
	if l.own.OnLimit(w, r, key) {
		return true
	}
	if l.s.Allow == nil || l.s.Allow(r.Context(), l.what+" "+key, l.aMinute) {
		return false
	}
	w.Header().Set("X-Ratelimit-Remaining", "0") // this process may have some left
	return true
}

// limitBy returns middleware that refuses requests beyond the limit with [ErrTooMany].
func (s *Server) limitBy(what string, aMinute int, by httprate.KeyFunc, fail fail) func(http.Handler) http.Handler {
	l := s.NewLimit(what, aMinute)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key, err := by(r)
			if err == nil && l.Exceeded(w, r, key) {
				err = ErrTooMany
			}
			if err != nil {
				fail(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// LimitAddress returns middleware that slows down guessing: it allows 30 requests a minute from an address.
func (s *Server) LimitAddress(what string) func(http.Handler) http.Handler {
	limit := s.limitBy(what+" from", 30, byClient, s.FailHTML)
	return func(next http.Handler) http.Handler { return s.findClient(limit(next)) }
}

// clientAddress sets the client's address: the last one in X-Forwarded-For that is not a trusted proxy, if a trusted proxy sent the header;
// otherwise the TCP peer.
func clientAddress(trusted []netip.Prefix) func(http.Handler) http.Handler {
	if len(trusted) == 0 {
		return middleware.ClientIPFromRemoteAddr
	}
	var prefixes []string
	for _, prefix := range trusted {
		prefixes = append(prefixes, prefix.String())
	}
	return middleware.ClientIPFromXFF(prefixes...)
}

// byClient is the address of the client, or the proxy's if it does not send that.
func byClient(r *http.Request) (string, error) {
	if client := middleware.GetClientIP(r.Context()); client != "" {
		return httprate.CanonicalizeIP(client), nil
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return httprate.CanonicalizeIP(host), err
}

// limitTenant bounds one kind of requests of each tenant.
func (s *Server) limitTenant(what string, perMinute int, fail fail) func(http.Handler) http.Handler {
	if perMinute == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	byTenant := func(r *http.Request) (string, error) { return Principal(r).Tenant.String(), nil }
	return s.limitBy(what+" of", perMinute, byTenant, fail)
}
