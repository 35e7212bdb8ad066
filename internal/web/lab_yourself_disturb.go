package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/idempotency"
)

// disturb makes the network of a visitor of the lab as bad as they asked for, where they create something.
func (s *Server) disturb(next http.Handler) http.Handler {
	if s.visits == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := s.visitor(r)
		asked := s.visits.find(who)
		if r.Method != http.MethodPost || !asked.slow && !asked.cut || !s.creates(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if asked.slow {
			s.visits.wait(r)
		}
		if !asked.cut {
			next.ServeHTTP(w, r)
			return
		}
		answer := &lostAnswer{ResponseWriter: w, lose: func() bool { return s.visits.takeCut(who) }}
		next.ServeHTTP(answer, r)
		if answer.lost {
			panic(http.ErrAbortHandler) // closes the connection, and nothing was written to it
		}
	})
}

// wait holds a request back. It holds nothing else meanwhile, and if too many wait already, it does not.
func (v *visits) wait(r *http.Request) {
	if !v.waiting.TryAcquire(1) {
		return
	}
	defer v.waiting.Release(1)
	over := time.NewTimer(slowFor)
	defer over.Stop()
	select {
	case <-over.C:
	case <-r.Context().Done():
	}
}

// lostAnswer keeps the answer to what was carried out from the client, if lose says so. A refusal is answered: it has what
// was typed.
type lostAnswer struct {
	http.ResponseWriter

	lose func() bool
	lost bool
}

func (w *lostAnswer) WriteHeader(status int) {
	if w.lost = w.lost || status == http.StatusSeeOther && w.lose(); !w.lost {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *lostAnswer) Write(p []byte) (int, error) {
	if w.lost {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // it stands in for it
}

// creates says whether a form that is posted to path creates something.
func (s *Server) creates(path string) bool {
	pattern := s.Mux.Find(chi.NewRouteContext(), http.MethodPost, path)
	route := slices.IndexFunc(s.Routes, func(route Route) bool {
		return route.Method == http.MethodPost && route.Path == pattern && route.Repeat == Once
	})
	return route >= 0 && slices.ContainsFunc(s.Operations(), func(op Operation) bool {
		return op.Name == s.Routes[route].Why && (op.Kind == idempotency.Create || op.Kind == idempotency.Upsert)
	})
}
