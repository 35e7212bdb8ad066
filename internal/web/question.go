package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/templates"
)

// Question is the page that asks before a transition that cannot be taken back.
type Question[R Entity] struct {
	// Submit is on its main button, such as "Sell vehicle".
	Submit string
	// Page returns the page.
	Page func(*http.Request, templates.Page, templates.Form, R) (templ.Component, error)
	// Fields are the fields of the form, as in [Form].
	Fields []templates.Field
	// Fresh returns the initial fields, or an error if the transition can't be made now; nil leaves them blank.
	Fresh func(*http.Request, R) (url.Values, error)
}

// Ask registers a page that asks before a transition: GET /{id}/<verb> has the form that is posted there. The form has the version on the
// page; if the record has another one, the transition is refused and the page shown again. It panics before [Transition].
func Ask[C any, R Entity](m *Mounted[R], verb string, op idempotency.Operation[C, R], q Question[R]) {
	asks := Question[Entity]{
		Submit: q.Submit, Fields: q.Fields,
		Page: func(r *http.Request, p templates.Page, f templates.Form, found Entity) (templ.Component, error) {
			return q.Page(r, p, f, as[R](found))
		},
	}
	if q.Fresh != nil {
		asks.Fresh = func(r *http.Request, found Entity) (url.Values, error) { return q.Fresh(r, as[R](found)) }
	}
	m.untyped.ask(verb, op.Definition, asks)
}

func (m *resource) ask(verb string, op *idempotency.Definition, q Question[Entity]) {
	words, registered := m.words[op.Name()]
	if !registered {
		panic("web: the question before " + op.Name() + " comes too early: register the transition first")
	}
	words.Submit = q.Submit
	asking := *m
	asking.form = Form[Entity]{Fields: q.Fields, Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
		found, err := m.find(r)
		if err != nil {
			return nil, err
		}
		return q.Page(r, p, f, found)
	}}
	m.questions[verb] = &question{&asking, words}
	m.pages.form(m.recordPath()+"/"+verb, asking.open(op.Kind(), op.Used,
		func(r *http.Request, key idempotency.Key) (f templates.Form, err error) {
			found, err := m.find(r)
			if err != nil {
				return f, err
			}
			f = asking.newForm(r, op.Kind(), words, key)
			_, f.Version = found.Identity()
			if q.Fresh != nil {
				f.Typed, err = q.Fresh(r, found)
			}
			return f, err
		},
		func(_ *http.Request, existing templates.Record) templates.FormUsed {
			return templates.FormUsed{
				Text: "This form already " + words.Did, Existing: existing,
				More: "Nothing more happens, however often you open or send it.",
			}
		}))
}

// question is the form before a transition, and its wording.
type question struct {
	*resource

	words Wording
}

// refuseQuestion shows the form again after an error in its fields, or a change of the record since the page was opened. It returns every
// other refusal.
func (q *question) refuseQuestion(w http.ResponseWriter, r *http.Request, refused error) error {
	key, _ := postedKey(r)
	f := q.newForm(r, idempotency.Transition, q.words, key)
	f.Typed = r.PostForm
	status := http.StatusConflict
	switch {
	case errors.As(refused, new(*invalid.Error)):
		var err error
		if status, err = q.explainRefusal(r, idempotency.Transition, q.words, &f, refused); err != nil {
			return err
		}
	case errors.As(refused, new(*idempotency.StaleError)):
		found, err := q.find(r)
		if err != nil {
			return err
		}
		_, f.Version = found.Identity()
		f.Notice = templates.Conflict(q.name(found)+" was changed since this page was opened.",
			"Nothing was done. Look at it, and decide again.", templates.Record{Name: q.name(found), Href: q.pageURL(found)}, nil)
	default:
		return refused
	}
	page, err := q.formPage(w, r, f)
	if err != nil {
		return err
	}
	return q.s.Render(w, r, status, page)
}

// Asked is the way to the page that asks before a transition, with further fields for its form. It leads nowhere for those who may
// not change anything.
func (m *Mounted[R]) Asked(r *http.Request, id uuid.UUID, verb string, fields url.Values) templates.Action {
	return m.untyped.asked(r, id, verb, fields)
}

func (m *resource) asked(r *http.Request, id uuid.UUID, verb string, fields url.Values) templates.Action {
	href := url.URL{Path: m.url(id) + "/" + verb, RawQuery: fields.Encode()}
	return templates.Action{Text: Capital(verb), Href: FormHref(r, href.String()), Asks: true}
}
