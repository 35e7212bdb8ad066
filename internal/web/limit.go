package web

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
)

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
