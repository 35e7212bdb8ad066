package labpages

import (
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"
)

// visit is what somebody has asked for in the lab. It disturbs nobody else.
type visit struct {
	slow bool        // whatever they create is handled slowFor later
	cut  bool        // the connection is closed after the next create, in place of the answer
	step int         // of the tour, from 1; 0 outside of it
	sent int         // creates that have arrived since the form was shown, in the first step
	run  uuid.UUID   // of the second step, if it was ordered
	made []uuid.UUID // in the tour, until it ends
	// until is when all of it is over.
	until time.Time
}

const (
	visitLasts   = 15 * time.Minute
	visitsAtOnce = 1024 // beyond, those end that were not looked at for longest
	slowFor      = 3 * time.Second
	slowAtOnce   = 64 // requests; others are not made to wait
)

// visits are those of all sessions, in the memory of this process: another replica knows nothing of them.
type visits struct {
	waiting *semaphore.Weighted // requests that are made to wait now

	mu sync.Mutex
	of *lru.Cache[string, visit] // by visitor
}

func newVisits() *visits {
	of, err := lru.New[string, visit](visitsAtOnce)
	if err != nil {
		panic(err) // cannot be: the size is positive
	}
	return &visits{waiting: semaphore.NewWeighted(slowAtOnce), of: of}
}

// find returns the visit of a visitor; the zero visit if there is none.
func (v *visits) find(visitor string) visit {
	found, ok := v.of.Get(visitor)
	if !ok || !time.Now().Before(found.until) {
		return visit{}
	}
	return found
}

// change changes the visit of a visitor, which then lasts on.
func (v *visits) change(visitor string, change func(*visit)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	changed := v.find(visitor)
	change(&changed)
	changed.until = time.Now().Add(visitLasts)
	v.of.Add(visitor, changed)
}

// update changes the visit of a visitor, and not how long it lasts.
func (v *visits) update(visitor string, change func(*visit)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if changed := v.find(visitor); !changed.until.IsZero() {
		change(&changed)
		v.of.Add(visitor, changed)
	}
}

// takeCut reports whether the connection is to be closed now. It says so once.
func (v *visits) takeCut(visitor string) (cut bool) {
	v.update(visitor, func(asked *visit) { cut, asked.cut = asked.cut, false })
	return cut
}
