package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/record"
	"onlyonce/templates"
)

// formPage is the page with a form, and with what its references offer.
func (m *mounted[R]) formPage(w http.ResponseWriter, r *http.Request, f templates.Form) (templ.Component, error) {
	f.Offers = map[string][]templates.Option{}
	for field, names := range m.refers {
		chosen, _ := uuid.Parse(f.Typed.Get(field)) // what is no id is nothing
		offer, err := names.Offer(r.Context(), m.s.pool, principal(r).Tenant, chosen)
		if err != nil {
			return nil, err
		}
		var all []templates.Option
		for _, each := range offer {
			all = append(all, templates.Option{Value: each.ID.String(), Text: each.Name})
		}
		f.Offers[field] = orNone(all)
	}
	return m.form(r, m.s.page(w, r), f)
}

// called is the name of the record with an id; the id if there is none.
func (m *mounted[R]) called(r *http.Request, names record.Names, id string) string {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return id
	}
	name, err := names.Of(r.Context(), m.s.pool, principal(r).Tenant, parsed)
	if err != nil {
		return id
	}
	return name
}

// referenceChanges are those of the references, by the names that the records had.
func (m *mounted[R]) referenceChanges(fields changed) (changes []templates.HistoryChange) {
	for _, field := range m.fields {
		values, ok := fields[strings.TrimSuffix(field.Name, "_id")]
		if _, refers := m.refers[field.Name]; refers && ok {
			changes = append(changes, templates.HistoryChange{
				Label: field.Value, Was: decoded[record.Reference](values[0]).Name, Is: decoded[record.Reference](values[1]).Name,
			})
		}
	}
	return changes
}

// offered is how many records a form offers to choose from.
const offered = 200

// toChoose are the records that a form offers: the newest that are not archived, and the one that is chosen already.
func toChoose[R entity](r *http.Request, s *Server, table record.Table[R], chosen string) ([]R, error) {
	tenant := principal(r).Tenant
	found, err := table.List(r.Context(), s.pool, tenant, record.Page{Limit: offered}, `r.archived_at IS NULL`, nil)
	if err != nil {
		return nil, err
	}
	id, _ := uuid.Parse(chosen) // what is no id is nothing
	if id == uuid.Nil || slices.ContainsFunc(found.Rows, func(each R) bool { other, _ := each.Identity(); return other == id }) {
		return found.Rows, nil
	}
	one, err := table.Find(r.Context(), s.pool, tenant, id)
	if errors.Is(err, record.ErrNotFound) {
		return found.Rows, nil
	}
	return append(found.Rows, one), err
}
