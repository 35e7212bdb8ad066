package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/templates"
)

// Numbers of records that a form offers for a reference: in the page, and in a response while a person types.
const (
	offeredAtOnce  = 100
	offeredOnTyped = 20
)

// offer registers the search for the records of a reference: GET /choices/<field> below the list.
func (m *resource) offer(field string, names search.Names) {
	m.pages.read(m.choicesPath(field), func(w http.ResponseWriter, r *http.Request) error {
		text, err := Searched(r)
		if err != nil {
			return err
		}
		query := r.URL.Query()
		if id := query.Get("id"); id != "" { // a kept form has the id of its choice only
			named := templates.Option{Value: id, Text: m.called(r, names.Names, id)}
			return m.s.Render(w, r, http.StatusOK, templates.ChoicesPage(templates.Found{All: []templates.FoundRecord{{Option: named}}}))
		}
		options, more, err := m.options(r, names, text, offeredOnTyped, query.Get("except"))
		if err != nil {
			return err
		}
		found := templates.Found{More: more}
		for _, o := range options {
			found.All = append(found.All, templates.FoundRecord{Option: o})
		}
		return m.s.Render(w, r, http.StatusOK, templates.ChoicesPage(found))
	})
}

func (m *resource) choicesPath(field string) string { return m.collectionPath() + "/choices/" + field }

// options returns the records of a choice, except one, and whether there are more.
func (m *resource) options(
	r *http.Request, names search.Names, text string, limit int, except string,
) (options []templates.Option, more bool, err error) {
	list, err := names.Offer(r.Context(), m.s.Pool, Principal(r).Tenant, text, limit)
	for _, each := range list.Rows {
		if id := each.ID.String(); id != except {
			options = append(options, templates.Option{Value: id, Text: each.Name})
		}
	}
	return options, list.After != record.Key{}, err
}

// choices returns the records that a form offers for a reference: the newest, or those that a search without JavaScript finds, and the
// chosen one. A record isn't offered to itself.
func (m *resource) choices(r *http.Request, f templates.Form, field string, names search.Names) (of templates.Choices, err error) {
	of = templates.Choices{
		URL: m.choicesPath(field), FormURL: f.LinesHref, Search: FormSearch(f, field),
	}
	itself := chi.URLParam(r, "id")
	if itself != "" {
		of.URL += "?" + url.Values{"except": {itself}}.Encode()
	}
	if of.Options, _, err = m.options(r, names, of.Search, offeredAtOnce, itself); err != nil {
		return of, err
	}
	chosen := f.Typed.Get(field)
	known := slices.ContainsFunc(of.Options, func(o templates.Option) bool { return o.Value == chosen })
	if _, err := uuid.Parse(chosen); err == nil && !known {
		of.Options = append(of.Options, templates.Option{Value: chosen, Text: m.called(r, names.Names, chosen)})
	}
	return of, nil
}

// FormSearch returns the text of the search for a reference in a form without JavaScript; "" if it is too long.
func FormSearch(f templates.Form, field string) string {
	var tooLong invalid.Error
	text := SearchOf(url.Values{"q": f.Typed[templates.SearchField(field)]}, &tooLong)
	if tooLong.Err() != nil {
		return ""
	}
	return text
}
