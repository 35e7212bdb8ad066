package site_test

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// resource is a resource as its tests declare it: what cannot be found out about it by asking the server. Commands
// are forms, as a person fills them in. Routes, operations and tables are those of the server; see subject.
type resource struct {
	name    string  // as people call one
	path    string  // of all of them
	at      string  // where one is made on the address of its parent, if that is not path
	parent  *parent // what each of them belongs to; nil if they stand for themselves
	ownPage bool    // whether one that belongs to another has a page of its own
	shownAt string  // where the page of another resource shows one, which has the same id; "" for where the others say
	// arrives makes one of those that programs outside send, which no form does; nil for the others.
	arrives func(b *bundle, of tenant, key string, command url.Values) answer
	people  bool       // whether only people can use it, on pages: the API has nothing of it
	only    bool       // whether a tenant has exactly one from the beginning, at path: the command is its first change
	verb    string     // of the button that makes one, such as "create"; the participle is past
	past    string     // such as "created"
	button  string     // that makes one; "" for the verb and the name
	told    string     // what a person reads then; "" for the name, the label and the participle
	command url.Values // makes the first one
	label   string     // what that one is called
	leaves  rows       // and what making it leaves behind
	other   url.Values // makes another one, which has nothing unique in common with the first
	// global is a field whose value no two tenants may have in common; "" for none.
	global string
	// refers are the resources of which its commands name one, by the id referred.
	refers []resource
	// as is the id that it is given where others refer to it; "" for referred.
	as string
	// fields are all fields of the form that a person fills in.
	fields []field
	// uniques are the fields that no two of them may have in common. A rule over several fields is declared by one of them that is
	// no reference, and the commands agree in the others.
	uniques []unique
	// reused finds the first one by its natural key, if it can be found that way.
	reused url.Values
	// alike are two commands of which the second looks like a repeat of the first, if any can.
	alike []url.Values
	// edited changes the first one, which is called editedLabel from then on, if it can be changed.
	edited      url.Values
	editedLabel string
	transitions []transition
	// json returns a command as the API takes it, and input is what the server decodes that into; nil for people.
	json  func(url.Values) string
	input any
}

// parent is a resource that others belong to: they are made at an address of it, and shown on its page, unless they have
// one of their own.
type parent struct {
	resource

	ready  []string // the verbs that bring a new one to where others can be made under it
	unlike string   // a field of its command that no two of them may have in common; "" for none
	id     string   // of the one that is tried; see placed
}

// list is where they are listed and made: at the address of the one that they belong to, if there is such.
func (r resource) list() string {
	if r.parent == nil {
		return r.path
	}
	return r.parent.path + "/" + cmp.Or(r.parent.id, "{id}") + cmp.Or(r.at, r.path)
}

// pageOf is the address of the page that shows one.
func (r resource) pageOf(id string) string {
	if r.shownAt != "" {
		return r.shownAt + "/" + id
	}
	if r.parent == nil || r.ownPage {
		return r.recordAt(id)
	}
	return r.parent.pageOf(r.parent.id)
}

// recordAt is the address of one of them.
func (r resource) recordAt(id string) string {
	if r.only {
		return r.path
	}
	return r.path + "/" + id
}

// formAt is where the form of its command is opened.
func (r resource) formAt() string {
	if r.only {
		return r.path + "/edit"
	}
	return r.list() + "/new"
}

// unplaced is a resource whose parents are still to be made.
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
	valid string // another value than that of the resource's command
	// invalid is a value that is refused, with the JSON Pointer of where it is wrong; "" if every value is valid.
	invalid, pointer string
}

// unique is a field with a value that may be taken.
type unique struct {
	field string
	value string // that another one gets; for an operation that creates, one that the command does not have
	free  string // a value that is not taken
	slug  string // of the conflict
}

// transition brings a record into another state.
type transition struct {
	verb, past string // "archive", "archived"
	// from are the verbs that bring a new record to where the transition can be made.
	from []string
	// leaves is what making it leaves behind besides its intent.
	leaves rows
	// undo is the verb of the opposite transition; "" if there is none.
	undo string
}

// declared are all resources, built once: each case asks for them many times, and nothing changes their maps.
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
		customers(), // before the invoices that bill one of them
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
		// A new resource stands above this line.
		settings(),
		users(),
		apiTokens(),
	}
}

// programResources are those that programs can use.
func programResources() []resource {
	return slices.DeleteFunc(resources(), func(of resource) bool { return of.people })
}

// createdResources are those that somebody creates.
func createdResources() []resource {
	return slices.DeleteFunc(resources(), func(of resource) bool { return of.only || of.arrives != nil })
}

// of returns a command of another tenant than acme.
func (r resource) of(other tenant, command url.Values) url.Values {
	if !command.Has(r.global) {
		return command
	}
	return change(command, r.global, strings.ToLower(other.name)+"-"+command.Get(r.global))
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
