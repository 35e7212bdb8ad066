package web

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// Answered describes an answered request. Only ID can have text from outside, and only through a trusted proxy.
type Answered struct {
	ID       string // as in X-Request-Id
	Method   string // "other" for one that no route takes
	Route    string // the pattern, such as "/invoices/{id}"; "unmatched" for an address that there is not
	Status   int
	Bytes    int // of the body, as sent
	Duration time.Duration
	Tenant   uuid.UUID           // zero if it is not known who asked
	Outcome  idempotency.Outcome // of the last attempt; "" without one
}

const requestIDHeader = "X-Request-ID"

type answeredKey struct{}

// answeredIn returns the description of the request that ctx belongs to, as far as it is filled in; nil if it belongs to none.
func answeredIn(ctx context.Context) *Answered {
	a, _ := ctx.Value(answeredKey{}).(*Answered)
	return a
}

func requestID(r *http.Request) string {
	if a := answeredIn(r.Context()); a != nil {
		return a.ID
	}
	return ""
}

// Attempted notes the outcome of an attempt for the request that it belongs to, if any. It is for [idempotency.Store.Observe].
func Attempted(ctx context.Context, outcome idempotency.Outcome) {
	if a := answeredIn(ctx); a != nil {
		a.Outcome = outcome
	}
}

// usableID bounds a request ID from outside, which answers and the log repeat.
var usableID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// newID returns the ID that a trusted proxy assigned to the request, or a random one. Unlike the ID of chi's middleware it has nothing
// about this machine, and clients can't choose it.
func (s *Server) newID(r *http.Request) string {
	if given := r.Header.Values(requestIDHeader); len(given) == 1 && s.FromProxy(r) && usableID.MatchString(given[0]) {
		return given[0]
	}
	return rand.Text()
}

// FromProxy reports whether a trusted proxy sent the request.
func (s *Server) FromProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && slices.ContainsFunc(s.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(peer.Addr().Unmap()) })
}

// tell assigns an ID to each request, and reports to Config.Observe how it was answered. It wraps every handler that may answer.
func (s *Server) tell(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, a := time.Now(), &Answered{ID: s.newID(r)}
		w.Header().Set(requestIDHeader, a.ID)
		r = r.WithContext(context.WithValue(r.Context(), answeredKey{}, a))
		if s.Observe == nil {
			next.ServeHTTP(w, r)
			return
		}
		s.inFlight.Add(1)
		counted := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() { // also when the connection is given up, which is a panic
			s.inFlight.Add(-1)
			a.Method, a.Route = methodOf(r), routeOf(r)
			a.Status, a.Bytes, a.Duration = counted.Status(), counted.BytesWritten(), time.Since(start)
			if a.Status == 0 { // net/http sends it for a handler that has not written anything
				a.Status = http.StatusOK
			}
			s.Observe(r.Context(), *a)
		}()
		next.ServeHTTP(counted, r)
	})
}

// InFlight returns the number of requests that are being answered, if there is a Config.Observe.
func (s *Server) InFlight() int { return int(s.inFlight.Load()) }

// methodOf bounds the methods that there are.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return r.Method
	default:
		return "other"
	}
}

// routeOf returns the pattern of the route of a request. A request that is refused before its route is known has the pattern of its group,
// such as that of the API.
func routeOf(r *http.Request) string {
	pattern := chi.RouteContext(r.Context()).RoutePattern()
	if pattern == "" || pattern == "/*" {
		return "unmatched"
	}
	return strings.TrimSuffix(pattern, "/*")
}

// WithRequestID returns a handler that adds the request ID to each record whose context belongs to a request.
func WithRequestID(h slog.Handler) slog.Handler { return idHandler{h} }

type idHandler struct{ slog.Handler }

func (h idHandler) Handle(ctx context.Context, record slog.Record) error {
	if a := answeredIn(ctx); a != nil {
		record.AddAttrs(slog.String("request_id", a.ID))
	}
	return h.Handler.Handle(ctx, record) //nolint:wrapcheck // slog ignores the error
}

func (h idHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return idHandler{h.Handler.WithAttrs(attrs)}
}
func (h idHandler) WithGroup(name string) slog.Handler { return idHandler{h.Handler.WithGroup(name)} }
