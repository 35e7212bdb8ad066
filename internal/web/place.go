package web

import (
	"context"
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"
)

const (
	// requestsAtOnce is the maximum number of requests in progress that may need the database. The database works on a few of them, and the
	// others wait. It also bounds requests whose clients are gone: see arrive.
	requestsAtOnce = 512
	// strangersAtOnce is the maximum number of further requests without a login being read: their clients may send slowly.
	strangersAtOnce = 256
)

// place is the slot of a request in progress.
type place struct {
	in        *semaphore.Weighted // nil for one that was given back
	strangers *semaphore.Weighted
	large     *admittedBody // see admitLarge; nil without one
	body      io.Reader     // of the request
}

type placeKey struct{}

// placeIn returns the place of a request, nil if it has none.
func placeIn(r *http.Request) *place {
	p, _ := r.Context().Value(placeKey{}).(*place)
	return p
}

// admit refuses requests beyond the bound with errCrowded. It doesn't wait: a waiting request would use memory too.
func (s *Server) admit(fail fail) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !s.requests.TryAcquire(1) {
				fail(w, r, errCrowded)
				return
			}
			p := &place{in: s.requests, strangers: s.strangers, body: r.Body}
			defer p.leave()
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), placeKey{}, p)))
		})
	}
}

// leave frees the slot.
func (p *place) leave() {
	if p.in != nil {
		p.in.Release(1)
		p.in = nil
	}
	if p.large != nil {
		p.large.leave()
	}
}

// toStrangers moves a request to the places of strangers, before its body is read. It returns errCrowded if they are taken.
func toStrangers(r *http.Request) error {
	p := placeIn(r)
	if p == nil || p.in == p.strangers {
		return nil
	}
	p.leave()
	if !p.strangers.TryAcquire(1) {
		return errCrowded
	}
	p.in = p.strangers
	return nil
}

// finish reads the rest of the body of a request that was refused, which is bounded: a client that still sends would not read the
// answer. Its place is given back before.
func finish(r *http.Request) {
	body := io.Reader(r.Body)
	if p := placeIn(r); p != nil {
		p.leave()
		body = p.body
	}
	_, _ = io.Copy(io.Discard, body)
}
