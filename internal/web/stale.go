package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// longestMerge is how many entries of a history are looked at to find out what stood in a form when it was opened.
const longestMerge = 100

// stale writes into a form what somebody else has done to its record meanwhile, and puts both edits together, field by field: what
// only the other one changed is as they saved it, what only this form changed stays as it was typed, and about what both changed the
// person is asked.
func (m *resource) stale(r *http.Request, f *templates.Form) error {
	found, err := m.find(r)
	if err != nil {
		return err
	}
	id, version := found.Identity()
	history, err := idempotency.History(r.Context(), m.s.Pool, Principal(r).Tenant, id, record.Page{Limit: longestMerge}, "")
	if err != nil {
		return err
	}
	seen, changes, known := m.undo(found, version, f.Version, history.Rows)
	f.Version = version
	f.Meanwhile = m.entries(found, changes[:min(len(changes), historyLength)])

	saved, typed := m.fill(found), f.Typed
	var was url.Values
	if known {
		was = m.fill(seen)
	}
	f.Typed = maps.Clone(typed)
	f.Versions = m.versionsOf(r, saved, typed)
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

// undo returns a record as it was at a version that somebody has seen, and the changes since, newest first. It is not known if the
// history does not have all of them: not every program writes one.
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

// units are the fields of a form that are kept or replaced together: each by itself, and those that repeat as one.
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

// meant is what counts of a field: browsers send other line ends than are stored, and what is chosen by id has a name with it, which
// may be another one by now.
func meant(value string) string {
	value = strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n"))
	if id, _, _ := strings.Cut(value, " "); uuid.Validate(id) == nil {
		return id
	}
	return value
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

// askWhich lets the person keep what is saved in a unit, which the form has with it: the same form, sent twice, then means the same.
func (m *resource) askWhich(f *templates.Form, unit []string, saved, typed url.Values) {
	if row := m.mark(f, unit, saved, typed, templates.BothChanged); row != nil {
		row.Keep = unit[0]
		for _, name := range unit {
			for _, value := range saved[name] {
				f.Saved = append(f.Saved, templates.Field{Name: savedField + name, Value: value})
			}
		}
	}
}

const (
	// keepSaved has the units of which the person keeps what is saved.
	keepSaved = "keep_saved"
	// savedField begins the names of the fields that have it.
	savedField = "saved."
)

// keepChosen replaces what was typed by what is saved where the person has chosen that.
func (m *resource) keepChosen(form url.Values) {
	saved := url.Values{}
	for name, values := range form {
		if of, is := strings.CutPrefix(name, savedField); is {
			saved[of] = values
			delete(form, name)
		}
	}
	for _, unit := range m.units(saved) {
		if slices.Contains(form[keepSaved], unit[0]) {
			take(form, unit, saved)
		}
	}
	delete(form, keepSaved)
}
