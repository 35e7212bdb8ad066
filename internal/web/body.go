package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

// Bounds of a request's body.
const (
	// maxBody is the largest body, in bytes.
	maxBody = 1 << 20
	// maxStranger is the largest form without a login, in bytes.
	maxStranger = 16 << 10
	// maxTarget is the longest address, in bytes (RFC 9110, section 4.1, asks for 8000 at least).
	maxTarget = 8 << 10
	// maxRepeats is the maximum number of elements of an array, and of form fields with one name. It is larger than the number of lines of
	// an invoice, so that a form with a few lines too many is shown again with an error.
	maxRepeats = 500
	// maxFields is the maximum number of form fields: lines with seven fields each, and the rest.
	maxFields = 7*maxRepeats + 50
)

// limitBody bounds a body. Reading more returns an [*http.MaxBytesError].
func limitBody(bytes int64) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return http.MaxBytesHandler(next, bytes) }
}

// limitTarget bounds the address.
func (s *Server) limitTarget(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > maxTarget {
			s.fail(w, r, errLongTarget)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fail answers in the format that the address belongs to.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if strings.HasPrefix(r.URL.Path, apiPrefix) {
		s.failJSON(w, r, err)
	} else {
		s.FailHTML(w, r, err)
	}
}

// A large body costs a multiple of its size while it is decoded and shown again, so that only a few of
// them are in memory at once.
const (
	// usualBody is the size above which a body counts as large, in bytes.
	usualBody = 64 << 10
	// largeAtOnce is the maximum number of large bodies in progress, counted separately for requests with and without a login.
	largeAtOnce = 4
)

// placeWait bounds how long a request waits for a place among the few that may be there at once.
const placeWait = 5 * time.Second

// TakePlace waits for a place, which the caller returns with Release(1). It returns errCrowded after a bounded wait.
func TakePlace(ctx context.Context, places *semaphore.Weighted) error {
	ctx, cancel := context.WithTimeout(ctx, placeWait)
	defer cancel()
	if err := places.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("%w: %w", errCrowded, err)
	}
	return nil
}

// admitLarge lets few large bodies in at once. Beyond its usual part, reading a body returns errCrowded if
// it has waited too long for one of slots. Requests with files have slots of their kind.
func (s *Server) admitLarge(slots *semaphore.Weighted) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			slots := slots
			if uploadIn(r) != nil {
				slots = s.uploads
			}
			body := &admittedBody{ReadCloser: r.Body, ctx: r.Context(), slots: slots, usual: usualBody}
			defer body.leave()
			if p := placeIn(r); p != nil {
				p.large = body
			}
			r.Body = body
			next.ServeHTTP(w, r)
		})
	}
}

type admittedBody struct {
	io.ReadCloser

	ctx      context.Context //nolint:containedctx // of the request that the body belongs to
	slots    *semaphore.Weighted
	usual    int // bytes left
	admitted bool
	err      error
}

func (b *admittedBody) Read(p []byte) (int, error) {
	if b.usual < 0 && !b.admitted {
		b.enter()
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.usual -= n
	return n, err //nolint:wrapcheck // an io.EOF must stay one
}

// enter is tried once: the rest of a refused body is useless.
func (b *admittedBody) enter() {
	if b.err != nil {
		return
	}
	b.err = TakePlace(b.ctx, b.slots)
	b.admitted = b.err == nil
}

func (b *admittedBody) leave() {
	if b.admitted {
		b.slots.Release(1)
		b.admitted = false
	}
}

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
