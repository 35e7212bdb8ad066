package labpages

import (
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"
)

// visit holds a visitor's choices in the lab. Other visitors are not affected.
type visit struct {
	slow bool        // creates are handled slowFor later
	cut  bool        // the connection is closed after the next create, instead of an answer
	step int         // of the tour, from 1; 0 outside it
	sent int         // creates that have arrived since the form was shown, in the first step
	run  uuid.UUID   // the run of the second step, once ordered
	made []uuid.UUID // records made in the tour, until it ends
	// until is the time at which the whole visit expires.
	until time.Time
}

const (
	visitLasts   = 15 * time.Minute
	visitsAtOnce = 1024 // beyond, the least recently used ones end
	slowFor      = 3 * time.Second
	slowAtOnce   = 64 // requests; more are not delayed
)

// visits holds the visits of all sessions, in this process's memory only. Replicas do not share them.
type visits struct {
	waiting *semaphore.Weighted // requests that are being delayed

	mu sync.Mutex
	of *lru.Cache[string, visit] // by visitor
}

func newVisits() *visits {
	of, err := lru.New[string, visit](visitsAtOnce)
	if err != nil {
		panic(err) // the size is positive
	}
	return &visits{waiting: semaphore.NewWeighted(slowAtOnce), of: of}
}

// find returns a visitor's visit, or the zero visit.
func (v *visits) find(visitor string) visit {
	found, ok := v.of.Get(visitor)
	if !ok || !time.Now().Before(found.until) {
		return visit{}
	}
	return found
}

// change changes a visitor's visit and prolongs it.
func (v *visits) change(visitor string, change func(*visit)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	changed := v.find(visitor)
	change(&changed)
	changed.until = time.Now().Add(visitLasts)
	v.of.Add(visitor, changed)
}

// update changes a visitor's visit without prolonging it.
func (v *visits) update(visitor string, change func(*visit)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if changed := v.find(visitor); !changed.until.IsZero() {
		change(&changed)
		v.of.Add(visitor, changed)
	}
}

// takeCut reports whether to close the connection now, and resets the choice.
func (v *visits) takeCut(visitor string) (cut bool) {
	v.update(visitor, func(asked *visit) { cut, asked.cut = asked.cut, false })
	return cut
}

// disturber delays creates, and loses answers to them, for visitors of the lab who asked for it.
type disturber struct {
	visits  *visits
	visitor func(*http.Request) string
	creates func(path string) bool // reports whether a form posted to path creates a record
}

func (d disturber) disturb(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := d.visitor(r)
		asked := d.visits.find(who)
		if r.Method != http.MethodPost || !asked.slow && !asked.cut || !d.creates(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		d.visits.update(who, func(asked *visit) { asked.sent++ })
		defer d.note(who, w.Header())
		if asked.slow {
			d.visits.wait(r)
		}
		if !asked.cut {
			next.ServeHTTP(w, r)
			return
		}
		answer := &lostAnswer{ResponseWriter: w, lose: func() bool { return d.visits.takeCut(who) }}
		next.ServeHTTP(answer, r)
		if answer.lost {
			panic(http.ErrAbortHandler) // closes the connection before anything was written to it
		}
	})
}

// note remembers the record that a visitor created in the tour, from the header of the answer, which may get lost.
func (d disturber) note(who string, answer http.Header) {
	id, err := uuid.Parse(path.Base(answer.Get("Location")))
	if err != nil {
		return
	}
	d.visits.update(who, func(asked *visit) {
		if asked.step > 0 && !slices.Contains(asked.made, id) {
			asked.made = append(slices.Clip(asked.made), id)
		}
	})
}

// wait delays a request by slowFor. If too many requests wait already, it returns at once.
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

// lostAnswer drops the answer to a successful request if lose returns true. A refusal is never dropped, because its page has the
// typed input.
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
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // a wrapper of the writer returns its errors unchanged
}
