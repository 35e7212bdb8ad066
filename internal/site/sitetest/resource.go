package sitetest

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
)

// Resource declares a resource for the tests: the facts that the server's routes, operations and tables don't show. Commands are
// forms with the values that a person enters.
type Resource struct {
	Name    string // in the singular, as on pages
	Path    string // of the list
	Words   Words
	Parent  *Parent // the resource that each record belongs to; nil if there is none
	ShownAt string  // where the page of another resource shows a record, which has the same id; "" for the address in the list
	People  bool    // whether it is available on pages only, without an API
	Owners  bool    // whether only owners see its pages, and only tokens whose scope names it use its API
	// Strangers is set if people without a login create it, who belong to a tenant with an id only.
	Strangers bool
	Only      bool // whether a tenant always has exactly one, at path: the command is its first change
	// arrives delivers a record that only external programs send; nil for the others.
	Arrives func(b *Bundle, of Tenant, key string, command url.Values) Answer
	Command url.Values // creates the first record
	Label   string     // the label of the first record
	Leaves  Rows       // the rows that creating it adds
	Other   url.Values // creates another record, without a common unique value
	// Refers are the records that its commands reference.
	Refers []Reference
	// Fields are all fields of the form that a person fills in.
	Fields []Field
	// Uniques are the unique fields. A rule over several fields is declared by a field that is no reference, and the
	// commands agree in the others.
	Uniques     []Unique
	Repeats     Repeats
	Edited      Edited // changes the first record, if it can be changed
	Transitions []Transition
	Filters     []string // parameters of the list, such as "status=open"
	// OfCustomer has what becomes of texts when the customer is erased that a record refers to, by "table.column": Erased, or why
	// they are kept. See docs/gdpr.md.
	OfCustomer map[string]string
	API        API
}

// Words are the words of a resource on its pages.
type Words struct {
	Verb   string // of the button that creates a record, such as "create"; the participle is past
	Past   string // such as "created"
	Button string // that creates a record; "" for the verb and the name
	Told   string // the message after creating it; "" for the name, the label and the participle
	Found  string // the message after finding it in place of creating it; "" for the usual one
}

// Parent is the resource that another one belongs to. Its address has the list of the others, and its page shows them, unless
// they have pages.
type Parent struct {
	Resource

	At      string   // the last part of the address of the others' list, if that is not their path
	OwnPage bool     // whether the others have pages
	Ready   []string // the verbs that bring a new one into the state in which it can have others
	Unlike  string   // a unique field of its command; "" for none
	ID      string   // the current record; see placed
}

// Reference is a record that commands reference, created from the other command of its resource.
type Reference struct {
	Resource

	As    string   // its id; "" for referred
	Ready []string // the verbs that bring a new one into the state in which it can be referenced
}

// Repeats are commands about a record that exists.
type Repeats struct {
	// Reused finds the first record by its natural key, if there is one.
	Reused url.Values
	// Alike are two commands: the second is a likely repeat of the first; nil if the resource has no likely repeats.
	Alike []url.Values
}

// Edited is a command that changes the first record, and the label of the record afterwards.
type Edited struct {
	Command url.Values
	Label   string
}

// API encodes a command for the API, and has the type into which the server decodes it; none for people.
type API struct {
	Encode func(url.Values) string
	Input  any
}

// List returns the address of the list: below the parent, if there is one.
func (r Resource) List() string {
	if r.Parent == nil {
		return r.Path
	}
	return r.Parent.Path + "/" + cmp.Or(r.Parent.ID, "{id}") + cmp.Or(r.Parent.At, r.Path)
}

// PageOf returns the address of the page that shows a record.
func (r Resource) PageOf(id string) string {
	if r.ShownAt != "" {
		return r.ShownAt + "/" + id
	}
	if r.onParentsPage() {
		return r.Parent.PageOf(r.Parent.ID)
	}
	return r.RecordAt(id)
}

// onParentsPage reports whether the page of the parent, which has the parent's name, shows a record.
func (r Resource) onParentsPage() bool { return r.Parent != nil && !r.Parent.OwnPage }

// RecordAt returns the address of a record.
func (r Resource) RecordAt(id string) string {
	if r.Only {
		return r.Path
	}
	return r.Path + "/" + id
}

// formAt returns the address of the form of its command.
func (r Resource) formAt() string {
	if r.Only {
		return r.Path + "/edit"
	}
	return r.List() + "/new"
}

// unplaced returns the resource without its parents' ids.
func (r Resource) unplaced() Resource {
	if r.Parent != nil {
		parent := *r.Parent
		parent.Resource, parent.ID = parent.unplaced(), ""
		r.Parent = &parent
	}
	return r
}

// Field is a field of a form.
type Field struct {
	Name  string
	Valid string // a value other than the command's
	// With has names and values of other fields, without which that value is refused.
	With []string
	// Invalid is a refused value, with the JSON Pointer of its error; "" if every value is valid.
	Invalid, Pointer string
}

// Unique is a field with a unique value.
type Unique struct {
	Field  string // "" if the parent has one such record
	Value  string // a taken value; for an operation that creates, another one than the command's
	Free   string // a free value
	Slug   string // slug of the conflict
	Global bool   // whether it is unique over all tenants
}

// Transition brings a record into another state.
type Transition struct {
	Verb, Past string // "archive", "archived"
	// From are the verbs that bring a new record into the state before the transition.
	From []string
	// Leaves are the rows that it adds besides its intent.
	Leaves Rows
	// Undo is the verb of the opposite transition; "" if there is none.
	Undo string
	// Refused is a state in which it isn't possible; zero if there is none.
	Refused Refusal
	// Command returns the form for a record; nil for a button. It leads to the address LeadsTo, and its page has the text Told.
	Command       func(b *Bundle, id string) url.Values
	LeadsTo, Told string
}

// Refusal is a conflict of a transition with the state of a record.
type Refusal struct {
	After []string // the verbs that bring a new record into the state
	Slug  string   // of the conflict
}

// of returns the command for a tenant other than acme.
func (r Resource) of(other Tenant, command url.Values) url.Values {
	for _, u := range r.Uniques {
		if u.Global && command.Has(u.Field) {
			command = Change(command, u.Field, strings.ToLower(other.Name)+"-"+command.Get(u.Field))
		}
	}
	return command
}

// another returns a command that differs in this field.
func (f Field) another(of Resource, command url.Values) url.Values {
	value := f.Valid
	if command.Get(f.Name) == value {
		value = of.Command.Get(f.Name)
	}
	return Change(command, append([]string{f.Name, value}, f.With...)...)
}

// Change returns a copy of a form with the first values of some fields changed.
func Change(form url.Values, namesAndValues ...string) url.Values {
	changed := url.Values{}
	for name, values := range form {
		changed[name] = append([]string(nil), values...)
	}
	for i := 0; i < len(namesAndValues); i += 2 {
		values := append([]string{}, changed[namesAndValues[i]]...)
		if len(values) == 0 {
			values = []string{""}
		}
		values[0] = namesAndValues[i+1]
		changed[namesAndValues[i]] = values
	}
	return changed
}

// Encode returns a value as JSON.
func Encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
