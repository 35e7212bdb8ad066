package templates

import "slices"

// FormUsed answers the opening of a form whose key was used.
type FormUsed struct {
	// Text is what the form has done, such as "This form already created", and Existing to what.
	Text     string
	Existing Record
	// More explains that a form does it once. Again leads to another form, if there is any.
	More  string
	Again Link
}

// Action is a button that brings a record into another state, once per key.
type Action struct {
	Text  string
	Busy  string // what the button says once pressed
	Href  string
	Key   string
	Owner Owner
	// Fields are what the button sends besides.
	Fields []Field
	// Primary is the one next step that most people want.
	Primary bool
	// Asks is set if Href is a page that asks before it, and the button is the way there.
	Asks bool
}

// ways are the links onwards.
func (v FormUsed) ways() []Link {
	if v.Again.Href == "" {
		return []Link{v.Existing.open()}
	}
	return []Link{v.Existing.open(), v.Again}
}

func (a Action) fields() []Field {
	return slices.Concat([]Field{{Name: "idempotency_key", Value: a.Key}}, a.Fields, a.Owner.fields())
}
