package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// State is a field that only transitions change. A new record has the first value.
type State struct {
	Name   Name
	Values []string
	Moves  []Move
}

// Move is a transition: it leads from some values to one.
type Move struct {
	Verb Name
	To   string
	From []string

	state *State
}

// verbs has the verbs of the values that resources usually have. For other values the specification has one.
var verbs = pairs(`
	accepted accept, activated activate, approved approve, arrived arrive, assigned assign, blocked block, booked book, cancelled cancel,
	canceled cancel, checked check, closed close, collected collect, completed complete, confirmed confirm, declined decline, delivered
	deliver, dispatched dispatch, done finish, ended end, expired expire, finished finish, fixed fix, in_progress start, installed
	install, invoiced invoice, lost lose, open reopen, opened open, ordered order, packed pack, paid pay, paused pause, planned plan,
	postponed postpone, printed print, published publish, quoted quote, received receive, refunded refund, rejected reject, released
	release, reopened reopen, repaired repair, requested request, reserved reserve, resolved resolve, resumed resume, returned return,
	reviewed review, scheduled schedule, sent send, shipped ship, signed sign, sold sell, started start, stopped stop, submitted submit,
	suspended suspend, tested test, verified verify, withdrawn withdraw, won win`)

func pairs(text string) map[string]string {
	all := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		words := strings.Fields(pair)
		all[words[0]] = words[1]
	}
	return all
}

var valueForm = regexp.MustCompile(`^(?:([a-z]+):)?([a-z][a-z0-9]*(?:_[a-z0-9]+)*)$`)

// newState parses the text in the brackets of state(booked>started>done,booked>cancelled). A value may have its verb before it, as in
// prepare:ready.
func newState(name Name, inside string) (*State, error) {
	s := &State{Name: name}
	for chain := range strings.SplitSeq(inside, ",") {
		last := ""
		for text := range strings.SplitSeq(chain, ">") {
			parts := valueForm.FindStringSubmatch(strings.TrimSpace(text))
			if parts == nil {
				return s, fmt.Errorf("the field %s has the value %s: write values of small letters, digits and _, each with one verb "+
					"of small letters before it if needed, like state(booked>started>done,booked>prepare:ready)", name, text)
			}
			value := parts[2]
			if !slices.Contains(s.Values, value) {
				s.Values = append(s.Values, value)
			}
			if last == value {
				return s, fmt.Errorf("the field %s: %s leads to itself", name, value)
			}
			if last != "" {
				if err := s.move(last, value, parts[1]); err != nil {
					return s, err
				}
			}
			last = value
		}
	}
	return s, s.check()
}

// check returns an error if the state has no transition, two with one verb, or a value that no record reaches.
func (s *State) check() error {
	if len(s.Moves) == 0 {
		return fmt.Errorf("the field %s needs a transition, like state(open>closed)", s.Name)
	}
	for i, m := range s.Moves {
		if slices.ContainsFunc(s.Moves[:i], func(other Move) bool { return other.Verb == m.Verb }) {
			return fmt.Errorf("the field %s has two transitions with the verb %s: write another one before a value, as in %[2]s:%s",
				s.Name, m.Verb, m.To)
		}
	}
	for _, value := range s.Values {
		if _, found := s.way(func(at string) bool { return at == value }); !found {
			return fmt.Errorf("the field %s: no transition leads from %s to %s", s.Name, s.Values[0], value)
		}
	}
	return nil
}

// move adds the transition from one value to another.
func (s *State) move(from, to, verb string) error {
	i := slices.IndexFunc(s.Moves, func(m Move) bool { return m.To == to })
	if i < 0 {
		i = len(s.Moves)
		s.Moves = append(s.Moves, Move{Verb: Name(verbs[to]), To: to, state: s})
	}
	m := &s.Moves[i]
	if verb != "" {
		m.Verb = Name(verb)
	}
	if m.Verb == "" {
		return fmt.Errorf("the field %s: write the verb of its button before %s, as in prepare:%[2]s", s.Name, to)
	}
	if !slices.Contains(m.From, from) {
		m.From = append(m.From, from)
	}
	return nil
}

// way returns the verbs that bring a new record into the nearest value that a condition holds for.
func (s *State) way(to func(value string) bool) (verbs []Name, found bool) {
	ways, reached := map[string][]Name{s.Values[0]: nil}, []string{s.Values[0]}
	for i := 0; i < len(reached); i++ {
		at := reached[i]
		if to(at) {
			return ways[at], true
		}
		for _, m := range s.Moves {
			if slices.Contains(m.From, at) && !slices.Contains(reached, m.To) {
				ways[m.To], reached = append(slices.Clone(ways[at]), m.Verb), append(reached, m.To)
			}
		}
	}
	return nil, false
}

// Methods for the templates.

// Domain returns the name of the domain of the values.
func (s *State) Domain(one Name) string { return string(one + "_" + s.Name) }

// Tag returns the struct tag of the field.
func (s *State) Tag() string {
	return fmt.Sprintf("`json:\"%s\" enum:\"%s\"`", s.Name, strings.Join(s.Values, ","))
}

// Ways returns the verbs that lead to each value, as elements of a map in Go.
func (s *State) Ways() (all []string) {
	for _, value := range s.Values {
		way, _ := s.way(func(at string) bool { return at == value })
		all = append(all, fmt.Sprintf("%q: {%s}", value, quoted(way)))
	}
	return all
}

// Next returns the verbs of the transitions from a value, as the elements of a slice in Go; "" if there are none.
func (s *State) Next(value string) string {
	var all []Name
	for _, m := range s.Moves {
		if slices.Contains(m.From, value) {
			all = append(all, m.Verb)
		}
	}
	return quoted(all)
}

// Refuses reports whether a transition is refused in some values.
func (s *State) Refuses() bool { return slices.ContainsFunc(s.Moves, Move.Refused) }

// Past returns the value within a sentence.
func (m Move) Past() string { return Name(m.To).Words() }

// Refused reports whether there are values in which the transition is refused.
func (m Move) Refused() bool { return len(m.From)+1 < len(m.state.Values) }

// Needs returns the values from which the transition leads, in a sentence.
func (m Move) Needs() string {
	var all []string
	for _, from := range m.From {
		all = append(all, Name(from).Words())
	}
	return listed(all, "or")
}

// Condition returns the SQL condition that the record has one of these values; "" if it always is.
func (m Move) Condition() string {
	switch {
	case !m.Refused():
		return ""
	case len(m.From) == 1:
		return fmt.Sprintf(" AND %s = '%s'", m.state.Name, m.From[0])
	default:
		return fmt.Sprintf(" AND %s IN ('%s')", m.state.Name, strings.Join(m.From, "', '"))
	}
}

// Possible returns the values in which the transition succeeds, with spaces between them.
func (m Move) Possible() string { return strings.Join(append(slices.Clone(m.From), m.To), " ") }

// Before returns the verbs that bring a new record into a state before the transition, as the elements of a slice in Go.
func (m Move) Before() string {
	way, _ := m.before()
	return quoted(way)
}

func (m Move) before() (way []Name, at string) {
	way, _ = m.state.way(func(value string) bool {
		if slices.Contains(m.From, value) {
			at = value
			return true
		}
		return false
	})
	return way, at
}

// Undo returns the verb of the opposite transition; "" if there is none.
func (m Move) Undo() Name {
	_, at := m.before()
	for _, other := range m.state.Moves {
		if other.To == at && slices.Contains(other.From, m.To) {
			return other.Verb
		}
	}
	return ""
}

// After returns the verbs that bring a new record into a value in which the transition is refused, as the elements of a slice in Go.
func (m Move) After() string {
	way, _ := m.state.way(func(value string) bool { return value != m.To && !slices.Contains(m.From, value) })
	return quoted(way)
}

func quoted(names []Name) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}

func (r *Resource) setState(f Field) (err error) {
	switch {
	case r.State != nil:
		return errors.New("a resource has one state: make the other one a choice(a|b|c)")
	case f.Optional || f.Unique || f.Alike || f.Default != "":
		return fmt.Errorf("the field %s is a state, which begins with its first value and has no marks: leave them out", f.Name)
	}
	r.State, err = newState(f.Name, f.of)
	return err
}
