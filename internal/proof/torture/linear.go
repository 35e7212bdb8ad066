package torture

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// keyState is the state of a key in the model. Initially there is no record. One attempt may create it, and from then on every
// answer names it. Or the intent is refused for ever, because the number or the reference belongs to another intent or the amount
// is too high. Only two of these reasons may disappear: a number may be freed, and a refund increases the open amount.
type keyState struct {
	made    bool
	refused [2]bool // by command
	id      string  // "" if the answer to the attempt that made it was lost
	command int     // the command that made it
	free    bool    // the invoice with the number may free it
}

// names reports whether an answer may name this id, and records the id.
func (s keyState) names(id string) (bool, keyState) {
	if !s.made || (s.id != "" && s.id != id) {
		return false, s
	}
	s.id = id
	return true, s
}

// step reports whether an attempt may have this outcome in this state, and returns the next state.
func step(s keyState, a attempt) (bool, keyState) {
	nothing := !s.made && !s.refused[a.Command]
	switch a.Outcome {
	case created, done, existing: // existing: another key had created the customer
		return nothing, keyState{made: true, id: a.ID, command: a.Command}
	case replayed, current, repeated: // the command is still known after the result has expired
		ok, s := s.names(a.ID)
		return ok && s.command == a.Command, s
	case mismatch:
		ok, s := s.names(a.ID)
		return ok && s.command != a.Command, s
	case conflict:
		made := s.made
		for command := range s.refused {
			// The other command of a credit note asks for a different amount.
			mayBe := s.free || a.mayPass() || a.Kind == credit && command != a.Command
			s.refused[command] = s.refused[command] || !mayBe
		}
		return !made, s
	case stale, barred: // from another version, or in another state, it may succeed
		return !s.made, s
	default: // Unknown: it may have created the record. If it had no effect, it is placed last.
		if nothing {
			return true, keyState{made: true, command: a.Command}
		}
		return true, s
	}
}

// patience bounds the search for an order of a key's attempts, or a record's events. It normally takes milliseconds, except for
// a record with very many concurrent changes.
const patience = time.Minute

// linearizable reports whether one key's attempts have an order, each at a moment between its call and its return, in which every
// answer is correct.
func linearizable(attempts []attempt, free bool) porcupine.CheckResult {
	model := porcupine.Model{
		Init: func() any { return keyState{free: free} },
		Step: func(state, input, _ any) (bool, any) {
			return step(state.(keyState), input.(attempt)) //nolint:forcetypeassert // the only types
		},
	}
	var operations []porcupine.Operation
	waiting := map[int]bool{} // commands with a lost request that may still arrive
	for _, a := range slices.SortedFunc(slices.Values(attempts), func(a, b attempt) int { return cmp.Compare(a.Called, b.Called) }) {
		operation := porcupine.Operation{Input: a, Call: int64(a.Called), Return: int64(a.Done)}
		switch {
		case a.Outcome == unsent, a.Outcome == unexpected: // no effect and no information; or a violation already
			continue
		case a.Outcome.unknown(): // may take effect long after the client has left
			if waiting[a.Command] {
				continue // the first one explains everything that this one could
			}
			waiting[a.Command] = true
			operation.Return = math.MaxInt64
		}
		operations = append(operations, operation)
	}
	return porcupine.CheckOperationsTimeout(model, operations, patience)
}
