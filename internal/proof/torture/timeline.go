package torture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// The end of time. Stored changes happened before the last look.
const (
	never    = time.Duration(math.MaxInt64)
	lastLook = never - 1
	atRest   = never - 2
)

// timeline is the known history for one record.
type timeline []porcupine.Operation

func (t *timeline) add(from, to time.Duration, e event) {
	*t = append(*t, porcupine.Operation{Input: e, Call: int64(from), Return: int64(to)})
}

// linearizable reports whether the events have an order, each at a separate moment, in which every answer is correct. The record
// begins with this version.
func (t timeline) linearizable(version int) porcupine.CheckResult {
	model := porcupine.Model{
		Init: func() any {
			return register{version: version, bill: bill{status: "draft", total: untold}}
		},
		Step: func(state, input, _ any) (bool, any) {
			return state.(register).step(input.(event)) //nolint:forcetypeassert // the only types
		},
	}
	events := t.withoutImplied()
	slices.SortStableFunc(events, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return porcupine.CheckOperationsTimeout(model, events, patience)
}

// withoutImplied removes redundant events: an event that changes nothing, and whose interval contains that of an equal event, may
// happen right after that one. Many such events would make the search for an order too long.
func (t timeline) withoutImplied() (kept timeline) {
	latestFirst := slices.Clone(t)
	slices.SortStableFunc(latestFirst, func(a, b porcupine.Operation) int {
		return cmp.Or(cmp.Compare(b.Call, a.Call), cmp.Compare(a.Return, b.Return))
	})
	ends := map[string]int64{} // the earliest end of the equal events that begin later
	for _, o := range latestFirst {
		e := o.Input.(event) //nolint:forcetypeassert // the only type
		if e.changesNothing() {
			same := fmt.Sprintf("%#v", e)
			if end, found := ends[same]; found && end <= o.Return {
				continue
			}
			ends[same] = o.Return
		}
		kept = append(kept, o)
	}
	return kept
}

// changesNothing reports whether an event never changes the record.
func (e event) changesNothing() bool {
	return e.kind == look || e.kind == send || e.outcome == itStale || e.outcome == itBarred || e.outcome == itExceeds
}
