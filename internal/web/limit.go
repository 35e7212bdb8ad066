package web

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
)

// limit bounds how often a minute something is done for a key, such as an email. The process counts by itself in any case: so the limit
// holds whatever becomes of what the replicas count together.
type limit struct {
	s       *Server
	what    string
	aMinute int
	own     *httprate.RateLimiter
}

func (s *Server) newLimit(what string, aMinute int) *limit {
	return &limit{s, what, aMinute, httprate.NewRateLimiter(aMinute, time.Minute)}
}

// exceeded counts one more for a key, and reports whether that is too many.
func (l *limit) exceeded(w http.ResponseWriter, r *http.Request, key string) bool {
	if l.own.OnLimit(w, r, key) {
		return true
	}
	if l.s.allow == nil || l.s.allow(r.Context(), l.what+" "+key, l.aMinute) {
		return false
	}
	w.Header().Set("X-Ratelimit-Remaining", "0") // this process may have some left
	return true
}

// limitBy is middleware that refuses with [ErrTooMany] what comes more often.
func (s *Server) limitBy(what string, aMinute int, by httprate.KeyFunc, fail fail) func(http.Handler) http.Handler {
	l := s.newLimit(what, aMinute)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key, err := by(r)
			if err == nil && l.exceeded(w, r, key) {
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

// limitAddress slows down guessing: 30 attempts a minute from an address. See countGuess for emails.
func (s *Server) limitAddress(what string) func(http.Handler) http.Handler {
	limit := s.limitBy(what+" from", 30, byClient, s.FailHTML)
	return func(next http.Handler) http.Handler { return s.findClient(limit(next)) }
}

// clientAddress finds out who asks: the last address that X-Forwarded-For has and that is no trusted proxy,
// if a trusted proxy sent it; else the TCP peer. Anybody can send that header, so nobody else is believed.
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

// limitTenant bounds the requests of each tenant, of one sort.
func (s *Server) limitTenant(what string, perMinute int, fail fail) func(http.Handler) http.Handler {
	if perMinute == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	byTenant := func(r *http.Request) (string, error) { return Principal(r).Tenant.String(), nil }
	return s.limitBy(what+" of", perMinute, byTenant, fail)
}
