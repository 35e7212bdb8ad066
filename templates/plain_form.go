package templates

// Control is a labelled field of a [PlainForm].
type Control struct {
	Name     string
	Label    string
	Optional bool // which the form adds to the label
	Hint     string
	Kind     ControlKind
	Options  []Option // of the kind OneOf
}

// ControlKind is the kind of a control.
type ControlKind int

// The kinds of controls.
const (
	Line    ControlKind = iota
	Lines               // a text of several lines
	Whole               // a whole number
	Decimal             // a decimal number
	Day                 // a date
	YesOrNo             // a bool
	OneOf               // one of the options
	Offered             // one of the records that [Form.Offers] has
)

// input returns the control without its value.
func (c Control) input(f Form, first bool) Input {
	mode := map[ControlKind]string{Whole: "numeric", Decimal: "decimal"}[c.Kind]
	in := Input{ID: c.Name, Label: c.Label, Hint: c.Hint, Mode: mode, Focus: first}
	if c.Optional {
		in.Label += " (optional)"
	}
	if c.Kind == Day {
		in.Type = DateType(f.Typed.Get(c.Name))
	}
	return in
}
