package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
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
	One  string // "customer"
	Many string // "customers", whose address is /customers
	// Tab is the text of its tab, if other resources have tabs beside it (see [Site.Within]); "" for Many.
	Tab   string
	Table record.Table[R]
	// Name returns what people call one of them.
	Name  func(R) string
	Rules []conflict.Rule
	// AsksPeople are the conflicts that only people get.
	AsksPeople []*conflict.Kind
	// View returns what the API shows of one; nil for R itself.
	View func(R) any
	// ShownAt returns the address of the page that shows one; nil if that is its own address.
	ShownAt func(R) string
	// Singleton is set where a tenant has exactly one, which has the tenant's id: the settings, at /settings. It comes into being
	// with the tenant, so it is neither listed nor created.
	Singleton bool
}

// Mounted is a resource at its address in a server.
type Mounted[R Entity] struct {
	Resource[R]

	s     *Server
	pages router
	api   router
	hooks router
	reg   *registration
	form  Form[R]
	shown RecordPage[R]
	// transitions are those that were registered, in that order: each verb, and the participle of what is done to the record.
	transitions [][2]string
	// questions are asked before some of them, by their verbs.
	questions map[string]*question[R]
	// secret is set where pages about one may show a secret, which nobody may keep.
	secret bool
	// redisplays is set if [Redisplay] shows its form again.
	redisplays bool
	// parentExists returns an error unless the record exists that the path of a new one names; nil for those below no other.
	parentExists func(*http.Request) error
}

// registration is what the server knows of a resource without its type.
type registration struct {
	one, many string
	tab       string // see [Resource]
	// under is the resource that each of them belongs to, such as "invoices": they are listed and created at
	// /invoices/{id}/payments. It is "" for most.
	under string
	// section is the resource in whose place of the navigation they are, such as "settings"; "" for a place of their own.
	section string
	// owners is set for what only owners see.
	owners bool
	// createdAt is where one is created, if that is not where they are listed: "/invoices/{id}/send".
	createdAt  string
	facts      func(url.Values) []templates.Fact
	rules      []conflict.Rule
	conflicts  []*conflict.Kind
	endpoints  []apidoc.Endpoint
	shows      reflect.Type // what the API shows of one
	operations []Operation
	words      map[string]Wording // by the names of the operations
	// messages are what a page shows once after a redirect, by the names that setFlash takes. They have %s where
	// the record's name belongs.
	messages map[string]string
}

// Operation is an operation that a route carries out, for tests that look at all of them.
type Operation struct {
	Name      string
	Kind      idempotency.Kind
	Table     string
	Explained []string // constraints
	Retain    time.Duration
	Deletes   bool
	// Alike is a sentence about when what it creates looks like a repeat, "" if nothing does.
	Alike string
	// Own is set for what neither a form nor the API asks for, see [Own] and [Receive].
	Own bool
}

// Mount puts a resource at its address.
func (res Resource[R]) Mount(s *Site) *Mounted[R] {
	return mount(s, res, &registration{section: s.section, owners: s.owners})
}

// Under mounts a resource each of which belongs to one of another: they are listed and created below that one's address, such
// as /invoices/{id}/payments.
func Under[P, R Entity](parent *Mounted[P], s *Site, res Resource[R]) *Mounted[R] {
	m := mount(s, res, &registration{under: parent.Many})
	m.parentExists = parent.exists
	return m
}

// CreatedUnder mounts a resource that is listed by itself, and created from one of another: /invoices/{id}/send for verb "send".
func CreatedUnder[P, R Entity](parent *Mounted[P], verb string, s *Site, res Resource[R]) *Mounted[R] {
	m := mount(s, res, &registration{createdAt: parent.recordPath() + "/" + verb, section: s.section})
	m.parentExists = parent.exists
	return m
}

func mount[R Entity](s *Site, res Resource[R], reg *registration) *Mounted[R] {
	reg.one, reg.many, reg.rules, reg.conflicts = res.One, res.Many, res.Rules, res.AsksPeople
	reg.tab = cmp.Or(res.Tab, sectionTitle(res.Many))
	reg.messages, reg.words = map[string]string{}, map[string]Wording{}
	for _, rule := range res.Rules {
		if rule.Conflict != nil {
			reg.conflicts = append(reg.conflicts, rule.Conflict)
		}
	}
	s.resources = append(s.resources, reg)
	m := &Mounted[R]{Resource: res, s: s.Server, pages: s.pages, api: s.api, hooks: s.hooks, reg: reg, secret: s.secret}
	m.questions = map[string]*question[R]{}
	m.pages.reg, m.api.reg, m.hooks.reg = reg, reg, reg
	reg.shows, reg.facts = reflect.TypeOf(m.view(*new(R))), m.facts
	return m
}

// collectionPath is the address of all of them.
func (m *Mounted[R]) collectionPath() string { return "/" + m.Many }

// listPath is the address of those that are listed together: of all of them, or of those that belong to one other.
func (m *Mounted[R]) listPath() string {
	if m.reg.under == "" {
		return m.collectionPath()
	}
	return "/" + m.reg.under + "/{id}" + m.collectionPath()
}

// recordPath is the address of one: of the record that the path names, or of the only one.
func (m *Mounted[R]) recordPath() string {
	if m.Singleton {
		return m.collectionPath()
	}
	return m.collectionPath() + "/{id}"
}

// createPath is the address where one is created.
func (m *Mounted[R]) createPath() string {
	if m.reg.createdAt != "" {
		return m.reg.createdAt
	}
	return m.listPath()
}

// createURL is createPath for the record that a request is about.
func (m *Mounted[R]) createURL(r *http.Request) string {
	return strings.ReplaceAll(m.createPath(), "{id}", chi.URLParam(r, "id"))
}

// pageURL is the address of the page that shows one.
func (m *Mounted[R]) pageURL(found R) string {
	if m.ShownAt != nil {
		return m.ShownAt(found)
	}
	id, _ := found.Identity()
	return m.URL(id)
}

// URL is the address of one.
func (m *Mounted[R]) URL(id uuid.UUID) string {
	return strings.ReplaceAll(m.recordPath(), "{id}", id.String())
}

// id is that of the record that a request is about, or an error.
func (m *Mounted[R]) id(r *http.Request) (uuid.UUID, error) {
	if m.Singleton {
		return Principal(r).Tenant, nil
	}
	return PathID(r)
}

// Find returns the record that a request is about, or an error.
func (m *Mounted[R]) Find(r *http.Request) (R, error) {
	id, err := m.id(r)
	if err != nil {
		var none R
		return none, err
	}
	return m.Table.Find(r.Context(), m.s.Pool, Principal(r).Tenant, id)
}

func (m *Mounted[R]) exists(r *http.Request) error {
	_, err := m.Find(r)
	return err
}

// namedExists returns an error unless the record exists that the path of an operation names, if it names one: the one that is
// changed, or the one that a new one belongs to.
func (m *Mounted[R]) namedExists(r *http.Request, kind idempotency.Kind) error {
	switch {
	case kind.Changes():
		return m.exists(r)
	case m.parentExists != nil:
		return m.parentExists(r)
	default:
		return nil
	}
}

// isMissing reports whether there is no such record, which is said whatever else is wrong.
func isMissing(err error) bool {
	return errors.Is(err, record.ErrNotFound) || errors.Is(err, ErrNotFound)
}

// existing is a record that pages name and link.
func (m *Mounted[R]) existing(r *http.Request, id uuid.UUID) (templates.Record, error) {
	found, err := m.Table.Find(r.Context(), m.s.Pool, Principal(r).Tenant, id)
	if err != nil {
		return templates.Record{}, err
	}
	return templates.Record{Name: m.Name(found), Href: m.pageURL(found)}, nil
}

// view is what the API shows of a record.
func (m *Mounted[R]) view(found R) any {
	if m.View == nil {
		return found
	}
	return m.View(found)
}

// resourceOf is the resource that the route of a request belongs to; nil if it belongs to none.
func (s *Server) resourceOf(r *http.Request) *registration {
	route := chi.RouteContext(r.Context())
	if route == nil {
		return nil
	}
	return s.byPattern[route.RoutePattern()]
}

// resourceNamed is the resource with an address; nil if there is none.
func (s *Server) resourceNamed(many string) *registration {
	for _, reg := range s.resources {
		if reg.many == many {
			return reg
		}
	}
	return nil
}

// above is the resource that one belongs to in the end: invoices for refunds, which belong to payments, and settings for
// users. It is the resource itself if it belongs to none.
func (s *Server) above(reg *registration) *registration {
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
