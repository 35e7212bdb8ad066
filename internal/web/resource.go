package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// Entity is a record, which has a [record.Header].
type Entity interface {
	Identity() (id uuid.UUID, version int)
}

// Resource is a kind of record. What can be done with one is attached where it is mounted: [NewForm], [List], [Show],
// [Create], [Change], [Transition], [Download]. Routes, navigation, messages, conflicts and documentation follow from there.
type Resource[R Entity] struct {
	One string // "customer"
	// Path is the address of the list, such as "/customers". Its words, without the slash, name the records in pages and the API.
	Path string
	// Tab is the text of its tab, if other resources have tabs beside it (see [Site.Within]); "" for the words of Path.
	Tab   string
	Table record.Table[R]
	// Name returns the displayed name of a record.
	Name  func(R) string
	Rules []conflict.Rule
	// AsksPeople are the conflicts that only people get.
	AsksPeople []*conflict.Kind
	// View returns the API's representation of a record; nil for R itself.
	View func(R) any
	// Reveal returns a new record with its secret, for the API's answer to the request that created it; nil without one.
	Reveal func(*http.Request, R) R
	// ShownAt returns the address of the page that shows one; nil if that is its own address.
	ShownAt func(R) string
	// Singleton is set where a tenant has exactly one, which has the tenant's id: the settings, at /settings. It comes into being
	// with the tenant, so it is neither listed nor created.
	Singleton bool
}

// Mounted is a resource at its address in a server. It has few methods, because those of a generic type are compiled for every type.
type Mounted[R Entity] struct{ untyped *resource }

// resource is a [Resource] at its address, without the type of its records: what serves it is compiled once for all.
type resource struct {
	s *Server

	one, many string
	tab       string // see [Resource]
	rules     []conflict.Rule
	singleton bool
	name      func(Entity) string
	view      func(Entity) any // the API's representation
	reveal    func(*http.Request, Entity) Entity
	shownAt   func(Entity) string // nil if that is its own address
	decode    func(text []byte) (Entity, error)
	lookup    func(ctx context.Context, tenant, id uuid.UUID) (Entity, error)
	lookupAll func(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Entity, error)

	pages, api, hooks router
	form              Form[Entity]
	shown             RecordPage[Entity]
	// transitions are the registered transitions in their order: the verb and its participle.
	transitions [][2]string
	// questions are the forms before transitions, by verb.
	questions map[string]*question
	// secret is set if pages about a record may show a secret, which caches must not keep.
	secret bool
	// redisplays is set if [Redisplay] shows its form again.
	redisplays bool
	// parentExists returns an error unless the record exists that the path of a new one names; nil for those below no other.
	parentExists func(*http.Request) error

	// under is the parent resource, such as "invoices": records are listed and created at /invoices/{id}/payments. It is "" for most.
	under string
	// section is the resource in whose place of the navigation this one is, such as "settings"; "" for a place in the main navigation.
	section string
	// owners is set for what only owners see, admins for what only admins of the installation see, and strangers for what people without a
	// login create.
	owners, admins, strangers bool
	// createdAt is the address for creates if it is not the list: "/invoices/{id}/send".
	createdAt  string
	conflicts  []*conflict.Kind
	endpoints  []apidoc.Endpoint
	shows      reflect.Type // the API's representation
	operations []Operation
	words      map[string]Wording // by the names of the operations
	// messages are the texts shown once after a redirect, by the names that setFlash takes, with %s for the record's name.
	messages map[string]string
}

// Operation describes a route's operation, for tests that walk all of them.
type Operation struct {
	Name      string
	Kind      idempotency.Kind
	Table     string
	Explained []string // constraints
	Retain    time.Duration
	Deletes   bool
	// Alike is a sentence about likely duplicates; "" if none are detected.
	Alike string
	// Own is set for what neither a form nor the API asks for, see [Own] and [Receive].
	Own bool
}

// Mount puts a resource at its address.
func (res Resource[R]) Mount(s *Site) *Mounted[R] {
	return mount(s, res, resource{section: s.section, owners: s.owners, admins: s.admins, strangers: s.strangers})
}

// Under mounts a resource below another one: its records are listed and created below the parent's address, such as
// /invoices/{id}/payments.
func Under[P, R Entity](parent *Mounted[P], s *Site, res Resource[R]) *Mounted[R] {
	return mount(s, res, resource{under: parent.untyped.many, parentExists: parent.untyped.exists})
}

// CreatedUnder mounts a resource with a list at the top level whose records are created below another one: /invoices/{id}/send for verb
// "send".
func CreatedUnder[P, R Entity](parent *Mounted[P], verb string, s *Site, res Resource[R]) *Mounted[R] {
	of := parent.untyped
	return mount(s, res, resource{createdAt: of.recordPath() + "/" + verb, section: s.section, parentExists: of.exists})
}

func mount[R Entity](s *Site, res Resource[R], m resource) *Mounted[R] {
	m.one, m.many, m.tab, m.rules, m.conflicts = res.One, strings.TrimPrefix(res.Path, "/"), res.Tab, res.Rules, res.AsksPeople
	m.singleton, m.name, m.shownAt = res.Singleton, ofEntity(res.Name), ofEntity(res.ShownAt)
	m.view = func(found Entity) any { return found }
	if res.View != nil {
		m.view = ofEntity(res.View)
	}
	m.reveal = func(_ *http.Request, found Entity) Entity { return found }
	if res.Reveal != nil {
		m.reveal = func(r *http.Request, found Entity) Entity { return res.Reveal(r, as[R](found)) }
	}
	m.decode = func(text []byte) (Entity, error) {
		var found R
		err := json.Unmarshal(text, &found)
		return found, err //nolint:wrapcheck // recordOf leaves it out
	}
	m.lookup = func(ctx context.Context, tenant, id uuid.UUID) (Entity, error) {
		return record.Find(ctx, s.Pool, res.Table, tenant, id)
	}
	m.lookupAll = func(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Entity, error) {
		found, err := record.FindAll(ctx, s.Pool, res.Table, tenant, ids)
		all := map[uuid.UUID]Entity{}
		for _, each := range found {
			id, _ := each.Identity()
			all[id] = each
		}
		return all, err
	}
	m.shows = reflect.TypeOf(m.view(*new(R)))
	return &Mounted[R]{m.mount(s)}
}

// mount adds the resource to those of the server.
func (m resource) mount(s *Site) *resource {
	m.tab = cmp.Or(m.tab, Capital(m.plural()))
	m.messages, m.words, m.questions = map[string]string{}, map[string]Wording{}, map[string]*question{}
	for _, rule := range m.rules {
		if rule.Conflict != nil {
			m.conflicts = append(m.conflicts, rule.Conflict)
		}
	}
	m.s, m.pages, m.api, m.hooks, m.secret = s.Server, s.pages, s.api, s.hooks, s.secret
	m.pages.resource, m.api.resource, m.hooks.resource = &m, &m, &m
	s.resources = append(s.resources, &m)
	return &m
}

// ofEntity returns a function of records without their type, which is R; nil for nil.
func ofEntity[R Entity, T any](f func(R) T) func(Entity) T {
	if f == nil {
		return nil
	}
	return func(found Entity) T { return f(as[R](found)) }
}

// ofEntityIn is [ofEntity] for a function that also has a request.
func ofEntityIn[R Entity, T any](f func(*http.Request, R) T) func(*http.Request, Entity) T {
	if f == nil {
		return nil
	}
	return func(r *http.Request, found Entity) T { return f(r, as[R](found)) }
}

// as returns a value with the type that it is known to have.
func as[T any](value any) T { return value.(T) } //nolint:forcetypeassert // another type is a mistake in the program

// ofType returns a record with its type, R, or the zero value beside an error.
func ofType[R Entity](found Entity, err error) (R, error) {
	is, _ := found.(R)
	return is, err
}

// collectionPath returns the path of all records.
func (m *resource) collectionPath() string { return "/" + m.many }

// listPath returns the path of the list: of all records, or of those of one parent.
func (m *resource) listPath() string {
	if m.under == "" {
		return m.collectionPath()
	}
	return "/" + m.under + "/{id}" + m.collectionPath()
}

// recordPath returns the path of a record, or of the only one.
func (m *resource) recordPath() string {
	if m.singleton {
		return m.collectionPath()
	}
	return m.collectionPath() + "/{id}"
}

// createPath is the address where one is created.
func (m *resource) createPath() string {
	if m.createdAt != "" {
		return m.createdAt
	}
	return m.listPath()
}

// createURL is createPath for the record that a request is about.
func (m *resource) createURL(r *http.Request) string {
	return strings.ReplaceAll(m.createPath(), "{id}", chi.URLParam(r, "id"))
}

// pageURL is the address of the page that shows one.
func (m *resource) pageURL(found Entity) string {
	if m.shownAt != nil {
		return m.shownAt(found)
	}
	id, _ := found.Identity()
	return m.url(id)
}

// URL returns the path of a record.
func (m *Mounted[R]) URL(id uuid.UUID) string { return m.untyped.url(id) }

func (m *resource) url(id uuid.UUID) string {
	return strings.ReplaceAll(m.recordPath(), "{id}", id.String())
}

// id returns the id of the record that a request is about, or an error.
func (m *resource) id(r *http.Request) (uuid.UUID, error) {
	if m.singleton {
		return Principal(r).Tenant, nil
	}
	return PathID(r)
}

// Find returns the record that a request is about, or an error.
func (m *Mounted[R]) Find(r *http.Request) (R, error) { return ofType[R](m.untyped.find(r)) }

func (m *resource) find(r *http.Request) (Entity, error) {
	id, err := m.id(r)
	if err != nil {
		return nil, err
	}
	return m.lookup(r.Context(), Principal(r).Tenant, id)
}

func (m *resource) exists(r *http.Request) error {
	_, err := m.find(r)
	return err
}

// namedExists returns an error unless the record exists that the path of an operation names, if it names one: the one that is
// changed, or the one that a new one belongs to.
func (m *resource) namedExists(r *http.Request, kind idempotency.Kind) error {
	switch {
	case kind.Changes():
		return m.exists(r)
	case m.parentExists != nil:
		return m.parentExists(r)
	default:
		return nil
	}
}

// isMissing reports whether err means that the record does not exist, which takes precedence over other errors.
func isMissing(err error) bool {
	return errors.Is(err, record.ErrNotFound) || errors.Is(err, ErrNotFound)
}

// visible reports whether the caller of a request may see the resource in the navigation.
func (m *resource) visible(r *http.Request) bool {
	who := Principal(r)
	return !m.strangers && (!m.owners || who.Role.May(Owner)) && (!m.admins || who.Admin)
}

// existing is a record that pages name and link.
func (m *resource) existing(r *http.Request, id uuid.UUID) (templates.Record, error) {
	found, err := m.lookup(r.Context(), Principal(r).Tenant, id)
	if err != nil {
		return templates.Record{}, err
	}
	return templates.Record{Name: m.name(found), Href: m.pageURL(found)}, nil
}

// resourceOf is the resource that the route of a request belongs to; nil if it belongs to none.
func (s *Server) resourceOf(r *http.Request) *resource {
	route := chi.RouteContext(r.Context())
	if route == nil {
		return nil
	}
	return s.byPattern[route.RoutePattern()]
}

// resourceNamed is the resource with an address; nil if there is none.
func (s *Server) resourceNamed(many string) *resource {
	for _, reg := range s.resources {
		if reg.many == many {
			return reg
		}
	}
	return nil
}

// above is the resource that one belongs to in the end: invoices for refunds, which belong to payments, and settings for
// users. It is the resource itself if it belongs to none.
func (s *Server) above(reg *resource) *resource {
	for reg != nil && reg.under+reg.section != "" {
		reg = s.resourceNamed(cmp.Or(reg.section, reg.under))
	}
	return reg
}

// below is the record that the address of a page is below: the invoice of /invoices/{id}/payments.
func (s *Server) below(path string) templates.Record {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if reg := s.resourceNamed(parts[0]); reg != nil && len(parts) > 1 {
		return templates.Record{Name: "the " + reg.one, Href: "/" + parts[0] + "/" + parts[1]}
	}
	return templates.Record{Name: "the start page", Href: "/"}
}

// Capital begins a sentence.
func Capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
