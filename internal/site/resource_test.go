package site_test

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// resource declares a resource for the tests: the facts that the server's routes, operations and tables don't show. Commands are
// forms with the values that a person enters.
type resource struct {
	name    string // in the singular, as on pages
	path    string // of the list
	words   words
	parent  *parent // the resource that each record belongs to; nil if there is none
	shownAt string  // where the page of another resource shows a record, which has the same id; "" for the address in the list
	people  bool    // whether it is available on pages only, without an API
	only    bool    // whether a tenant always has exactly one, at path: the command is its first change
	// arrives delivers a record that only external programs send; nil for the others.
	arrives func(b *bundle, of tenant, key string, command url.Values) answer
	command url.Values // creates the first record
	label   string     // the label of the first record
	leaves  rows       // the rows that creating it adds
	other   url.Values // creates another record, without a common unique value
	// refers are the records that its commands reference.
	refers []reference
	// fields are all fields of the form that a person fills in.
	fields []field
	// uniques are the unique fields. A rule over several fields is declared by a field that is no reference, and the
	// commands agree in the others.
	uniques     []unique
	repeats     repeats
	edited      edited // changes the first record, if it can be changed
	transitions []transition
	api         api
}

// words are the words of a resource on its pages.
type words struct {
	verb   string // of the button that creates a record, such as "create"; the participle is past
	past   string // such as "created"
	button string // that creates a record; "" for the verb and the name
	told   string // the message after creating it; "" for the name, the label and the participle
}

// parent is the resource that another one belongs to. Its address has the list of the others, and its page shows them, unless
// they have pages.
type parent struct {
	resource

	at      string   // the last part of the address of the others' list, if that is not their path
	ownPage bool     // whether the others have pages
	ready   []string // the verbs that bring a new one into the state in which it can have others
	unlike  string   // a unique field of its command; "" for none
	id      string   // the current record; see placed
}

// reference is a record that commands reference, created from the other command of its resource.
type reference struct {
	resource

	as string // its id; "" for referred
}

// repeats are commands about a record that exists.
type repeats struct {
	// reused finds the first record by its natural key, if there is one.
	reused url.Values
	// alike are two commands: the second is a likely repeat of the first; nil if the resource has no likely repeats.
	alike []url.Values
}

// edited is a command that changes the first record, and the label of the record afterwards.
type edited struct {
	command url.Values
	label   string
}

// api encodes a command for the API, and has the type into which the server decodes it; none for people.
type api struct {
	encode func(url.Values) string
	input  any
}

// list returns the address of the list: below the parent, if there is one.
func (r resource) list() string {
	if r.parent == nil {
		return r.path
	}
	return r.parent.path + "/" + cmp.Or(r.parent.id, "{id}") + cmp.Or(r.parent.at, r.path)
}

// pageOf returns the address of the page that shows a record.
func (r resource) pageOf(id string) string {
	if r.shownAt != "" {
		return r.shownAt + "/" + id
	}
	if r.parent == nil || r.parent.ownPage {
		return r.recordAt(id)
	}
	return r.parent.pageOf(r.parent.id)
}

// recordAt returns the address of a record.
func (r resource) recordAt(id string) string {
	if r.only {
		return r.path
	}
	return r.path + "/" + id
}

// formAt returns the address of the form of its command.
func (r resource) formAt() string {
	if r.only {
		return r.path + "/edit"
	}
	return r.list() + "/new"
}

// unplaced returns the resource without its parents' ids.
func (r resource) unplaced() resource {
	if r.parent != nil {
		parent := *r.parent
		parent.resource, parent.id = parent.unplaced(), ""
		r.parent = &parent
	}
	return r
}

// field is a field of a form.
type field struct {
	name  string
	valid string // a value other than the command's
	// invalid is a refused value, with the JSON Pointer of its error; "" if every value is valid.
	invalid, pointer string
}

// unique is a field with a unique value.
type unique struct {
	field  string
	value  string // a taken value; for an operation that creates, another one than the command's
	free   string // a free value
	slug   string // slug of the conflict
	global bool   // whether it is unique over all tenants
}

// transition brings a record into another state.
type transition struct {
	verb, past string // "archive", "archived"
	// from are the verbs that bring a new record into the state before the transition.
	from []string
	// leaves are the rows that it adds besides its intent.
	leaves rows
	// undo is the verb of the opposite transition; "" if there is none.
	undo string
}

// declared holds all resources. They are built once, because each case reads them many times, and nothing changes their maps.
var declared struct {
	sync.Once

	all []resource
}

func resources() []resource {
	declared.Do(func() { declared.all = declare() })
	return slices.Clone(declared.all)
}

func declare() []resource {
	return []resource{
		customers(), // before the invoices that reference them
		invoices(),
		payments(),
		refunds(),
		creditNotes(),
		mails(),
		schedules(),
		periods(),
		webhookSources(),
		webhookSecrets(),
		webhookEvents(),
		merges(),
		distinctions(),
		invoiceDistinctions(),
		nextNumbers(),
		// New resources are added above this line.
		settings(),
		users(),
		apiTokens(),
	}
}

// programResources returns the resources with an API.
func programResources() []resource {
	return slices.DeleteFunc(resources(), func(of resource) bool { return of.people })
}

// createdResources returns the resources that a client can create.
func createdResources() []resource {
	return slices.DeleteFunc(resources(), func(of resource) bool { return of.only || of.arrives != nil })
}

// of returns the command for a tenant other than acme.
func (r resource) of(other tenant, command url.Values) url.Values {
	for _, u := range r.uniques {
		if u.global && command.Has(u.field) {
			command = change(command, u.field, strings.ToLower(other.name)+"-"+command.Get(u.field))
		}
	}
	return command
}

// another returns a command that differs in this field.
func (f field) another(of resource, command url.Values) url.Values {
	value := f.valid
	if command.Get(f.name) == value {
		value = of.command.Get(f.name)
	}
	return change(command, f.name, value)
}

// change returns a copy of a form with the first values of some fields changed.
func change(form url.Values, namesAndValues ...string) url.Values {
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

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// plainResources returns the resources whose records tenancy tests create.
func plainResources() []resource {
	return slices.DeleteFunc(resources(), func(of resource) bool { return !of.isPlain() || of.name == "invoice" || of.name == "customer" })
}
