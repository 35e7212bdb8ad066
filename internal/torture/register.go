package torture

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// The model of one customer: a register with versions, which edits and transitions set.
type register struct {
	version  int
	name     string // "" as long as nobody was told
	archived bool
}

// What came of an event, besides what an answer shows.
const (
	itChanged   = "changed"
	itUnchanged = "unchanged"
	itStale     = "stale"
)

// event is one change of a customer, or one look.
type event struct {
	kind    kind
	seen    []int  // versions that it may have been made from; any if there are none
	name    string // that an edit gives; "" for the one that is there
	outcome string // "" if nobody knows, but not stale
	maybe   bool   // it may never happen, and changes nothing then
	// shown is the customer behind it: with the version only, if there is no name; nothing without a version.
	shown profile
}

// after gives the register behind an event, and what comes of it.
func (r register) after(e event) (next register, outcome string) {
	switch {
	case e.kind == look, e.kind == archive && r.archived, e.kind == restore && !r.archived:
		return r, itUnchanged
	case len(e.seen) > 0 && !slices.Contains(e.seen, r.version):
		return r, itStale
	case e.kind == edit && (e.name == "" || e.name == r.name):
		return r, itUnchanged
	}
	r.version++
	switch e.kind {
	case archive, restore:
		r.archived = e.kind == archive
	default:
		r.name = e.name
	}
	return r, itChanged
}

// shows tells whether an answer may say this, and learns the name from it.
func (r register) shows(c profile) (bool, register) {
	switch {
	case c.Version == 0:
		return true, r
	case c.Name == "":
		return r.version == c.Version, r
	}
	same := r.version == c.Version && r.archived == (c.ArchivedAt != "") && (r.name == "" || r.name == c.Name)
	r.name = c.Name
	return same, r
}

// step tells whether an event is right in this state, and what the state is then.
func (r register) step(e event) (bool, register) {
	next, outcome := r.after(e)
	switch {
	case e.maybe:
		return true, next
	case e.outcome == "" && outcome == itStale, e.outcome != "" && e.outcome != outcome:
		return false, r
	default:
		return next.shows(e.shown)
	}
}

// The end of time. What is stored has happened before the last look.
const (
	never    = time.Duration(math.MaxInt64)
	lastLook = never - 1
	atRest   = never - 2
)

// timeline is what is known of one customer.
type timeline []porcupine.Operation

func (t *timeline) add(from, to time.Duration, e event) {
	*t = append(*t, porcupine.Operation{Input: e, Call: int64(from), Return: int64(to)})
}

// linearizable tells whether the events can be put into an order, each at some moment of its own, in which every
// answer is right.
func (t timeline) linearizable() porcupine.CheckResult {
	model := porcupine.Model{
		Init: func() any { return register{version: 1} },
		Step: func(state, input, _ any) (bool, any) {
			return state.(register).step(input.(event)) //nolint:forcetypeassert // there are no others
		},
	}
	slices.SortStableFunc(t, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return porcupine.CheckOperationsTimeout(model, t, 10*time.Second)
}
