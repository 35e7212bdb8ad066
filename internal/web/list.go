package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// listing is how a list of records is read and shown, newest first. Without columns or a page it is for the API only.
type listing[L entity] struct {
	summary string // for the API documentation
	query   string // the parameters besides limit and cursor, such as "&archived="
	read    func(r *http.Request, page record.Page) ([]L, error)
	json    func(L) any // nil for L itself
	// columns head the plain page of a list, row gives the texts below them, and empty says where the first one
	// comes from.
	columns []templates.Column
	row     func(L) []string
	empty   string
	// page is another page in place of the plain one.
	page func(r *http.Request, p templates.Page, rows []L, pages templates.Pager) templ.Component
}

// lists registers the list of a resource.
func lists[R, L entity](m *mounted[R], l listing[L]) {
	m.document(http.MethodGet, m.list()+"?limit=&cursor="+l.query,
		l.summary+" limit is 1 to 100; next_cursor leads to the next page.", "reads")
	if l.page == nil && l.columns != nil {
		l.page = plainList(m, l)
	}
	if l.page != nil {
		m.pages.read(m.list(), func(w http.ResponseWriter, r *http.Request) error {
			rows, pages, err := pageOf(r, l.read)
			if is[*invalid.Error](err) {
				return errNotFound
			}
			if err != nil {
				return err
			}
			return m.s.render(w, r, http.StatusOK, l.page(r, m.s.page(w, r), rows, pages.pager(r)))
		})
	}
	m.api.read(m.list(), func(w http.ResponseWriter, r *http.Request) error {
		rows, pages, err := pageOf(r, l.read)
		if err != nil {
			return err
		}
		list := make([]any, 0, len(rows))
		for _, row := range rows {
			if l.json != nil {
				list = append(list, l.json(row))
			} else {
				list = append(list, row)
			}
		}
		answer := map[string]any{m.many: list}
		if pages.next != uuid.Nil {
			answer["next_cursor"] = pages.next
		}
		return writeJSON(w, http.StatusOK, "application/json", answer)
	})
}

// plainList is the page of a list whose cells are texts.
func plainList[R, L entity](m *mounted[R], l listing[L]) func(*http.Request, templates.Page, []L, templates.Pager) templ.Component {
	return func(r *http.Request, p templates.Page, rows []L, pages templates.Pager) templ.Component {
		newHref := m.making() + "/new"
		if m.belongs != nil {
			newHref = "" // one is made where it belongs to
		}
		v := templates.List{
			Pager: pages, Title: capital(m.many), One: m.one, Many: m.many, Href: m.path(), NewHref: newHref,
			Columns: l.columns, Empty: l.empty, Archive: m.archive, Archived: archivedOnly(r),
		}
		for _, row := range rows {
			id, _ := row.Identity()
			v.Rows = append(v.Rows, templates.Row{Href: m.href(id), Cells: l.row(row)})
		}
		return templates.ListPage(p, v)
	}
}

// archivedOnly says whether a list is to have the archived records in place of the others.
func archivedOnly(r *http.Request) bool { return r.URL.Query().Get("archived") == "1" }

// shows registers one record: in the API, and as a page, unless another one shows it and it has none of its own.
// Without a page function it is the plain one, which has the facts that the resource shows.
func shows[R entity](m *mounted[R], summary string, page func(r *http.Request, p templates.Page, found R) (templ.Component, error)) {
	m.document(http.MethodGet, m.path()+"/{id}", summary, "reads")
	m.pages.read(m.path()+"/{id}", func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.find(r)
		if err != nil {
			return err
		}
		if m.shownAt != nil && page == nil {
			return seeOther(w, r, m.shownAt(found))
		}
		shared := m.s.page(w, r)
		shared.Flash = m.s.message(shared.Flash, m.name(found))
		id, _ := found.Identity()
		history, err := m.history(r, id)
		if err != nil {
			return err
		}
		shared.History = m.entries(found, history)
		if page == nil {
			return m.s.render(w, r, http.StatusOK, templates.RecordPage(shared, m.recordView(r, found)))
		}
		shown, err := page(r, shared, found)
		if err != nil {
			return err
		}
		return m.s.render(w, r, http.StatusOK, shown)
	})
	m.api.read(m.path()+"/{id}", func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.find(r)
		if err != nil {
			return err
		}
		return m.write(w, http.StatusOK, found)
	})
}

// position is where a page stands in its list.
type position struct {
	first bool
	next  uuid.UUID // the cursor of the next page; uuid.Nil if there is none
}

// pageOf reads the page of a list that a request asks for. It reads one row more than asked for, to know
// whether there is a next page.
func pageOf[L entity](r *http.Request, read func(r *http.Request, page record.Page) ([]L, error)) ([]L, position, error) {
	page, err := listParameters(r)
	if err != nil {
		return nil, position{}, err
	}
	limit := page.Limit
	page.Limit++
	rows, err := read(r, page)
	at := position{first: page.Before == uuid.Max}
	if err == nil && len(rows) > limit {
		rows = rows[:limit]
		at.next, _ = rows[limit-1].Identity()
	}
	return rows, at, err
}

// pager links to the pages of the same list.
func (p position) pager(r *http.Request) templates.Pager {
	var pager templates.Pager
	at := func(cursor string) string {
		query := r.URL.Query()
		if query.Del("cursor"); cursor != "" {
			query.Set("cursor", cursor)
		}
		return (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	if !p.first {
		pager.FirstHref = at("")
	}
	if p.next != uuid.Nil {
		pager.NextHref = at(p.next.String())
	}
	return pager
}

// listParameters reads which page of a list is wanted: limit is 1 to 100, cursor the id of a row. Its error is
// an [*invalid.Error].
func listParameters(r *http.Request) (page record.Page, err error) {
	page = record.Page{Before: uuid.Max, Limit: 25}
	var problems invalid.Error
	query := r.URL.Query()
	if text := query.Get("limit"); text != "" {
		if page.Limit, err = strconv.Atoi(text); err != nil || page.Limit < 1 || page.Limit > 100 || len(query["limit"]) > 1 {
			problems.Add("/limit", "Enter one limit from 1 to 100.")
		}
	}
	if text := query.Get("cursor"); text != "" {
		if page.Before, err = uuid.Parse(text); err != nil || len(query["cursor"]) > 1 {
			problems.Add("/cursor", "Use the next_cursor of one earlier page.")
		}
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
