package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// entity is a record, which has a [record.Header].
type entity interface {
	Identity() (id uuid.UUID, version int)
}

// resource is a kind of record with its pages and its part of the API. Its value, and what is registered for it
// by lists, shows, creates, changes, transitions and reads, is all that the server knows of it: routes, navigation,
// messages, conflicts and documentation follow from there.
type resource[R entity] struct {
	one  string // "customer"
	many string // "customers", whose address is /customers
	// only says that a tenant has exactly one of them, which has the tenant's id: the settings, at /settings. It comes
	// into being with the tenant, so it is neither listed nor created.
	only bool
	// under is the resource that each of them belongs to, such as "invoices": they are listed and created at
	// /invoices/{id}/payments. It is "" for most.
	under string
	// section is the resource in whose place of the navigation they are, such as "settings"; "" for a place of their own.
	section string
	// secret says that pages about one may show a secret, which nobody may keep.
	secret bool
	// madeAt is where one is made, if that is not where they are listed: "/invoices/{id}/send".
	madeAt string
	// belongs finds the one that the path of a new one names, or returns an error; nil without under and madeAt.
	belongs func(*http.Request) error
	table   record.Table[R]
	// name is what people call one of them.
	name func(R) string
	// shownAt is the page that shows one, if it is not its own address.
	shownAt func(R) string
	// json is what the API shows of one; R itself if it is nil.
	json func(R) any
	// fields are those of the form that a person fills in, each with its label. They have the names of the API.
	// A form that has others says itself what fill and facts are.
	fields []templates.Field
	// readable has, by the names of fields, how people read their values; without one, as they were typed.
	readable map[string]func(typed string) string
	// form is the page with the form of one.
	form func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error)
	// fill gives what stands in the form of one that is there. Without it, each field has what the API shows.
	fill func(R) url.Values
	// facts says what was typed into the form, for reading. Without it, each field is one.
	facts func(typed url.Values) []templates.Fact
	// refers are the fields of the form that have the id of another record, such as customer_id. What they offer stands in the
	// form; the record has each as a [record.Reference], without the _id.
	refers map[string]record.Names
	// told gives what says, in words, which fields have changed that are in no form. It is asked about the changes
	// of the record from the newest to the oldest. Without it, they are not told.
	told func(R) func(changed) []templates.HistoryChange
	// shown are the facts on its page.
	shown func(R) []templates.Fact
	// detailed is the page of one where that is more than its facts, such as what belongs to it too.
	detailed func(*http.Request, templates.Page, R) (templ.Component, error)
	// archived is when a record was archived, zero if it is not, and archive says in a sentence what that means.
	// Without it, there is no archive.
	archived func(R) time.Time
	archive  string
	// final says why a record cannot be changed any more, or nil if it can. Without it, all can.
	final func(R) error
	// control finds the form control for a JSON Pointer; nil if they have the same names.
	control func(pointer string) string
	// severals are fields that a form may have several times.
	severals []string
	rules    []conflict.Rule
	// words are those of its creates; nil for the usual ones.
	words *wording
	// asked are the conflicts that only people are told of.
	asked []*conflict.Kind
	// did is told of each success of an operation, the repeated ones too, and refused of each conflict; nil if nobody is.
	did     func(R)
	refused func(*http.Request, *conflict.Error)
	// example is what the API may be sent to make one: a value of the type that is decoded.
	example any
}

// mounted is a resource at its address in a server.
type mounted[R entity] struct {
	resource[R]

	s     *Server
	pages router
	api   router
	reg   *registration
}

// registration is what the server knows of a resource without its type.
type registration struct {
	one, many  string
	under      string
	section    string
	madeAt     string
	facts      func(url.Values) []templates.Fact
	severals   []string
	rules      []conflict.Rule
	conflicts  []*conflict.Kind
	endpoints  []endpoint
	shows      reflect.Type // what the API shows of one
	operations []Operation
	words      map[string]wording // by the names of the operations
	// messages are what a page says once after a redirect, by the names that setFlash takes. They have %s where
	// the record's name belongs.
	messages map[string]string
}

// Operation is an operation that a route carries out, for tests that look at all of them.
type Operation struct {
	Name      string
	Kind      idempotency.Kind
	Table     string
	Explained []string // constraints
}

// mount gives a resource its address. One that programs cannot use gets no router for the API.
func mount[R entity](s *Server, pages, api router, res resource[R]) *mounted[R] {
	if res.facts == nil {
		res.facts = res.labelled
	}
	reg := &registration{
		one: res.one, many: res.many, under: res.under, section: res.section, madeAt: res.madeAt, facts: res.facts,
		severals: res.severals, rules: res.rules, conflicts: res.asked, messages: map[string]string{}, words: map[string]wording{},
	}
	for _, rule := range res.rules {
		if rule.Conflict != nil {
			reg.conflicts = append(reg.conflicts, rule.Conflict)
		}
	}
	s.resources = append(s.resources, reg)
	m := &mounted[R]{res, s, pages, api, reg}
	reg.shows = reflect.TypeOf(m.view(*new(R)))
	if m.fill == nil {
		m.fill = m.fillFields
	}
	return m
}

// path is the address of all of them.
func (m *mounted[R]) path() string { return "/" + m.many }

// list is the address of those that are listed together: of all of them, or of those that belong to one other.
func (m *mounted[R]) list() string {
	if m.under == "" {
		return m.path()
	}
	return "/" + m.under + "/{id}" + m.path()
}

// record is the address of one: of the record that the path names, or of the only one.
func (m *mounted[R]) record() string {
	if m.only {
		return m.path()
	}
	return m.path() + "/{id}"
}

// making is the address where one is made.
func (m *mounted[R]) making() string { return cmp.Or(m.madeAt, m.list()) }

// makingFor is making for the record that a request is about.
func (m *mounted[R]) makingFor(r *http.Request) string {
	return strings.ReplaceAll(m.making(), "{id}", chi.URLParam(r, "id"))
}

// page is the address of the page that shows one.
func (m *mounted[R]) page(found R) string {
	if m.shownAt != nil {
		return m.shownAt(found)
	}
	id, _ := found.Identity()
	return m.href(id)
}

// href is the address of one.
func (m *mounted[R]) href(id uuid.UUID) string {
	return strings.ReplaceAll(m.record(), "{id}", id.String())
}

// id is that of the record that a request is about, or an error.
func (m *mounted[R]) id(r *http.Request) (uuid.UUID, error) {
	if m.only {
		return principal(r).Tenant, nil
	}
	return pathID(r)
}

// find gives the record that a request is about, or an error.
func (m *mounted[R]) find(r *http.Request) (R, error) {
	id, err := m.id(r)
	if err != nil {
		var none R
		return none, err
	}
	return m.table.Find(r.Context(), m.s.pool, principal(r).Tenant, id)
}

// named finds the record that the path of an operation names, if it names one: the one that is changed, or the one
// that a new one belongs to.
func (m *mounted[R]) named(r *http.Request, kind idempotency.Kind) (err error) {
	switch {
	case kind.Changes():
		_, err = m.find(r)
	case m.belongs != nil:
		err = m.belongs(r)
	}
	return err
}

// isMissing says whether there is no such record, which is told whatever else is wrong.
func isMissing(err error) bool {
	return errors.Is(err, record.ErrNotFound) || errors.Is(err, errNotFound)
}

// existing is a record that pages name and link.
func (m *mounted[R]) existing(r *http.Request, id uuid.UUID) (templates.Record, error) {
	found, err := m.table.Find(r.Context(), m.s.pool, principal(r).Tenant, id)
	if err != nil {
		return templates.Record{}, err
	}
	return templates.Record{Name: m.name(found), Href: m.page(found)}, nil
}

// recordView is what the pages of records have in common.
func (m *mounted[R]) recordView(r *http.Request, found R) templates.RecordView {
	id, _ := found.Identity()
	v := templates.RecordView{Name: m.name(found), Facts: m.shown(found), Archive: m.archive}
	for _, o := range m.reg.operations {
		if o.Kind == idempotency.Change {
			v.EditHref = m.href(id) + "/edit"
		}
	}
	if m.archived == nil {
		return v
	}
	if at := m.archived(found); !at.IsZero() {
		v.Archived, v.Action = day(at), m.action(r, id, "restore", "Restoring…")
	} else {
		v.Action = m.action(r, id, "archive", "Archiving…")
	}
	return v
}

// view is what the API shows of a record.
func (m *mounted[R]) view(found R) any {
	if m.json == nil {
		return found
	}
	return m.json(found)
}

// fillFields gives each field of the form what the API shows of a record.
func (m *mounted[R]) fillFields(found R) url.Values {
	shown := map[string]json.RawMessage{}
	if text, err := json.Marshal(m.view(found)); err == nil {
		_ = json.Unmarshal(text, &shown) // it is an object, and was just encoded
	}
	typed := url.Values{}
	for _, f := range m.fields {
		typed.Set(f.Name, plain(shown[f.Name]))
	}
	return typed
}

// registered finds the resource that an address belongs to; nil if it belongs to none.
func (s *Server) registered(path string) (found *registration) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, apiPrefix), "/"), "/")
	for _, reg := range s.resources {
		made := strings.Split(reg.madeAt, "/") // "", "invoices", "{id}", "send"
		switch {                               // one that belongs to another comes behind it
		case reg.many == parts[0],
			reg.under == parts[0] && len(parts) > 2 && reg.many == parts[2],
			len(made) > 3 && len(parts) > 2 && made[1] == parts[0] && made[3] == parts[2]:
			found = reg
		}
	}
	return found
}

// above is the resource that one belongs to in the end: invoices for refunds, which belong to payments, and settings for
// users. It is the resource itself if it belongs to none.
func (s *Server) above(reg *registration) *registration {
	for reg != nil && reg.under+reg.section != "" {
		reg = s.registered("/" + reg.under + reg.section)
	}
	return reg
}

// below is the record that the address of a page is below: the invoice of /invoices/{id}/payments.
func (s *Server) below(path string) templates.Record {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for _, reg := range s.resources {
		if reg.many == parts[0] && len(parts) > 1 {
			return templates.Record{Name: "the " + reg.one, Href: "/" + parts[0] + "/" + parts[1]}
		}
	}
	return templates.Record{Name: "the start page", Href: "/"}
}

// labelled are the fields with what was typed into them, under their labels.
func (res resource[R]) labelled(typed url.Values) (facts []templates.Fact) {
	for _, f := range res.fields {
		value := typed.Get(f.Name)
		if read := res.readable[f.Name]; read != nil {
			value = read(value)
		}
		facts = append(facts, templates.Fact{Label: f.Value, Value: value})
	}
	return facts
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
