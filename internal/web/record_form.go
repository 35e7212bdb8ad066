package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/conflict"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// Form is how people enter a record.
type Form[R Entity] struct {
	// Fields are those that a person fills in, each with its label. They have the names of the API. A form that has others
	// says itself what Fill and Facts are.
	Fields []templates.Field
	// Page returns the page with the form of one.
	Page func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error)
	// Readable has, by the names of fields, how people read their values; without one, as they were typed.
	Readable map[string]func(typed string) string
	// References are the fields that have the id of another record, such as customer_id. What they offer stands in the
	// form; the record has each as a [record.Reference], without the _id.
	References map[string]record.Names
	// Fill returns what stands in the form of one that is there; nil for what the API shows of each field.
	Fill func(R) url.Values
	// Facts returns what was typed, for reading; nil if each field is one.
	Facts func(typed url.Values) []templates.Fact
	// Control returns the form control for a JSON Pointer; nil if they have the same names.
	Control func(pointer string) string
	// RepeatedFields may come several times.
	RepeatedFields []string
	// Example is what the API may be sent to create one: a value of the type that is decoded.
	Example any
	// Words are those of its creates; nil for the usual ones.
	Words *Wording
	// Final returns why a record cannot be changed any more, or nil if it can. Without it, all can.
	Final func(R) error
	// OnSuccess is called after each success of an operation in a form, the repeated ones too, and OnConflict after each
	// conflict; nil for neither.
	OnSuccess  func(R)
	OnConflict func(*http.Request, *conflict.Error)
}

// Enter attaches a form to a resource whose commands are not made of its fields one by one; else see [NewForm].
func (m *Mounted[R]) Enter(f Form[R]) { m.form = f }

// facts are what was typed into the form, for reading.
func (m *Mounted[R]) facts(typed url.Values) (facts []templates.Fact) {
	if m.form.Facts != nil {
		return m.form.Facts(typed)
	}
	for _, f := range m.form.Fields {
		value := typed.Get(f.Name)
		if read := m.form.Readable[f.Name]; read != nil {
			value = read(value)
		}
		facts = append(facts, templates.Fact{Label: f.Value, Value: value})
	}
	return facts
}

// fill is what stands in the form of a record.
func (m *Mounted[R]) fill(found R) url.Values {
	if m.form.Fill != nil {
		return m.form.Fill(found)
	}
	shown := map[string]json.RawMessage{}
	if text, err := json.Marshal(m.view(found)); err == nil {
		_ = json.Unmarshal(text, &shown) // it is an object, and was just encoded
	}
	typed := url.Values{}
	for _, f := range m.form.Fields {
		typed.Set(f.Name, plain(shown[f.Name]))
	}
	return typed
}

// controlOf is the form control for a place in the command.
func (m *Mounted[R]) controlOf(pointer string) string {
	if m.form.Control != nil {
		return m.form.Control(pointer)
	}
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", "_")
}
