package labpages

import (
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
