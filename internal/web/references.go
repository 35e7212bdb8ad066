package web

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/record"
	"onlyonce/templates"
)

// formPage is the page with a form, and with what its references offer.
func (m *Mounted[R]) formPage(w http.ResponseWriter, r *http.Request, f templates.Form) (templ.Component, error) {
	f.Offers = map[string][]templates.Option{}
	for field, names := range m.form.References {
		chosen, _ := uuid.Parse(f.Typed.Get(field)) // what is no id is nothing
		offer, err := names.Offer(r.Context(), m.s.Pool, Principal(r).Tenant, chosen)
		if err != nil {
			return nil, err
		}
		var all []templates.Option
		for _, each := range offer {
			all = append(all, templates.Option{Value: each.ID.String(), Text: each.Name})
		}
		f.Offers[field] = OrNone(all)
	}
	return m.form.Page(r, m.s.Page(w, r), f)
}

// called is the name of the record with an id; the id if there is none.
func (m *Mounted[R]) called(r *http.Request, names record.Names, id string) string {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return id
	}
	name, err := names.Of(r.Context(), m.s.Pool, Principal(r).Tenant, parsed)
	if err != nil {
		return id
	}
	return name
}

// referenceChanges are those of the references, by the names that the records had.
func (m *Mounted[R]) referenceChanges(fields Changed) (changes []templates.HistoryChange) {
	for _, field := range m.form.Fields {
		values, ok := fields[strings.TrimSuffix(field.Name, "_id")]
		if _, refers := m.form.References[field.Name]; refers && ok {
			changes = append(changes, templates.HistoryChange{
				Label: field.Value, Was: Decoded[record.Reference](values[0]).Name, Is: Decoded[record.Reference](values[1]).Name,
			})
		}
	}
	return changes
}
