package web

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// listing is how a list of records is read and shown. Without columns or a page it is for the API only.
type listing[L entity] struct {
	summary string      // for the API documentation
	query   []parameter // besides limit and cursor
	read    func(r *http.Request, page record.Page) (record.List[L], error)
	json    func(L) any // nil for L itself
	// finder is what the list is searched and filtered by, for its page; nil if it is not.
	finder func(r *http.Request) (templates.Finder, error)
	// columns head the plain page of a list, row gives the texts below them, and empty says where the first one
	// comes from.
	columns []templates.Column
	row     func(L) []string
	empty   string
	// page is another page in place of the plain one.
	page func(r *http.Request, p templates.Page, rows []L, finder templates.Finder) (templ.Component, error)
}

// lists registers the list of a resource.
func lists[R, L entity](m *mounted[R], l listing[L]) {
	rows := strings.ReplaceAll(m.many, "-", "_")
	if l.json == nil {
		l.json = func(row L) any { return row }
	}
	described := endpoint{
		method: http.MethodGet, path: m.list(), name: m.many + ".list", summary: l.summary, repeats: "reads",
		query: l.query, rows: rows, gives: reflect.TypeOf(l.json(*new(L))), schema: schemaName(m.one),
	}
	if described.gives != m.reg.shows {
		described.schema += "Summary"
	}
	m.document(described)
	if l.page == nil && l.columns != nil {
		l.page = plainList(m, l)
	}
	if l.page != nil {
		m.pages.read(m.list(), func(w http.ResponseWriter, r *http.Request) error { return showList(m, l, w, r) })
	}
	m.api.read(m.list(), func(w http.ResponseWriter, r *http.Request) error {
		list, err := pageOf(r, l.read)
		if err != nil {
			return m.missingFirst(r, err)
		}
		shown := make([]any, 0, len(list.Rows))
		for _, row := range list.Rows {
			shown = append(shown, l.json(row))
		}
		return writeList(w, r, rows, shown, list.Before, list.After)
	})
}

// writeList answers with the rows of a page, and the cursors of those before and after it.
func writeList(w http.ResponseWriter, r *http.Request, name string, rows any, before, after record.Key) error {
	answer := map[string]any{name: rows}
	for name, place := range map[string]record.Cursor{
		"next_cursor": {Of: listName(r), From: after}, "prev_cursor": {Of: listName(r), From: before, Back: true},
	} {
		if (place.From != record.Key{}) {
			answer[name] = place.String()
		}
	}
	return writeJSON(w, http.StatusOK, "application/json", answer)
}

// missingFirst says that the record that a list belongs to is not there, whatever else is wrong with the request.
func (m *mounted[R]) missingFirst(r *http.Request, err error) error {
	if m.under != "" && is[*invalid.Error](err) {
		if missing := m.belongs(r); missing != nil {
			return missing
		}
	}
	return err
}

// showList shows the page of a list. What is wrong with what was asked for is said above an empty list, with the filter
// as it was typed.
func showList[R, L entity](m *mounted[R], l listing[L], w http.ResponseWriter, r *http.Request) error {
	var finder templates.Finder
	status := http.StatusOK
	list, err := pageOf(r, l.read)
	wrong, refused := errors.AsType[*invalid.Error](err)
	switch {
	case refused && (l.finder == nil || wrong.Fields[0].Pointer == "/limit"):
		return errNotFound
	case err != nil && !refused:
		return err
	}
	if l.finder != nil {
		if finder, err = l.finder(r); err != nil {
			return err
		}
	}
	if refused {
		status = http.StatusUnprocessableEntity
		for _, f := range wrong.Fields {
			finder.Problems = append(finder.Problems, f.Message)
		}
	}
	finder.Whole, finder.Pager = list.Whole, pagerOf(r, list)
	page, err := l.page(r, m.s.page(w, r), list.Rows, finder)
	if err != nil {
		return err
	}
	return m.s.render(w, r, status, page)
}

// plainList is the page of a list whose cells are texts.
func plainList[R, L entity](m *mounted[R], l listing[L]) func(
	*http.Request, templates.Page, []L, templates.Finder) (templ.Component, error) {
	return func(r *http.Request, p templates.Page, rows []L, finder templates.Finder) (templ.Component, error) {
		newHref := m.making() + "/new"
		if m.belongs != nil {
			newHref = "" // one is made where it belongs to
		}
		v := templates.List{
			Finder: finder, Title: sectionTitle(m.many), One: m.one, Many: strings.ReplaceAll(m.many, "-", " "), Href: m.path(),
			NewHref: newHref,
			Columns: l.columns, Empty: l.empty, Archive: m.archive, Archived: archivedOnly(r),
		}
		for _, row := range rows {
			id, _ := row.Identity()
			v.Rows = append(v.Rows, templates.Row{Href: m.href(id), Cells: l.row(row)})
		}
		return templates.ListPage(p, v), nil
	}
}

// archivedOnly says whether a list is to have the archived records in place of the others.
func archivedOnly(r *http.Request) bool { return r.URL.Query().Get("archived") == "1" }

// shows registers one record: in the API, and as a page, unless another one shows it and it has none of its own.
// Without a page function it is the detailed one of the resource, or else the plain one, which has the facts that it shows.
func shows[R entity](m *mounted[R], summary string, page func(r *http.Request, p templates.Page, found R) (templ.Component, error)) {
	if page == nil {
		page = m.detailed
	}
	m.document(endpoint{
		method: http.MethodGet, path: m.record(), name: m.many + ".get", summary: summary, repeats: "reads",
		gives: m.reg.shows, schema: schemaName(m.one),
	})
	if m.shownAt == nil || page != nil {
		events(m)
	}
	m.pages.read(m.record(), func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.find(r)
		if err != nil {
			return err
		}
		if m.shownAt != nil && page == nil {
			return seeOther(w, r, m.shownAt(found))
		}
		shared := m.s.page(w, r)
		shared.Flash = m.s.message(shared.Flash, m.name(found))
		if m.secret {
			w.Header().Set("Cache-Control", noStore)
		}
		id, _ := found.Identity()
		history, err := m.history(r, id)
		if err != nil {
			return err
		}
		shared.History = m.entries(found, history.Rows)
		if shared.Attempts, err = m.s.recordAttempts(r, id); err != nil {
			return err
		}
		if (history.After != record.Key{}) {
			shared.HistoryHref = m.href(id) + "/events"
		}
		if page == nil {
			return m.s.render(w, r, http.StatusOK, templates.RecordPage(shared, m.recordView(r, found)))
		}
		shown, err := page(r, shared, found)
		if err != nil {
			return err
		}
		return m.s.render(w, r, http.StatusOK, shown)
	})
	m.api.read(m.record(), func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.find(r)
		if err != nil {
			return err
		}
		return m.write(w, http.StatusOK, found)
	})
}

// pageOf reads the page of a list that a request asks for. Its error may be an [*invalid.Error].
func pageOf[L any](
	r *http.Request, read func(r *http.Request, page record.Page) (record.List[L], error),
) (record.List[L], error) {
	page, err := listParameters(r)
	if err != nil {
		return record.List[L]{}, err
	}
	list, err := read(r, page)
	var problems invalid.Error
	switch {
	case errors.Is(err, record.ErrKey):
		problems.Add("/cursor", foreignCursor)
	case errors.Is(err, record.ErrTooMany):
		problems.Add("/sort",
			"More than 1,000 match, which is too many to sort in this order. Look for more words, or sort by newest or oldest.")
	default:
		return list, err
	}
	return list, problems.Err()
}

// pagerOf links to the other pages of the same list.
func pagerOf[L any](r *http.Request, list record.List[L]) templates.Pager {
	at := func(cursor string) string {
		query := r.URL.Query()
		if query.Del("cursor"); cursor != "" {
			query.Set("cursor", cursor)
		}
		return (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	var pager templates.Pager
	if r.URL.Query().Get("cursor") != "" {
		pager.FirstHref = at("")
	}
	if (list.Before != record.Key{}) {
		pager.PreviousHref = at(record.Cursor{Of: listName(r), From: list.Before, Back: true}.String())
	}
	if (list.After != record.Key{}) {
		pager.NextHref = at(record.Cursor{Of: listName(r), From: list.After}.String())
	}
	return pager
}

// listName names the list that a request asks for, the same in both formats.
func listName(r *http.Request) string {
	return record.ListName(strings.TrimPrefix(r.URL.Path, apiPrefix), r.URL.Query())
}

const foreignCursor = "Use the next_cursor or prev_cursor of one page of the same list, with the same filters and order."

// listParameters reads which page of a list is wanted: limit is 1 to 100. Its error is an [*invalid.Error].
func listParameters(r *http.Request) (page record.Page, err error) {
	page = record.Page{Limit: 25}
	var problems invalid.Error
	query := r.URL.Query()
	if text := query.Get("limit"); text != "" {
		if page.Limit, err = strconv.Atoi(text); err != nil || page.Limit < 1 || page.Limit > 100 || len(query["limit"]) > 1 {
			problems.Add("/limit", "Enter one limit from 1 to 100.")
		}
	}
	if text := query.Get("cursor"); text != "" {
		c, ok := record.ParseCursor(text, listName(r))
		if !ok || len(query["cursor"]) > 1 {
			problems.Add("/cursor", foreignCursor)
		}
		page.From, page.Back = c.From, c.Back
	}
	return page, problems.Err()
}

// pathID reads the {id} of the path; what is not an id cannot be found.
func pathID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return uuid.Nil, errNotFound
	}
	return id, nil
}
