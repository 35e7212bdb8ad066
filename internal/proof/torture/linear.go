package torture

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// The model of one key: at first nothing is made. One attempt may make the record, and from then on
// every answer names it. Or it is refused for ever, because the number or the reference was taken by another intent or
// because less is left, and nothing is made. Only a number may be given up again, and what is open grow by a refund.
type keyState struct {
	made    bool
	refused [2]bool // by command
	id      string  // "" if the answer of the attempt that made it was lost
	command int     // the one that made it
	free    bool    // the invoice that has the number may give it up
}

// names reports whether an answer may name this id, and remembers it.
func (s keyState) names(id string) (bool, keyState) {
	if !s.made || (s.id != "" && s.id != id) {
		return false, s
	}
	s.id = id
	return true, s
}

// step reports whether an attempt may have this outcome in this state, and what the state is then.
func step(s keyState, a attempt) (bool, keyState) {
	nothing := !s.made && !s.refused[a.Command]
	switch a.Outcome {
	case created, done, existing: // existing: a customer who was there already, found by another key
		return nothing, keyState{made: true, id: a.ID, command: a.Command}
	case replayed, current, repeated: // also when the result has expired, the command is known
		ok, s := s.names(a.ID)
		return ok && s.command == a.Command, s
	case mismatch:
		ok, s := s.names(a.ID)
		return ok && s.command != a.Command, s
	case conflict:
		made := s.made
		for command := range s.refused {
			// The other command of a credit note asks for something else.
			mayBe := s.free || a.mayPass() || a.Kind == credit && command != a.Command
			s.refused[command] = s.refused[command] || !mayBe
		}
		return !made, s
	case stale, barred: // from that version, in that state; from another one it may succeed
		return !s.made, s
	default: // nobody knows: it may have been this one. That it was not is told by placing it last.
		if nothing {
			return true, keyState{made: true, command: a.Command}
		}
		return true, s
	}
}

// patience is how long the search for an order of one key's attempts, or one record's events, may take: it is over in milliseconds, but
// for a record that very many have changed at once.
const patience = time.Minute

// linearizable reports whether one key's attempts can be put into an order, each at some moment between
// its call and its return, in which every answer is right.
func linearizable(attempts []attempt, free bool) porcupine.CheckResult {
	model := porcupine.Model{
		Init: func() any { return keyState{free: free} },
		Step: func(state, input, _ any) (bool, any) {
			return step(state.(keyState), input.(attempt)) //nolint:forcetypeassert // there are no others
		},
	}
	var operations []porcupine.Operation
	waiting := map[int]bool{} // commands of which a lost request may still be on its way
	for _, a := range slices.SortedFunc(slices.Values(attempts), func(a, b attempt) int { return cmp.Compare(a.Called, b.Called) }) {
		operation := porcupine.Operation{Input: a, Call: int64(a.Called), Return: int64(a.Done)}
		switch {
		case a.Outcome == unsent, a.Outcome == unexpected: // no effect, nothing learned; or a violation already
			continue
		case a.Outcome.unknown(): // it may still take effect, long after the client has left
			if waiting[a.Command] {
				continue // whatever this one could explain, the first one can
			}
			waiting[a.Command] = true
			operation.Return = math.MaxInt64
		}
		operations = append(operations, operation)
	}
	return porcupine.CheckOperationsTimeout(model, operations, patience)
}
