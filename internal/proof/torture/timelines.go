package torture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// registers compares all answers about each customer, invoice, payment and business with the model of a record.
func (e *evidence) registers() {
	all := map[string]*timeline{}
	of := func(record string) *timeline {
		if all[record] == nil {
			all[record] = &timeline{}
		}
		return all[record]
	}
	for _, a := range e.looks {
		if a.Outcome == shown {
			of(a.Record).add(a.Called, a.Done, event{kind: look, shown: a.Shown})
		}
	}
	for n, in := range e.intents {
		switch {
		case in.kind.changes():
			e.record(n, of)
		case in.kind.belongs():
			e.recordBelonging(n, of)
		case in.kind.delivers():
			e.recordDelivery(n, of)
		default:
			for _, a := range e.attempts[n] {
				if a.Outcome == created || a.Outcome == existing || a.Outcome == current && in.kind.creates() {
					of(a.ID).add(a.Called, a.Done, event{kind: look, shown: a.Shown})
				}
			}
		}
	}
	for record, events := range all {
		events.add(lastLook, never, event{kind: look, shown: e.rows.now[record]})
		result := events.linearizable(max(1, e.rows.before[record]))
		e.searched(result, -1, "the changes of a record are linearizable", "record "+record)
	}
}

// record adds an intent to the timelines of its records. That the state bars it may have been found by an earlier attempt with the
// same key.
func (e *evidence) record(n int, of func(record string) *timeline) {
	in, attempts := e.intents[n], e.attempts[n]
	for _, a := range attempts {
		if a.Outcome == stale {
			of(a.Record).add(a.Called, a.Done, event{kind: in.kind, seen: []int{a.Seen}, outcome: itStale})
			of(a.Record).add(a.Called, a.Done, event{kind: look, shown: a.Shown})
		}
		if a.Outcome == barred {
			barred := event{kind: in.kind, outcome: itBarred}
			if a.Seen != 0 {
				barred.seen = []int{a.Seen}
			}
			of(a.Record).add(firstCall(attempts), a.Done, barred)
		}
	}
	if in.key == "" && !in.kind.edits() {
		recordKeyless(attempts, of)
		return
	}
	effect, first := e.effect(n)
	if effect.happened == nil {
		return
	}
	of(effect.record).add(effect.from, effect.to, *effect.happened)
	for _, a := range attempts {
		if in.key == "" && a.Outcome == done { // may have found it done
			of(a.Record).add(a.Called, a.Done, event{kind: look, shown: a.Shown})
		}
		if a.Outcome == repeated && a.Done > keptUntil(attempts) && first != "" && a.Digest != first {
			of(a.ID).add(a.Called, a.Done, event{kind: look, shown: a.Shown})
		}
	}
}

// recordKeyless adds transitions without a key. Of several with unknown outcome one is enough: they started from the same version,
// which only one can have found.
func recordKeyless(attempts []attempt, of func(record string) *timeline) {
	waiting := false
	for _, a := range attempts {
		e := event{kind: a.Kind, seen: []int{a.Seen}, shown: a.Shown}
		switch {
		case a.Outcome == done:
			of(a.Record).add(a.Called, a.Done, e)
		case a.Outcome.unknown() && !waiting:
			waiting = true
			e.maybe = true
			of(a.Record).add(a.Called, never, e)
		}
	}
}

// doneBy returns the end of the first attempt whose answer acknowledges the intent, or else the state of rest.
func doneBy(attempts []attempt) time.Duration {
	to := atRest
	for _, a := range attempts {
		if a.Outcome.acknowledges() {
			to = min(to, a.Done)
		}
	}
	return to
}

// effect is the time and the record of an intent's change; happened is nil if there was none.
type effect struct {
	record   string
	from, to time.Duration
	happened *event
}

// effect derives the effect of an intent from its answers and the stored changes. first is the digest of its original answer, or ""
// if no client got it.
func (e *evidence) effect(n int) (effect effect, first string) {
	attempts, found := e.attempts[n], e.carriedOut(n)
	happened, keyed := event{kind: e.intents[n].kind}, e.intents[n].key != ""
	effect.from, effect.to = never, doneBy(attempts)
	own := slices.IndexFunc(attempts, func(a attempt) bool { return a.Outcome == done })
	switch {
	case len(found) > 0:
		effect.record, happened.name, happened.outcome = found[0].record, found[0].name, itUnchanged
		if found[0].changed {
			happened.outcome = itChanged
		}
	case own >= 0:
		effect.record, happened.name = attempts[own].Record, attempts[own].Shown.content()
	}
	for i, a := range attempts {
		if keyed && a.Outcome == done || a.Outcome == repeated && a.Done <= keptUntil(attempts) {
			first, happened.shown = a.Digest, a.Shown
		}
		if a.Record == effect.record && (i == own || (own < 0 || !keyed) && a.Outcome.unknown()) {
			effect.from = min(effect.from, a.Called)
			if a.Seen != 0 {
				happened.seen = append(happened.seen, a.Seen)
			}
		}
	}
	if effect.from < effect.to {
		effect.happened = &happened
	}
	return effect, first
}

// recordBelonging adds a payment, a refund, a credit note or a mail to the timelines of the records that it changes or depends on,
// and a payment also to its own.
func (e *evidence) recordBelonging(n int, of func(record string) *timeline) {
	in, attempts := e.intents[n], e.attempts[n]
	if found := e.rows.of(in, attempts); len(found) == 1 {
		made, from, to := found[0], firstCall(attempts), doneBy(attempts)
		happened := event{kind: in.kind, amount: made.total, became: made.became, outcome: itChanged}
		if in.kind == send {
			happened.outcome = itUnchanged
		}
		if slices.ContainsFunc(attempts, askedForAll) {
			happened.limit = byAll
		}
		of(made.about()).add(from, to, happened)
		if in.kind == refund {
			of(made.invoice).add(from, to, event{kind: unpay, amount: made.total, outcome: itChanged})
		}
	}
	for _, a := range attempts {
		if in.kind == pay && (a.Outcome == created || a.Outcome == current) {
			of(a.ID).add(a.Called, a.Done, event{kind: look, shown: a.Shown})
		}
		refusal := event{kind: in.kind, amount: a.Asked, limit: a.Limit, open: a.Open}
		switch {
		case a.Limit != "":
			refusal.outcome = itExceeds
		case in.kind == refund && a.Outcome == barred:
			continue // by the invoice, which the answer doesn't name
		case a.Outcome == barred:
			refusal.outcome = itBarred
		default:
			continue
		}
		of(a.Record).add(firstCall(attempts), a.Done, refusal)
	}
}

// askedForAll reports whether the answer is a credit note for everything that was left.
func askedForAll(a attempt) bool {
	return a.Kind == credit && a.Lines == "" && (a.Outcome == created || a.Outcome == replayed || a.Outcome == current)
}

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
