package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/web/apidoc"
)

// Handler answers a request or returns an error, which its router turns into an answer.
type Handler func(http.ResponseWriter, *http.Request) error

// infallible returns a handler that does what another one does, and no error.
func infallible(h http.Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

// Repeat is the effect of a repeated request.
type Repeat string

// The ways a route may treat a repeat.
const (
	Read    Repeat = "read"    // no effect
	Once    Repeat = "once"    // the effect of one operation, once for each key
	Natural Repeat = "natural" // the effect is the same state again
)

// Route is a registered route.
type Route struct {
	Method, Path string
	Repeat       Repeat
	// Why names the operation that is carried out once, or the reason why a repeat is natural.
	Why string
	// Needs is the role that may use it; "" for a public route, which needs no login.
	Needs Role
	// Source is the place that registers it, as file:line in the module.
	Source string
}

// Public reports whether a route needs no login.
func (r Route) Public() bool { return r.Needs == "" }

// router is a chi router without the methods that take any handler: a state-changing route without a [Repeat] does not compile. Without a
// mux it registers nothing, as for a resource outside of the API.
type router struct {
	s        *Server
	mux      chi.Router
	fail     func(http.ResponseWriter, *http.Request, error)
	prefix   string // of all paths, in the list of routes
	public   bool
	needs    Role      // of all routes; "" for the default: who is read-only reads, and members do all else
	named    bool      // whether the scope of a token has to name the part of the API
	resource *resource // that the routes belong to; nil for none
}

func (rt router) read(path string, h Handler) { rt.add(http.MethodGet, path, Read, "", h) }

// form registers a form for members. Read-only users don't see it.
func (rt router) form(path string, h Handler) {
	rt.needs = cmp.Or(rt.needs, Member)
	rt.read(path, h)
}

// natural registers a POST whose repeats change nothing more, with the reason.
func (rt router) natural(path, why string, h Handler) {
	rt.add(http.MethodPost, path, Natural, why, h)
}

func (rt router) add(method, path string, repeat Repeat, why string, h Handler) {
	if rt.mux == nil {
		return
	}
	needs, refusal := Role(""), errReadOnly
	switch {
	case rt.public:
	case rt.needs != "":
		needs = rt.needs
	case repeat == Read:
		needs = ReadOnly
	default:
		needs = Member
	}
	if needs == Owner {
		refusal = errNotOwner
	}
	rt.s.Routes = append(rt.s.Routes, Route{method, rt.prefix + path, repeat, why, needs, caller(rt.resource == nil)})
	rt.s.byPattern[rt.prefix+path] = rt.resource
	part := apiPart(rt.prefix + path)
	rt.mux.Method(method, path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch who := Principal(r); {
		case needs == "":
			err = h(w, r)
		case !who.covers(part, rt.named):
			err = errOutOfScope
		case !who.Role.May(needs):
			err = refusal
		default:
			err = h(w, r)
		}
		if err != nil {
			rt.fail(w, r, err)
		}
	}))
}

// operation is an operation, and how its commands are read, without their types: what carries it out is compiled once for all.
type operation struct {
	*idempotency.Definition

	command Command[any]
}

// operationOf returns an operation whose commands are read by c.
func operationOf[C any, R Entity](op idempotency.Operation[C, R], c Command[C]) operation {
	return operation{op.Definition, Command[any]{Form: readAny(c.Form), JSON: readAny(c.JSON), Input: c.Input}}
}

func readAny[C any](read func(*http.Request) (C, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) { return read(r) }
}

// Create registers an operation that creates records, or finds those with the same natural key, once per key: its form at /new, and POST.
// fresh returns the initial form fields; nil leaves them blank. conflicts are added to those of the rules.
func Create[C any, R Entity](
	m *Mounted[R], summary string, op idempotency.Operation[C, R], c Command[C],
	fresh func(*http.Request) (url.Values, error), conflicts ...*conflict.Kind,
) {
	m.untyped.create(summary, operationOf(op, c), fresh, conflicts)
}

func (m *resource) create(
	summary string, op operation, fresh func(*http.Request) (url.Values, error), conflicts []*conflict.Kind,
) {
	if fresh == nil {
		fresh = func(*http.Request) (url.Values, error) { return url.Values{}, nil }
	}
	words := m.creating()
	m.register(op.Definition, words)
	m.documentChange(op, apidoc.Endpoint{
		Method: http.MethodPost, Path: m.createPath(), Summary: summary, Repeats: "replays the first answer",
	}, conflicts)
	m.pages.form(m.createPath()+"/new", m.openNew(words, op.Used, fresh))
	m.pages.operation(http.MethodPost, m.createPath(), op, m.htmlFormat(op, words))
	m.api.operation(http.MethodPost, m.createPath(), op, m.jsonFormat(op))
}

// Change registers an operation that changes a record, once per key and only the version that was seen: its
// form at /{id}/edit, and in the API PUT, which replaces the record, or PATCH.
func Change[C any, R Entity](
	m *Mounted[R], method, summary string, op idempotency.Operation[C, R], c Command[C], conflicts ...*conflict.Kind,
) {
	m.untyped.change(method, summary, operationOf(op, c), conflicts)
}

func (m *resource) change(method, summary string, op operation, conflicts []*conflict.Kind) {
	words := editingWords(m.one)
	m.register(op.Definition, words)
	m.documentChange(op, apidoc.Endpoint{
		Method: method, Path: m.recordPath(), Summary: summary + " If-Match names the version that you have seen.",
		Repeats: "replays the first answer; without a key, 200 if the record is already like that, else 412",
	}, conflicts)
	m.pages.form(m.recordPath()+"/edit", m.openEdit(words, op.Used))
	m.pages.operation(http.MethodPost, m.recordPath()+"/edit", op, m.htmlFormat(op, words))
	m.api.operation(method, m.recordPath(), op, m.jsonFormat(op))
}

// Transition registers an operation that brings a record into a state: POST /{id}/<verb>. past is the verb's
// participle, such as "archived".
func Transition[C any, R Entity](
	m *Mounted[R], verb, past, summary string, op idempotency.Operation[C, R], c Command[C], conflicts ...*conflict.Kind,
) {
	m.untyped.transition(verb, past, summary, operationOf(op, c), conflicts)
}

func (m *resource) transition(verb, past, summary string, op operation, conflicts []*conflict.Kind) {
	words := Wording{
		Title: Capital(verb) + " " + m.one, Did: past, Idle: Capital(past) + " again: nothing changed",
		Changed: Capital(m.one) + " %s " + past + ".", Unchanged: "%s was already " + past + ".",
		Replayed: ignoredRepeat,
	}
	if m.shownAt != nil { // the page has another name
		words.Changed, words.Unchanged = Capital(m.one)+" "+past+".", "This "+m.one+" was already "+past+"."
	}
	m.register(op.Definition, words)
	m.transitions = append(m.transitions, [2]string{verb, past})
	path := m.recordPath() + "/" + verb
	m.documentChange(op, apidoc.Endpoint{
		Method: http.MethodPost, Path: path, Summary: summary, Repeats: "does nothing more",
	}, conflicts)
	m.pages.operation(http.MethodPost, path, op, m.htmlFormat(op, words))
	m.api.operation(http.MethodPost, path, op, m.jsonFormat(op))
}

// operation registers a route that carries out an operation, and nothing else.
func (rt router) operation(method, path string, op operation, f format) {
	rt.add(method, path, Once, op.Name(), operate(rt.s, op.Definition, f))
}

// format is the HTML or JSON representation of one operation.
type format struct {
	// intent reads key, record and version.
	intent func(*http.Request) (idempotency.Intent, error)
	// again sends an answer that respond has kept; nil if it keeps none.
	again func(http.ResponseWriter, []byte) error
	// decode reads the command.
	decode func(*http.Request) (any, error)
	// respond answers a success with the record, the first one and every later one.
	respond func(http.ResponseWriter, *http.Request, Entity, idempotency.Done[any]) error
	// late answers the repeat of an intent whose result has expired, with the id of its record.
	late func(http.ResponseWriter, *http.Request, uuid.UUID) error
	// refuse answers everything else.
	refuse func(http.ResponseWriter, *http.Request, error) error
}

// operate is the handler of every route that carries out an operation: read the intent, decode the command, do
// it once, respond. What was answered before, and is known byte by byte, is answered at once.
func operate(s *Server, op *idempotency.Definition, f format) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		intent, err := f.intent(r)
		intent.Tenant, intent.Actor = Principal(r).Tenant, Principal(r).Name
		if err != nil {
			op.Reject(r.Context(), s.Store, intent, err)
			return f.refuse(w, r, err)
		}
		if answer, ok := op.Again(r.Context(), s.Store, intent); ok {
			return f.again(w, answer)
		}
		command, err := f.decode(r)
		if err != nil {
			op.Reject(r.Context(), s.Store, intent, err)
			return f.refuse(w, r, err)
		}

		done, err := op.Do(r.Context(), s.Store, intent, command)

		if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
			return f.late(w, r, expired.Record)
		}
		if err != nil {
			return f.refuse(w, r, err)
		}
		return f.respond(w, r, as[Entity](done.Value), done)
	}
}

// caller returns the place that registers a route, as file:line in the module: the first caller outside of this package, or with own of
// the router and [Site] only, for the routes of this package.
func caller(own bool) string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	frame, more := frames.Next()
	here := packageOf(frame)
	for ; more; frame, more = frames.Next() {
		file := path.Base(frame.File)
		routes := slices.Contains([]string{"router.go", "site.go"}, file)
		if packageOf(frame) != here || own && !routes {
			module := strings.TrimSuffix(here, "internal/web")
			return strings.TrimPrefix(packageOf(frame), module) + "/" + file + ":" + strconv.Itoa(frame.Line)
		}
	}
	return ""
}

// packageOf returns the import path of a function.
func packageOf(frame runtime.Frame) string {
	dir, name := path.Split(frame.Function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}
