package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// Parameter is one of the address of a list.
type Parameter = apidoc.Parameter

// Listing describes how a list of records is read and shown. Without columns or a page it is in the API only.
type Listing[L Entity] struct {
	Summary string      // for the API documentation
	Query   []Parameter // besides limit, cursor and those of Filters
	Filters []Filter
	Read    func(r *http.Request, page record.Page) (record.List[L], error)
	View    func(L) any // nil for L itself
	// Finder returns the search and filter form of the page; nil without one.
	Finder func(r *http.Request) (templates.Finder, error)
	// External has the records, where other systems' ids find them in the API; see [idempotency.External].
	External record.Table[L]
	// Columns head the plain page of a list, Row returns the texts below them, and Empty is a sentence about where the first one
	// comes from.
	Columns []templates.Column
	Row     func(*http.Request, L) []string
	Empty   string
	// Headings and Cells are the columns of the CSV file, which has all records of the filter; nil without one.
	Headings []string
	Cells    func(L) []string
	// Page is another page in place of the plain one.
	Page func(r *http.Request, p templates.Page, rows []L, finder templates.Finder) (templ.Component, error)

	shows  reflect.Type // the type of an element in the API
	decode func(text []byte) (Entity, error)
}

type readEntities = func(*http.Request, record.Page) (record.List[Entity], error)

// untypedListing returns a listing of records without their type.
func untypedListing[L Entity](l Listing[L]) Listing[Entity] {
	of := Listing[Entity]{
		Summary: l.Summary, Query: l.Query, Filters: l.Filters, Finder: l.Finder, Columns: l.Columns, Empty: l.Empty,
		Headings: l.Headings, Cells: ofEntity(l.Cells), View: ofEntity(l.View), Row: ofEntityIn(l.Row),
		External: record.Table[Entity](l.External),
	}
	read, page := l.Read, l.Page
	of.Read = func(r *http.Request, page record.Page) (record.List[Entity], error) {
		return untypedRows(read(r, page))
	}
	of.decode = func(text []byte) (Entity, error) { return record.Decode[L](text) }
	if of.View == nil {
		of.View = func(row Entity) any { return row }
	}
	of.shows = reflect.TypeOf(of.View(*new(L)))
	if page != nil {
		of.Page = func(r *http.Request, p templates.Page, rows []Entity, finder templates.Finder) (templ.Component, error) {
			typed := make([]L, len(rows))
			for i, row := range rows {
				typed[i] = as[L](row)
			}
			return page(r, p, typed, finder)
		}
	}
	return of
}

func untypedRows[L Entity](list record.List[L], err error) (record.List[Entity], error) {
	rows := make([]Entity, len(list.Rows))
	for i, row := range list.Rows {
		rows[i] = row
	}
	return record.List[Entity]{Rows: rows, Before: list.Before, After: list.After, Whole: list.Whole}, err
}

// List registers the list of a resource: of all records, or of those of one parent, see [Under].
func List[R, L Entity](m *Mounted[R], l Listing[L]) {
	m.untyped.list(m.untyped.listPath(), "list", untypedListing(l))
}

// ListAll registers the list of all of a resource that is [Under] another, in a tab of that one's place in the navigation. It panics if
// it is under none.
func ListAll[R, L Entity](m *Mounted[R], l Listing[L]) {
	of := m.untyped
	if of.under == "" {
		panic("web: " + of.many + " belong to no other resource: register their List")
	}
	of.section = of.s.above(of).many
	of.list(of.collectionPath(), "all", untypedListing(l))
}

func (m *resource) list(path, name string, l Listing[Entity]) {
	rows := strings.ReplaceAll(m.many, "-", "_")
	l.Read = checked(l)
	described := apidoc.Endpoint{
		Method: http.MethodGet, Path: path, Name: m.many + "." + name, Summary: l.Summary, Repeats: "reads",
		Query: l.Query, Rows: rows, Gives: l.shows, Schema: apidoc.SchemaName(m.one),
	}
	if described.Gives != m.shows {
		described.Schema += "Summary"
	}
	for _, f := range l.Filters {
		described.Query = append(slices.Clip(described.Query), f.parameter(m.many))
		if f.Of != "" && !f.NoSection {
			m.s.sections[f.Of] = append(m.s.sections[f.Of], m.referring(l, f))
		}
	}
	if p, is := sortParameter(l.Columns); is {
		described.Query = append(slices.Clip(described.Query), p)
	}
	if l.Page == nil && l.Columns != nil {
		l.Page = m.plainList(l)
	}
	if l.Headings != nil {
		m.export(path, described.Query, l)
	}
	finds := l.External.Name != ""
	if finds {
		described.Query = append(slices.Clip(described.Query),
			Parameter{Name: "source", Meaning: "With external_id, and without other filters: " +
				"only what this system calls by that id, archived or not."},
			Parameter{Name: "external_id", Meaning: "The source's ID of the record."})
	}
	m.document(described)
	if l.Page != nil {
		m.pages.read(path, func(w http.ResponseWriter, r *http.Request) error { return m.showList(l, w, r) })
	}
	m.api.read(path, func(w http.ResponseWriter, r *http.Request) error {
		read := l.Read
		if query := r.URL.Query(); finds && (query.Has("source") || query.Has("external_id")) {
			read = m.readExternal(l)
		}
		err := writeRows(w, r, rows, l, read)
		if path != m.collectionPath() {
			return m.missingFirst(r, err)
		}
		return err
	})
}

// checked returns the Read of a listing with a check of the filters and the order.
func checked(l Listing[Entity]) readEntities {
	read := l.Read
	return func(r *http.Request, page record.Page) (record.List[Entity], error) {
		err := checkFilters(l.Filters, r.URL.Query())
		if err == nil {
			err = checkArchived(l.Query, r.URL.Query())
		}
		if err == nil {
			err = checkSort(l.Columns, r.URL.Query())
		}
		if err != nil {
			return record.List[Entity]{}, err
		}
		return read(r, page)
	}
}

// writeRows answers with the rows of a page.
func writeRows(w http.ResponseWriter, r *http.Request, name string, l Listing[Entity], read readEntities) error {
	list, err := PageOf(r, read)
	if err != nil {
		return err
	}
	shown := make([]any, 0, len(list.Rows))
	for _, row := range list.Rows {
		shown = append(shown, l.View(row))
	}
	return writeList(w, r, name, shown, list.Before, list.After)
}

// ListUnder reads a page of what belongs to the record that the path names.
func ListUnder[P, L Entity](
	parent *Mounted[P],
	list func(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, page record.Page) (record.List[L], error),
) func(*http.Request, record.Page) (record.List[L], error) {
	return func(r *http.Request, page record.Page) (record.List[L], error) {
		found, err := parent.untyped.find(r)
		if err != nil {
			return record.List[L]{}, err
		}
		id, _ := found.Identity()
		return list(r.Context(), parent.untyped.s.Pool, Principal(r).Tenant, id, page)
	}
}

// writeList answers with the rows of a page, and the cursors of the previous and next ones.
func writeList(w http.ResponseWriter, r *http.Request, name string, rows any, before, after record.Key) error {
	answer, cursors := map[string]any{name: rows}, CursorsOf(r, record.List[any]{Before: before, After: after})
	if cursors.Next != "" {
		answer["next_cursor"] = cursors.Next
	}
	if cursors.Previous != "" {
		answer["prev_cursor"] = cursors.Previous
	}
	return writeJSON(w, http.StatusOK, "application/json", answer)
}

// missingFirst returns, before any other error, that the record that a list belongs to is not there.
func (m *resource) missingFirst(r *http.Request, err error) error {
	if errors.As(err, new(*invalid.Error)) {
		if missing := m.parentExists(r); missing != nil {
			return missing
		}
	}
	return err
}

// showList shows the page of a list.
func (m *resource) showList(l Listing[Entity], w http.ResponseWriter, r *http.Request) error {
	list, err := PageOf(r, l.Read)
	return m.showRead(l, w, r, list, err)
}

// showRead shows what was read of a list. Errors in the query are shown above an empty list, with the filter as it was typed.
func (m *resource) showRead(l Listing[Entity], w http.ResponseWriter, r *http.Request, list record.List[Entity], err error) error {
	var finder templates.Finder
	status := http.StatusOK
	wrong, refused := errors.AsType[*invalid.Error](err)
	if err != nil && (!refused || l.Finder == nil || l.Page == nil) {
		return err
	}
	if l.Finder != nil {
		if finder, err = l.Finder(r); err != nil {
			return err
		}
		m.narrow(r, l.Filters, &finder)
	}
	if refused {
		status = http.StatusUnprocessableEntity
		for _, f := range wrong.Fields {
			finder.Problems = append(finder.Problems, f.Message)
		}
	}
	if finder.Whole, finder.Pager = list.Whole, PagerOf(r, list); l.Headings != nil {
		finder.CSVHref = ListURL(r.URL.Path+"/csv", r.URL.Query(), "limit", "")
	}
	page, err := l.Page(r, m.s.Page(w, r), list.Rows, finder)
	if err != nil {
		return err
	}
	return m.s.Render(w, r, status, page)
}

// plainList is the page of a list whose cells are texts.
func (m *resource) plainList(l Listing[Entity]) func(
	*http.Request, templates.Page, []Entity, templates.Finder) (templ.Component, error) {
	return func(r *http.Request, p templates.Page, rows []Entity, finder templates.Finder) (templ.Component, error) {
		v, err := m.listView(r, l, rows)
		v.Finder, v.Columns = finder, sorted(v.Columns, v.Href, r.URL.Query())
		return templates.ListPage(p, v), err
	}
}

// listView returns the view of a list whose cells are texts, without its search form.
func (m *resource) listView(r *http.Request, l Listing[Entity], rows []Entity) (templates.List, error) {
	href := url.URL{Path: m.createPath() + "/new", RawQuery: referred(l.Filters, r.URL.Query()).Encode()}
	newHref := FormHref(r, href.String())
	if m.parentExists != nil || m.form.Page == nil {
		newHref = "" // one is made where it belongs to, or comes from outside
	}
	words := creatingWords(m.one)
	first := "Add your first " + m.one
	if m.form.Words != nil {
		words, first = *m.form.Words, m.form.Words.Title
	}
	v := templates.List{
		Title: Capital(m.plural()), One: m.one, Many: m.plural(), Href: m.collectionPath(),
		NewHref: newHref, New: words.Title, First: first,
		Columns: l.Columns, Empty: l.Empty, Archive: m.archiveHint(), Archived: ArchivedOnly(r),
	}
	var ids []uuid.UUID
	for _, row := range rows {
		id, _ := row.Identity()
		ids = append(ids, id)
		v.Rows = append(v.Rows, templates.Row{Href: m.url(id), Cells: l.Row(r, row)})
	}
	added, is := m.s.columns[m.many]
	if !is {
		return v, nil
	}
	cells, err := added.cells(r, ids)
	if err != nil {
		return v, err
	}
	v.Columns = slices.Concat(v.Columns, added.columns)
	for i, id := range ids {
		texts := cells[id]
		if texts == nil {
			texts = make([]string, len(added.columns))
		}
		v.Rows[i].Cells = slices.Concat(v.Rows[i].Cells, texts)
	}
	return v, nil
}

// addedColumns are columns of another room: see [Site.AddColumns].
type addedColumns struct {
	columns []templates.Column
	cells   func(*http.Request, []uuid.UUID) (map[uuid.UUID][]string, error)
}

// FilterID returns the id in a filter of a request; [uuid.Nil] without one.
func FilterID(r *http.Request, name string) uuid.UUID {
	id, _ := uuid.Parse(r.URL.Query().Get(name)) // the filter was checked
	return id
}

// ArchivedOnly reports whether a request asks for the archived records in place of the others.
func ArchivedOnly(r *http.Request) bool { return r.URL.Query().Get(templates.ArchivedField) == "1" }

// PageOf reads the page of a list that a request asks for. Its error may be an [*invalid.Error].
func PageOf[L any](r *http.Request, read func(r *http.Request, page record.Page) (record.List[L], error)) (record.List[L], error) {
	page, err := listParameters(r)
	if err != nil {
		return record.List[L]{}, err
	}
	list, err := read(r, page)
	return list, listError(err)
}

// PagerOf links to the other pages of the same list.
func PagerOf[L any](r *http.Request, list record.List[L]) templates.Pager {
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
	cursors := CursorsOf(r, list)
	if cursors.Previous != "" {
		pager.PreviousHref = at(cursors.Previous)
	}
	if cursors.Next != "" {
		pager.NextHref = at(cursors.Next)
	}
	return pager
}

// Cursors are the cursors of the next and the previous page in the API; "" where the list ends.
type Cursors struct {
	Next     string `json:"next_cursor,omitzero"`
	Previous string `json:"prev_cursor,omitzero"`
}

// CursorsOf returns the cursors of a page that was read for a request.
func CursorsOf[L any](r *http.Request, list record.List[L]) (c Cursors) {
	if (list.Before != record.Key{}) {
		c.Previous = record.Cursor{Of: listName(r), From: list.Before, Back: true}.String()
	}
	if (list.After != record.Key{}) {
		c.Next = record.Cursor{Of: listName(r), From: list.After}.String()
	}
	return c
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

// PathID returns the {id} of the path, or ErrNotFound if it isn't a UUID.
func PathID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return uuid.Nil, ErrNotFound
	}
	return id, nil
}
