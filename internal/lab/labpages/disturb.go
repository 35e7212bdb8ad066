package labpages

import (
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"
)

// disturber makes the network of a visitor of the lab as bad as they asked for, where they create something.
type disturber struct {
	visits  *visits
	visitor func(*http.Request) string
	creates func(path string) bool // whether a form that is posted there creates something
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
			panic(http.ErrAbortHandler) // closes the connection, and nothing was written to it
		}
	})
}

// note remembers what somebody in the tour has made, by the header of the answer, which may be lost.
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
