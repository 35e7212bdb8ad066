package labpages

import (
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"
)

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
