package web

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/templates"
)

// htmlFormat is an operation as a form.
func (m *resource) htmlFormat(op operation, words Wording) format {
	refuseForm := m.refuseForm(op.Kind(), words)
	show := func(w http.ResponseWriter, r *http.Request, found Entity, outcome idempotency.Outcome) error {
		if !m.strangers { // the outcome would reveal the requests of others
			m.s.SetFlash(w, m.pageURL(found), flash(op.Name(), outcome), r.PostForm.Get(templates.KeyField))
		}
		return m.s.SeeOther(w, r, m.pageURL(found))
	}
	return format{
		intent: func(r *http.Request) (intent idempotency.Intent, err error) {
			intent.Key, err = formKey(r)
			intent.AsksAboutRepeat = !allowsRepeat(r.PostForm)
			if err != nil || !op.Kind().Changes() {
				return intent, err
			}
			if intent.Record, err = m.id(r); err != nil {
				return intent, err
			}
			intent.Seen, err = formVersion(r)
			return intent, err
		},
		decode: func(r *http.Request) (any, error) {
			m.keepChosen(r.PostForm)
			applyReading(r.PostForm)
			if err := eachOnce(r.PostForm, m.form.RepeatedFields); err != nil {
				return nil, err
			}
			return op.command.Form(r)
		},
		respond: func(w http.ResponseWriter, r *http.Request, found Entity, done idempotency.Done[any]) error {
			if m.form.OnSuccess != nil {
				m.form.OnSuccess(found)
			}
			outcome := done.Outcome
			if done.Replayed && outcome != idempotency.Reused {
				outcome = idempotency.Replayed
			}
			return show(w, r, found, outcome)
		},
		late: func(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
			if op.Kind() == idempotency.Create {
				return refuseForm(w, r, &idempotency.AlreadyDoneError{Record: id})
			}
			found, err := m.lookup(r.Context(), Principal(r).Tenant, id)
			if err != nil {
				return err
			}
			return show(w, r, found, idempotency.Replayed)
		},
		refuse: refuseForm,
	}
}

// applyReading writes the reading of a number that a person chose into its field: see [templates.ReadingField].
func applyReading(form url.Values) {
	control, reading, _ := strings.Cut(form.Get(templates.ReadingField), " ")
	form.Del(templates.ReadingField)
	name, place, _ := strings.Cut(control, "-")
	index, _ := strconv.Atoi(place) // 0 without a line
	if index >= 0 && index < len(form[name]) {
		form[name][index] = reading
	}
}

// allowsRepeat reports whether the user confirmed a likely duplicate: in the answer to the question, or by creating one more from a form
// that was used.
func allowsRepeat(typed url.Values) bool {
	return typed.Get(idempotency.AllowRepeatField) == "1" ||
		typed.Get(templates.UsedField) != "" && typed.Get(templates.FreshKeyField) != ""
}

// formVersion returns the version that a form was opened with, a positive number of 32 bits, or 0 without one.
func formVersion(r *http.Request) (seen int, err error) {
	typed := r.PostForm.Get(templates.VersionField)
	if typed == "" {
		return 0, nil
	}
	version, err := strconv.ParseInt(typed, 10, 32)
	if err != nil || version < 0 {
		return 0, fmt.Errorf("%w: version must be that of a record", ErrMalformed)
	}
	return int(version), nil
}

// refuseForm shows a form again with the posted values, which the decoder may have normalized, the same key, and the reason for the
// refusal. A refusal that it has no words for is returned, and so is every one of a form that is only a button.
func (m *resource) refuseForm(kind idempotency.Kind, words Wording) func(http.ResponseWriter, *http.Request, error) error {
	return func(w http.ResponseWriter, r *http.Request, refused error) error {
		if !errors.Is(refused, errOtherTenant) {
			if err := m.namedExists(r, kind); isMissing(err) {
				return err
			} else if err != nil {
				return refused
			}
		}
		if question := m.questions[path.Base(r.URL.Path)]; question != nil && kind == idempotency.Transition {
			return question.refuseQuestion(w, r, refused)
		}
		if words.Submit == "" {
			return refused
		}
		key, _ := postedKey(r)
		f := m.newForm(r, kind, words, key)
		f.Typed = r.PostForm
		status, err := m.explainRefusal(r, kind, words, &f, refused)
		if err != nil {
			return err
		}
		page, err := m.formPage(w, r, f)
		if err != nil && (problemOf(refused).Retry > 0 || errors.Is(refused, errOtherTenant)) {
			return refused // it needs no record and no database, and explains more
		}
		if err != nil {
			return err
		}
		problem := m.s.classify(r, refused)
		retryAfter(w, problem)
		return m.s.Render(w, r, status, page)
	}
}

// explainRefusal writes the reason for a refusal into a form, and returns the status to answer with.
func (m *resource) explainRefusal(
	r *http.Request, kind idempotency.Kind, words Wording, f *templates.Form, refused error,
) (status int, err error) {
	refused = m.finalFirst(r, kind, refused)
	status = problemOf(refused).Status
	f.Version, _ = formVersion(r)
	if id, spent := recordOfUsedKey(refused); spent {
		existing, err := m.existing(r, id)
		if err != nil {
			return 0, err
		}
		again := templates.Submit{Text: words.Again, Name: templates.FreshKeyField, Value: idempotency.NewKey().String()}
		if kind.Changes() {
			f.Notice = templates.ChangesSpent(existing, again)
			return status, m.compare(r, f)
		}
		f.Notice, f.Used = templates.FormSpent(words.Did, existing, again), existing.Name
		return status, nil
	}
	if problems, ok := errors.AsType[*invalid.Error](refused); ok {
		for _, field := range problems.Fields {
			f.Errors = append(f.Errors, templates.FieldError{
				Control: m.controlOf(field.Pointer), Message: field.Message, Place: placeOf(field.Pointer), Readings: field.Readings,
			})
		}
		return status, nil
	}
	if c, ok := errors.AsType[*conflict.Error](refused); ok {
		if m.form.OnConflict != nil {
			m.form.OnConflict(r, c)
		}
		existing, err := m.conflicting(r, c)
		if err != nil {
			return 0, err
		}
		f.Notice = m.conflictNotice(c, existing)
		if c.Field != "" {
			f.Blamed = templates.FieldErrors{{Control: m.controlOf(c.Field), Message: c.Blame}}
		}
		return status, nil
	}
	if errors.As(refused, new(*idempotency.StaleError)) || errors.Is(refused, idempotency.ErrNoVersion) {
		return http.StatusConflict, m.stale(r, f)
	}
	if f.Notice = commonNotice(r, refused, !kind.Changes()); f.Notice == nil {
		return 0, refused
	}
	return status, nil
}

// finalFirst returns the reason why a record is final in place of a refusal because of its version, as it matters more. Any other error is
// returned unchanged.
func (m *resource) finalFirst(r *http.Request, kind idempotency.Kind, refused error) error {
	byVersion := errors.As(refused, new(*idempotency.StaleError)) || errors.Is(refused, idempotency.ErrNoVersion)
	if m.form.Final == nil || kind != idempotency.Change || !byVersion {
		return refused
	}
	found, err := m.find(r)
	if err != nil {
		return err
	}
	if final := m.form.Final(found); final != nil {
		return final
	}
	return refused
}

// conflicting returns the record that a conflict is about: another one, or the one that the form belongs to, if there is such.
func (m *resource) conflicting(r *http.Request, c *conflict.Error) (templates.Record, error) {
	none := c.Existing == uuid.Nil || m.strangers // a page of a stranger's record is for those who know its address
	switch {
	case none && r.URL.Path == m.collectionPath():
		return templates.Record{}, nil
	case none:
		return m.s.below(r.URL.Path), nil
	case c.Many != "":
		return templates.Record{Name: c.Name, Href: "/" + c.Many + "/" + c.Existing.String()}, nil
	case m.shownAt == nil:
		return templates.Record{Name: c.Name, Href: m.url(c.Existing)}, nil
	default:
		return m.existing(r, c.Existing)
	}
}

// compare fills in the saved values beside the typed ones. The form then has the version of the saved ones.
func (m *resource) compare(r *http.Request, f *templates.Form) error {
	found, err := m.find(r)
	if err != nil {
		return err
	}
	_, f.Version = found.Identity()
	f.Versions = m.versionsOf(r, m.fill(found), f.Typed)
	return nil
}

// versionsOf aligns two forms, with the names of the records that they refer to. The content of a chosen file isn't kept.
func (m *resource) versionsOf(r *http.Request, saved, typed url.Values) []templates.VersionRow {
	rows := versions(m.facts(saved), m.facts(m.withFiles(typed, saved)))
	for i, row := range rows {
		for _, field := range m.form.Fields {
			if _, takesFile := m.form.Files[field.Name]; takesFile && field.Value == row.Label && typed.Get(field.Name) != "" {
				rows[i].Typed += " (choose it again)"
			}
			if names, refers := m.form.References[field.Name]; refers && field.Value == row.Label {
				rows[i].Saved, rows[i].Typed = m.called(r, names, row.Saved), m.called(r, names, row.Typed)
			}
		}
	}
	return rows
}

// withFiles returns the values of a form with the saved files where no other one was chosen: they stay, unless they are removed.
func (m *resource) withFiles(typed, saved url.Values) url.Values {
	all := maps.Clone(typed)
	for name := range m.form.Files {
		switch {
		case all.Get(name) != "":
		case all.Get(templates.RemoveField(name)) == "true":
			all.Set(name, "")
		default:
			all[name] = saved[name]
		}
	}
	return all
}

// versions aligns saved and typed values by their labels.
func versions(saved, typed []templates.Fact) []templates.VersionRow {
	var rows []templates.VersionRow
	for _, fact := range saved {
		rows = append(rows, templates.VersionRow{Label: fact.Label, Saved: fact.Value})
	}
	for _, fact := range typed {
		i := slices.IndexFunc(rows, func(row templates.VersionRow) bool { return row.Label == fact.Label })
		if i < 0 {
			rows = append(rows, templates.VersionRow{Label: fact.Label})
			i = len(rows) - 1
		}
		rows[i].Typed = fact.Value
	}
	for i, row := range rows {
		if row.Saved != row.Typed {
			rows[i].Changed = templates.Differs
		}
	}
	return rows
}

// formPage is the page with a form, and with what its references offer.
func (m *resource) formPage(w http.ResponseWriter, r *http.Request, f templates.Form) (templ.Component, error) {
	f.Offers = map[string]templates.Choices{}
	if allowsRepeat(f.Typed) {
		f.AllowRepeat = idempotency.AllowRepeatField
	}
	for field, names := range m.form.Choices {
		choices, err := m.choices(r, f, field, names)
		if err != nil {
			return nil, err
		}
		f.Offers[field] = choices
	}
	return m.form.Page(r, m.s.Page(w, r), f)
}

// recordOfUsedKey returns the record that the key of a form was used for before, if it was.
func recordOfUsedKey(err error) (record uuid.UUID, spent bool) {
	var mismatch *idempotency.MismatchError
	var expired *idempotency.AlreadyDoneError
	switch {
	case errors.As(err, &mismatch):
		return mismatch.Record, true
	case errors.As(err, &expired):
		return expired.Record, true
	default:
		return uuid.Nil, false
	}
}

// commonNotice is the notice of errors that any form may have, or nil. creates is set for a form that creates.
func commonNotice(r *http.Request, err error, creates bool) *templates.Notice {
	switch {
	case errors.Is(err, errOtherTenant):
		return templates.OtherTenant(formOwner(r), Tenant(r), creates)
	case errors.Is(err, idempotency.ErrNoKey), errors.Is(err, idempotency.ErrMalformedKey):
		return templates.NoKey(idempotency.NewKey().String())
	case errors.Is(err, idempotency.ErrInProgress):
		return templates.StillSaving()
	case errors.Is(err, idempotency.ErrUnconfirmed):
		return templates.Unconfirmed()
	case errors.Is(err, idempotency.ErrBusy):
		return templates.Busy()
	default:
		return nil
	}
}

// conflictNotice returns the notice of a conflict. Its link to the rules opens a new tab, so that the form stays.
func (m *resource) conflictNotice(c *conflict.Error, existing templates.Record) *templates.Notice {
	var submits []templates.Submit
	for _, button := range c.Buttons {
		submits = append(submits, templates.Submit{Text: button.Text, Name: button.Field, Value: button.Value})
	}
	notice := templates.Conflict(c.Title, c.Text, existing, submits)
	notice.Links = append(notice.Links, m.linksToOthers(c)...)
	notice.Links = append(notice.Links, templates.Link{Text: "Rules", Href: rulesPath + "#" + m.many, NewTab: true})
	return notice
}

// linksToOthers returns links to the further records of a conflict.
func (m *resource) linksToOthers(c *conflict.Error) (links []templates.Link) {
	for _, other := range c.Others {
		href := "/" + cmp.Or(other.Many, c.Many, m.many) + "/" + other.ID.String()
		links = append(links, templates.Link{Text: "Open " + other.Name, Href: href})
	}
	return links
}

// placeOf returns the displayed name of a list element in a JSON Pointer: "Line 2" for "/lines/1/quantity"; "" outside of lists.
func placeOf(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts[1:] {
		if index, err := strconv.Atoi(part); err == nil && i > 0 {
			return lineName(index)
		}
	}
	return ""
}
