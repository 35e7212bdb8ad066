package web

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/typed"
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

// refuseQuestion shows the form again after an error in its fields, after a change of the record since the page was opened, or if the form
// was used before with other fields. It returns every other refusal.
func (q *question) refuseQuestion(w http.ResponseWriter, r *http.Request, refused error) error {
	key, _ := postedKey(r)
	id, _ := q.id(r)
	first, used := recordOfUsedKey(refused)
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
	case used && first == id:
		existing, err := q.existing(r, id)
		if err != nil {
			return err
		}
		status = http.StatusUnprocessableEntity
		f.Notice = templates.Conflict("This form already "+q.words.Did+" "+existing.Name+".", "Nothing was done this time.", existing, nil)
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
func Asked[R Entity](m *Mounted[R], r *http.Request, id uuid.UUID, verb string, fields url.Values) templates.Action {
	return m.untyped.asked(r, id, verb, fields)
}

func (m *resource) asked(r *http.Request, id uuid.UUID, verb string, fields url.Values) templates.Action {
	href := url.URL{Path: m.url(id) + "/" + verb, RawQuery: fields.Encode()}
	return templates.Action{Text: Capital(verb), Href: FormHref(r, href.String()), Asks: true}
}

// longestMerge is the maximum number of history entries that are read to restore the version a form was opened with.
const longestMerge = 100

// stale merges a concurrent edit into a form, field by field: a field that only the other edit changed takes its saved value, one that only
// this form changed keeps the typed value, and for a field that both changed the user is asked.
func (m *resource) stale(r *http.Request, f *templates.Form) error {
	found, err := m.find(r)
	if err != nil {
		return err
	}
	id, version := found.Identity()
	history, err := m.historyPage(r, id, record.Page{Limit: longestMerge}, "")
	if err != nil {
		return err
	}
	seen, changes, known := m.undo(found, version, f.Version, history.Rows)
	f.Version = version
	f.Meanwhile = m.entries(r, found, changes[:min(len(changes), historyLength)])

	saved := m.fill(found)
	typed := m.withFiles(f.Typed, saved)
	var was url.Values
	if known {
		was = m.fill(seen)
	}
	f.Versions = m.versionsOf(r, saved, f.Typed)
	f.Typed = maps.Clone(f.Typed)
	for _, unit := range m.units(saved) {
		mine, theirs := was == nil || !same(unit, typed, was), was == nil || !same(unit, saved, was)
		switch {
		case same(unit, saved, typed):
			continue
		case mine && theirs:
			m.askWhich(f, unit, saved, typed)
		case theirs:
			m.mark(f, unit, saved, typed, templates.TheyChanged)
			take(f.Typed, unit, saved)
		default:
			m.mark(f, unit, saved, typed, templates.YouChanged)
		}
	}
	f.Notice = templates.Stale(templates.Record{Name: m.name(found), Href: m.pageURL(found)}, f.Versions)
	return nil
}

// undo returns a record at an earlier version, and the changes since, newest first. known is false if the history lacks some of them: not
// every program writes one.
func (m *resource) undo(
	found Entity, version, seen int, history []idempotency.Entry,
) (then Entity, changes []idempotency.Entry, known bool) {
	fields := fieldsOfRecord(found)
	for _, e := range history {
		if version <= seen || e.Versions[1] != version {
			continue
		}
		for name, values := range e.Changes {
			fields[name] = values[0]
		}
		changes, version = append(changes, e), e.Versions[0]
	}
	return m.recordOf(fields), changes, version == seen
}

// units returns the groups of form fields that are merged together: each field alone, and the repeated ones as one group.
func (m *resource) units(filled url.Values) (units [][]string) {
	for _, name := range sortedNames(filled) {
		if !slices.Contains(m.form.RepeatedFields, name) {
			units = append(units, []string{name})
		}
	}
	if len(m.form.RepeatedFields) > 0 {
		units = append(units, m.form.RepeatedFields)
	}
	return units
}

// same reports whether two forms have the same in a unit.
func same(unit []string, a, b url.Values) bool {
	for _, name := range unit {
		if !slices.EqualFunc(a[name], b[name], func(a, b string) bool { return meant(a) == meant(b) }) {
			return false
		}
	}
	return true
}

// meant normalises a field for comparison: browsers send other line ends than are stored, and times without their zone; the name behind a
// chosen id may have changed.
func meant(value string) string {
	value = strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n"))
	if id, _, _ := strings.Cut(value, " "); uuid.Validate(id) == nil {
		return id
	}
	return typed.UTC(value)
}

// take puts what another form has in a unit into a form.
func take(form url.Values, unit []string, from url.Values) {
	for _, name := range unit {
		form[name] = from[name]
	}
}

// mark sets who has changed the rows that differ because of a unit, and returns the first one.
func (m *resource) mark(f *templates.Form, unit []string, saved, typed url.Values, by templates.ChangedBy) (first *templates.VersionRow) {
	other := maps.Clone(saved)
	take(other, unit, typed)
	for _, differs := range versions(m.facts(saved), m.facts(other)) {
		i := slices.IndexFunc(f.Versions, func(row templates.VersionRow) bool { return row.Label == differs.Label })
		if differs.Changed == templates.Same || i < 0 || f.Versions[i].Changed == templates.Same {
			continue // to people it is the same
		}
		if f.Versions[i].Changed = by; first == nil {
			first = &f.Versions[i]
		}
	}
	return first
}

// askWhich offers to keep the saved values of a unit. The form has them, so that the same form sent twice is the same command. A file is
// chosen again or not, so nothing is offered for one.
func (m *resource) askWhich(f *templates.Form, unit []string, saved, typed url.Values) {
	_, isFile := m.form.Files[unit[0]]
	if row := m.mark(f, unit, saved, typed, templates.BothChanged); row != nil && !isFile {
		row.Keep = unit[0]
		for _, name := range unit {
			for _, value := range saved[name] {
				f.Saved = append(f.Saved, templates.Field{Name: savedField + name, Value: value})
			}
		}
	}
}

// savedField begins the names of the fields with saved values.
const savedField = "saved."

// keepChosen replaces typed values by saved ones where the user chose them.
func (m *resource) keepChosen(form url.Values) {
	saved := url.Values{}
	for name, values := range form {
		if of, is := strings.CutPrefix(name, savedField); is {
			saved[of] = values
			delete(form, name)
		}
	}
	for _, unit := range m.units(saved) {
		if slices.Contains(form[templates.KeepSavedField], unit[0]) {
			take(form, unit, saved)
		}
	}
	delete(form, templates.KeepSavedField)
}
