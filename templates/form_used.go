package templates

import "slices"

// FormUsed is the answer if a form is opened under a used key.
type FormUsed struct {
	// Text is the beginning of a sentence about the form, such as "This form already created", and Existing the record that ends it.
	Text     string
	Existing Record
	// More explains that a form is used once. Again links to another form, if there is one.
	More  string
	Again Link
}

// Action is a button that carries out a transition, once per key.
type Action struct {
	Text  string
	Busy  string // the text after a click
	Href  string
	Key   string
	Owner Owner
	// Fields are further fields that the button sends.
	Fields []Field
	// Primary is set for the most useful next step.
	Primary bool
	// Asks is set if Href is a page that asks for confirmation. The button is then a link.
	Asks bool
	// Next is set for a button that may come to the place of the one that was pressed. Below a message it
	// takes no click for a second, unless JavaScript is off.
	Next bool
}

// ways returns the links of the page.
func (v FormUsed) ways() []Link {
	if v.Again.Href == "" {
		return []Link{v.Existing.open()}
	}
	return []Link{v.Existing.open(), v.Again}
}

func (a Action) fields() []Field {
	return slices.Concat([]Field{{Name: KeyField, Value: a.Key}}, a.Fields, a.Owner.Fields())
}
