package templates

import (
	"strings"
	"time"
)

// Control is a labelled field of a [PlainForm].
type Control struct {
	Name     string
	Label    string
	Optional bool // which the form adds to the label
	Hint     string
	Kind     ControlKind
	Options  []Option // of the kind OneOf
	Accept   string   // of the kind File: the types and extensions of the files
	// Lines is the table of the kind Table.
	Lines LineTable
	// Begins is the value of a new line in the control's column.
	Begins string
}

// ControlKind is the kind of a control.
type ControlKind int

// The kinds of controls.
const (
	Line    ControlKind = iota
	Lines               // a text of several lines
	Email               // an email address
	Website             // a URL
	Phone               // a phone number
	Whole               // a whole number
	Decimal             // a decimal number
	Percent             // a percentage
	Day                 // a date
	Clock               // a time of day
	Moment              // a point in time in UTC
	YesOrNo             // a bool
	OneOf               // one of the options
	Offered             // one of the records that [Form.Offers] has
	File                // a file; it comes last in the form
	Table               // lines, with columns of the other kinds
)

// caption returns the label of the control.
func (c Control) caption() string {
	if c.Optional {
		return c.Label + " (optional)"
	}
	return c.Label
}

// RemoveField returns the name of the checkbox that removes the saved file of a field.
func RemoveField(field string) string { return "remove_" + field }

// removes reports whether the control has that checkbox.
func (c Control) removes(f Form) bool {
	saved, known := f.SavedFiles[c.Name]
	return c.Optional && f.Version != 0 && (saved || !known)
}

// input returns the control with its value.
func (c Control) input(f Form, first bool) Input {
	in := c.typed(f.Input(Input{ID: c.Name, Label: c.caption(), Hint: c.Hint, Focus: f.Focus == c.Name || first && f.Focus == ""}))
	if c.Kind == File && f.Version != 0 {
		in.Hint = "Leave this blank to keep what is saved. " + in.Hint
	}
	return in
}

// typed returns a control with the type for its value.
func (c Control) typed(in Input) Input {
	switch c.Kind {
	case Email:
		in.Type = "email"
	case Website:
		in.Type = "url"
	case Phone:
		in.Type = "tel"
	case Whole:
		in.Mode = "numeric"
	case Decimal, Percent:
		in.Mode = "decimal"
	case Day:
		in.Type = DateType(in.Value)
	case Clock:
		in.Type = typeFor(in.Value, "time", "15:04")
	case Moment:
		if at, err := time.Parse(time.RFC3339, in.Value); err == nil { // a control has no zone
			in.Value = strings.TrimSuffix(at.UTC().Format("2006-01-02T15:04:05"), ":00")
		}
		in.Type = typeFor(in.Value, "datetime-local", "2006-01-02T15:04", "2006-01-02T15:04:05")
	default:
	}
	return in
}
