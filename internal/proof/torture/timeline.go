package torture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// The end of time. What is stored has happened before the last look.
const (
	never    = time.Duration(math.MaxInt64)
	lastLook = never - 1
	atRest   = never - 2
)

// timeline is what is known of one record.
type timeline []porcupine.Operation

func (t *timeline) add(from, to time.Duration, e event) {
	*t = append(*t, porcupine.Operation{Input: e, Call: int64(from), Return: int64(to)})
}

// linearizable reports whether the events can be put into an order, each at some moment of its own, in which every
// answer is right. The record begins with this version.
func (t timeline) linearizable(version int) porcupine.CheckResult {
	model := porcupine.Model{
		Init: func() any {
			return register{version: version, bill: bill{status: "draft", total: untold}, payment: refundable{amount: untold}}
		},
		Step: func(state, input, _ any) (bool, any) {
			return state.(register).step(input.(event)) //nolint:forcetypeassert // there are no others
		},
	}
	told := t.withoutImplied()
	slices.SortStableFunc(told, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return porcupine.CheckOperationsTimeout(model, told, patience)
}

// withoutImplied leaves out what says nothing more: an event that changes nothing, and had all the time of an equal one
// and more, may come right behind that one. Many of them at once would make the search for an order take too long.
func (t timeline) withoutImplied() (kept timeline) {
	latestFirst := slices.Clone(t)
	slices.SortStableFunc(latestFirst, func(a, b porcupine.Operation) int {
		return cmp.Or(cmp.Compare(b.Call, a.Call), cmp.Compare(a.Return, b.Return))
	})
	ends := map[string]int64{} // the earliest end of the equal events that begin later
	for _, o := range latestFirst {
		e := o.Input.(event) //nolint:forcetypeassert // there are no others
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

// changesNothing reports whether an event leaves the record as it is, whatever that is.
func (e event) changesNothing() bool {
	return e.kind == look || e.kind == send || e.outcome == itStale || e.outcome == itBarred || e.outcome == itExceeds
}
