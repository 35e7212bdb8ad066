package templates

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// FieldError is the error of a form control, in words for people.
type FieldError struct {
	// Control is the id of the control: its field name, unless several controls have that name.
	Control string
	// Message is one sentence, such as "Enter a due date".
	Message string
	// Place distinguishes controls with the same name, such as "Line 2".
	Place string
	// Readings are the two values that the control's text can mean; blank for others.
	Readings [2]string
}

// FieldErrors are the errors of a form, in the order of the page.
type FieldErrors []FieldError

// Of returns the first message for a control, or "".
func (errs FieldErrors) Of(control string) string { return errs.first(control).Message }

// first returns the first error of a control, or the zero value.
func (errs FieldErrors) first(control string) FieldError {
	for _, e := range errs {
		if e.Control == control {
			return e
		}
	}
	return FieldError{}
}

// ReadingField is the name of the buttons that choose a reading of an ambiguous number: the id of the control, a space, and the number.
const ReadingField = "reading"

// Input describes one labelled control; ID is also its error's Control.
type Input struct {
	ID           string
	Name         string // the ID when empty
	Label        string
	Type         string // "text" when empty
	Value        string
	Placeholder  string
	Hint         string
	HintNumber   string // ends the hint, on one line
	Error        string
	Readings     [2]string // that the text can mean, as buttons; blank for others
	Mode         string    // inputmode
	Autocomplete string    // "off" when empty, because most fields are about other people
	Focus        bool
}

func (in Input) name() string {
	if in.Name == "" {
		return in.ID
	}
	return in.Name
}

func (in Input) attributes() templ.Attributes {
	attrs := DescribedBy(in.ID, in.Hint, in.Error)
	attrs["type"] = cmp.Or(in.Type, "text")
	attrs["autocomplete"] = cmp.Or(in.Autocomplete, "off")
	if in.Placeholder != "" {
		attrs["placeholder"] = in.Placeholder
	}
	if attrs["type"] == "text" {
		attrs["dir"] = "auto" // the text may be Arabic or Hebrew
	}
	if in.Mode != "" {
		attrs["inputmode"] = in.Mode
	}
	return attrs
}

// DescribedBy returns the attributes that link a control to its hint and its error message, as shown by [FieldNotes].
func DescribedBy(id, hint, err string) templ.Attributes {
	attrs := templ.Attributes{}
	switch {
	case hint != "" && err != "":
		attrs["aria-describedby"] = id + "-error " + id + "-hint"
	case err != "":
		attrs["aria-describedby"] = id + "-error"
	case hint != "":
		attrs["aria-describedby"] = id + "-hint"
	}
	if err != "" {
		attrs["aria-invalid"] = "true"
	}
	return attrs
}

// again returns the hint of a control for a file. After the file was sent, it asks for it again, unless the error is about it.
func (in Input) again() string {
	if in.Value == "" || in.Error != "" {
		return in.Hint
	}
	return strings.TrimSpace("You chose " + in.Value + ". Choose it again. " + in.Hint)
}

// options returns the known options, and the value that was sent even if it is not one.
func (in Input) options(known []Option) []Option {
	if in.Value == "" || slices.ContainsFunc(known, func(o Option) bool { return o.Value == in.Value }) {
		return known
	}
	return append(slices.Clip(known), Option{Value: in.Value, Text: in.Value})
}

// Option is one choice of a select.
type Option struct {
	Value string
	Text  string
}

// YesNo returns "Yes" or "No".
func YesNo(yes bool) string {
	if yes {
		return "Yes"
	}
	return "No"
}

// DateType returns the type of a control with a date. A value that is no date is shown as text, because a date control would drop it.
func DateType(value string) string { return typeFor(value, "date", time.DateOnly) }

// typeFor returns a type of controls for a value in one of its layouts, or a blank one, and "text" for any other value.
func typeFor(value, kind string, layouts ...string) string {
	for _, layout := range layouts {
		if _, err := time.Parse(layout, value); err == nil || value == "" {
			return kind
		}
	}
	return "text"
}

// afterTag guards a leading line break: HTML drops the first one after the tag.
func afterTag(text string) string { return "\n" + text }
