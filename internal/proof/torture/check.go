package torture

import (
	"fmt"
	"slices"
	"sync"

	"github.com/anishathalye/porcupine"
)

// Violation is a broken promise.
type Violation struct {
	Rule   string
	Detail string
	Intent int // the intent whose history explains it; -1 for none

	// Undecided is set if the check took too long for a verdict.
	Undecided bool
}

func (v Violation) String() string {
	if v.Undecided {
		return "undecided: " + v.Rule + ": " + v.Detail
	}
	return v.Rule + ": " + v.Detail
}

// contract is the rule about the answers.
const contract = "every answer is one that the contract knows"

// reports are the violations that clients or checks have found.
type reports struct {
	mu    sync.Mutex
	found []Violation
}

func (r *reports) reportf(rule, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, Violation{Rule: rule, Detail: fmt.Sprintf(format, args...), Intent: -1})
}

func (r *reports) all() []Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// evidence is the data of a run for its checks.
type evidence struct {
	intents  []intent
	attempts [][]attempt // by intent, in the order in which they ended
	looks    []attempt   // reads of records
	rows     rows
	found    []Violation

	byKey     map[origin][]stored
	byContent map[string][]stored // edits, by the new name
}

func (e *evidence) reportf(n int, rule, format string, args ...any) {
	e.found = append(e.found, Violation{Rule: rule, Detail: fmt.Sprintf(format, args...), Intent: n})
}

// searched reports an unsuccessful search for an order.
func (e *evidence) searched(result porcupine.CheckResult, n int, rule, detail string) {
	if result != porcupine.Ok {
		e.found = append(e.found, Violation{Rule: rule, Detail: detail, Intent: n, Undecided: result == porcupine.Unknown})
	}
}

// judge compares the answers to the clients with the database, in both directions.
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
			if in.key != "" { // without a key, its attempts are unrelated
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

// known reports answers outside the contract.
func (e *evidence) known(attempts []attempt) {
	for _, a := range attempts {
		if a.Outcome == unexpected {
			e.reportf(a.Intent, contract, "intent %d got %d %.300s", a.Intent, a.Status, a.Error)
		}
	}
}

// wishes groups the attempts by wish. Only a delivery may have two: an event with another content under the same id is stored, too.
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

// answers compares all answers to one wish.
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
		case a.Outcome == mismatch: // names only the record
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

// records compares the answers to one wish with the database.
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

// refusedForEver reports whether an answer means that an intent has no record and never will. The other command of a credit note
// may still create one if its outcome is unknown.
func refusedForEver(attempts []attempt) bool {
	return slices.ContainsFunc(attempts, func(a attempt) bool {
		return a.Outcome == conflict && !a.mayPass() && !slices.ContainsFunc(attempts, func(b attempt) bool {
			return a.Kind == credit && b.Command != a.Command && b.Outcome.unknown()
		})
	})
}
