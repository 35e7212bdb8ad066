package torture

import (
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Violation is a promise that was not kept.
type Violation struct {
	Rule   string
	Detail string
	Intent int // whose history tells more; -1 if it is not about one

	// Undecided is set if nobody knows whether it was kept, because to find out takes too long.
	Undecided bool
}

func (v Violation) String() string {
	if v.Undecided {
		return "undecided: " + v.Rule + ": " + v.Detail
	}
	return v.Rule + ": " + v.Detail
}

// evidence is all that is known after a run.
type evidence struct {
	intents  []intent
	attempts [][]attempt // by intent, in the order in which they ended
	looks    []attempt   // to read a record
	rows     rows
	found    []Violation

	byKey     map[origin][]stored
	byContent map[string][]stored // edits, by the name that they gave
}

func (e *evidence) reportf(n int, rule, format string, args ...any) {
	e.found = append(e.found, Violation{Rule: rule, Detail: fmt.Sprintf(format, args...), Intent: n})
}

// searched reports what the search for an order has come to, if it found none.
func (e *evidence) searched(result porcupine.CheckResult, n int, rule, detail string) {
	if result != porcupine.Ok {
		e.found = append(e.found, Violation{Rule: rule, Detail: detail, Intent: n, Undecided: result == porcupine.Unknown})
	}
}

// judge compares what the clients were told with what is in the database, both ways.
func judge(people *clients, stored rows) []Violation {
	e := &evidence{attempts: people.history.byIntent(people.intents()), rows: stored}
	e.looks = slices.DeleteFunc(slices.Clone(people.history.attempts), func(a attempt) bool { return a.Kind != look })
	for n := range people.intents() {
		e.intents = append(e.intents, imagine(people.seed, n))
	}
	e.judge()
	return e.found
}

func (e *evidence) judge() {
	e.byKey, e.byContent = map[origin][]stored{}, map[string][]stored{}
	for _, s := range e.rows.changes {
		e.byKey[s.origin] = append(e.byKey[s.origin], s)
		if s.name != "" {
			e.byContent[s.name] = append(e.byContent[s.name], s)
		}
	}
	for n, in := range e.intents {
		e.known(e.attempts[n])
		for _, attempts := range in.wishes(e.attempts[n]) {
			if in.key != "" { // else nothing makes its attempts one
				e.answers(n, attempts)
			}
			if in.kind.changes() {
				e.changes(n)
			} else {
				e.records(n, attempts)
			}
			if in.key == "" {
				continue
			}
			result := linearizable(attempts, e.rows.mayBeFree(in))
			e.searched(result, n, "the answers to a key are linearizable", fmt.Sprintf("intent %d", n))
		}
	}
	e.known(e.looks)
	e.strangers()
	e.registers()
}

// known looks for answers outside of the contract.
func (e *evidence) known(attempts []attempt) {
	for _, a := range attempts {
		if a.Outcome == unexpected {
			e.reportf(a.Intent, "every answer is one that the contract knows", "intent %d got %d %.300s", a.Intent, a.Status, a.Error)
		}
	}
}

// wishes returns the attempts, without those that make another wish under the same key: another content of an event, which is kept too.
func (in intent) wishes(attempts []attempt) (wishes [][]attempt) {
	if !in.kind.delivers() {
		return [][]attempt{attempts}
	}
	for command := range in.commands {
		wish := slices.DeleteFunc(slices.Clone(attempts), func(a attempt) bool { return a.Command != command })
		if len(wish) > 0 {
			wishes = append(wishes, wish)
		}
	}
	return wishes
}

// answers holds all answers to one wish against each other.
func (e *evidence) answers(n int, attempts []attempt) {
	var first, firstBody *attempt
	made := 0
	for i := range attempts {
		a := &attempts[i]
		if !a.Outcome.acknowledges() {
			continue
		}
		if a.Outcome == created || a.Outcome == done {
			made++
		}
		switch {
		case a.Outcome == mismatch: // it names the record only
		case first == nil:
			first = a
		case a.ID != first.ID || first.Outcome.original() && a.Outcome.original() && (a.Number != first.Number || a.Total != first.Total):
			e.reportf(n, "all answers to a key are equal", "intent %d: %s %s %s, then %s %s %s",
				n, first.ID, first.Number, first.Total, a.ID, a.Number, a.Total)
		}
		switch {
		case a.Digest == "", a.Outcome == repeated && a.Done > keptUntil(attempts):
		case firstBody == nil:
			firstBody = a
		case a.Digest != firstBody.Digest:
			e.reportf(n, "a replay is identical to the byte", "intent %d: body %s, then %s", n, firstBody.Digest, a.Digest)
		}
	}
	if made > 1 {
		e.reportf(n, "one attempt carries an intent out", "intent %d: %d attempts were told so", n, made)
	}
}

// records holds the answers to one wish against the database.
func (e *evidence) records(n int, attempts []attempt) {
	in := e.intents[n]
	found := e.rows.of(in, attempts)
	acknowledged, conflicted := false, refusedForEver(attempts)
	for _, a := range attempts {
		if !a.Outcome.acknowledges() {
			continue
		}
		acknowledged = true
		if len(found) == 1 && !found[0].matches(a) {
			e.reportf(n, "what was answered is what is stored", "intent %d: answered %s %s %s, stored %+v",
				n, a.ID, a.Number, a.Total, found[0])
		}
	}
	switch {
	case acknowledged && len(found) != 1:
		e.reportf(n, "an acknowledged intent has exactly one record", "intent %d has %d: %+v", n, len(found), found)
	case conflicted && !acknowledged && len(found) != 0 && !e.rows.mayBeFree(in):
		e.reportf(n, "a refused intent has no record", "intent %d has %d: %+v", n, len(found), found)
	case len(found) > 1:
		e.reportf(n, "an unknown intent has at most one record", "intent %d has %d: %+v", n, len(found), found)
	}
	for _, r := range found {
		if why := r.unlike(in); why != "" {
			e.reportf(n, "the record is what was asked for", "intent %d: %s: %+v", n, why, r)
		}
	}
}

// refusedForEver reports whether an answer says that an intent has no record and will have none. A credit note may be
// made by the other command, if nobody knows what came of that one.
func refusedForEver(attempts []attempt) bool {
	return slices.ContainsFunc(attempts, func(a attempt) bool {
		return a.Outcome == conflict && !a.mayPass() && !slices.ContainsFunc(attempts, func(b attempt) bool {
			return a.Kind == credit && b.Command != a.Command && b.Outcome.unknown()
		})
	})
}
