package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/templates"
)

// Filter is a parameter of a plain list that selects the records with one of some values, such as a status, or those that refer to another
// record.
type Filter struct {
	Name   string   // of the parameter: "status", or "vehicle_id"
	Values []string // nil for a reference
	// Of is the resource of the other records, such as "vehicles", and Names has their names. The page of each has a section with the
	// newest records that refer to it.
	Of    string
	Names search.Names
	// NoSection leaves that section out.
	NoSection bool
}

// words returns the name of the filter within a sentence.
func (f Filter) words() string {
	return strings.ReplaceAll(strings.TrimSuffix(f.Name, "_id"), "_", " ")
}

// parameter returns the filter of a list in the documentation of the API.
func (f Filter) parameter(many string) Parameter {
	p := Parameter{Name: f.Name, Meaning: "Only " + strings.ReplaceAll(many, "-", " ") + " with this " + f.words() + ".", Values: f.Values}
	if f.Of != "" {
		p.Format = "uuid"
	}
	return p
}

// checkFilters returns an [*invalid.Error] with the filters that have a value that can't be, or several.
func checkFilters(filters []Filter, query url.Values) error {
	var problems invalid.Error
	for _, f := range filters {
		value := query.Get(f.Name)
		_, err := uuid.Parse(value)
		switch {
		case len(query[f.Name]) < 2 && (value == "" || f.Of != "" && err == nil || slices.Contains(f.Values, value)):
		case f.Of != "":
			problems.Add("/"+f.Name, "Enter one ID of the "+f.words()+".")
		default:
			problems.Add("/"+f.Name, "Choose one "+f.words()+": "+strings.Join(f.Values, ", ")+".")
		}
	}
	return problems.Err()
}

// checkArchived returns an [*invalid.Error] if a list that can be asked for archived records is asked for others.
func checkArchived(parameters []Parameter, query url.Values) error {
	var problems invalid.Error
	archives := slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Name == templates.ArchivedField })
	if value := query.Get(templates.ArchivedField); archives && value != "" && value != "1" {
		problems.Add("/"+templates.ArchivedField, "Send 1 for archived records, or leave it out.")
	}
	return problems.Err()
}

// narrow adds the filters to the search form of a list.
func (m *resource) narrow(r *http.Request, filters []Filter, finder *templates.Finder) {
	query := r.URL.Query()
	for _, f := range filters {
		value := query.Get(f.Name)
		for i, each := range append([]string{""}, f.Values...) {
			if i == 0 && f.Of != "" {
				continue
			}
			chip := templates.NavItem{Text: OptionText(each), Current: each == value, Href: ListURL(finder.Href, query, f.Name, each)}
			if i == 0 {
				chip.Text = "All"
			}
			finder.Chips = append(finder.Chips, chip)
		}
		var said string
		switch {
		case f.Of != "" && value != "":
			said = "of " + m.called(r, f.Names.Names, value)
			finder.Only = append(finder.Only, templates.Narrowing{
				Text: said, All: "Show all " + finder.Many, Href: ListURL(finder.Href, query, f.Name, ""),
			})
		case slices.Contains(f.Values, value):
			said = strings.ToLower(OptionText(value))
		default:
			continue
		}
		finder.Hidden = append(finder.Hidden, templates.Field{Name: f.Name, Value: value})
		finder.Said = strings.TrimPrefix(finder.Said+", "+said, ", ")
		archived := url.Values{templates.ArchivedField: {query.Get(templates.ArchivedField)}}
		finder.ClearHref = ListURL(finder.Href, archived, "", "")
	}
}

// referred returns the references among the filters of a request, which a new record begins with.
func referred(filters []Filter, query url.Values) url.Values {
	all := url.Values{}
	for _, f := range filters {
		if value := query.Get(f.Name); f.Of != "" && value != "" {
			all.Set(f.Name, value)
		}
	}
	return all
}

// sectionLength is the number of records in a section of a record's page.
const sectionLength = 5

// section returns a section of the page of a record.
type section func(r *http.Request, id uuid.UUID) (templ.Component, error)

// referring returns the section of a record's page with the newest records of a list that refer to it.
func (m *resource) referring(l Listing[Entity], f Filter) section {
	return func(r *http.Request, id uuid.UUID) (templ.Component, error) {
		of := r.Clone(r.Context())
		of.URL.RawQuery = url.Values{f.Name: {id.String()}}.Encode()
		list, err := l.Read(of, record.Page{Limit: sectionLength})
		if err != nil {
			return nil, err
		}
		v, err := m.listView(of, l, list.Rows)
		v.Href += "?" + of.URL.RawQuery
		for _, other := range l.Filters {
			if other.Of == f.Of && other.Name != f.Name {
				v.Title = Capital(m.plural()) + ": " + f.words()
			}
		}
		return templates.ListSection(v), err
	}
}

// Sections returns the sections of other resources on the page of a record.
func (s *Server) Sections(r *http.Request, many string, id uuid.UUID) (all []templ.Component, err error) {
	for _, section := range s.sections[many] {
		shown, err := section(r, id)
		if err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}

// SearchFinder returns the search form of a list that has no filter except for archived records. placeholder names the searched fields,
// such as "Name or email"; without any, the list has no search.
func SearchFinder(many, placeholder string) func(*http.Request) (templates.Finder, error) {
	return func(r *http.Request) (templates.Finder, error) {
		query := r.URL.Query()
		finder := templates.Finder{
			Href: "/" + many, Many: strings.ReplaceAll(many, "-", " "), Search: query.Get("q"), Placeholder: placeholder,
		}
		if ArchivedOnly(r) {
			finder.Hidden = []templates.Field{{Name: templates.ArchivedField, Value: "1"}}
		}
		if order := query.Get(templates.SortField); order != "" {
			finder.Hidden = append(finder.Hidden, templates.Field{Name: templates.SortField, Value: order})
		}
		if finder.Search != "" {
			finder.Said = "“" + Beginning(finder.Search) + "”"
			finder.ClearHref = ListURL(finder.Href, query, "q", "")
		}
		return finder, nil
	}
}

// Searched returns the search text of a request. Its error is an [*invalid.Error].
func Searched(r *http.Request) (string, error) {
	var problems invalid.Error
	search := SearchOf(r.URL.Query(), &problems)
	return search, problems.Err()
}

// ListURL is the address of a list with one parameter changed, from its first page.
func ListURL(path string, query url.Values, name, value string) string {
	changed := url.Values{}
	for other, values := range query {
		if other != "cursor" && other != name && values[0] != "" {
			changed[other] = values
		}
	}
	if value != "" {
		changed.Set(name, value)
	}
	return (&url.URL{Path: path, RawQuery: changed.Encode()}).String()
}

// SearchOf returns the search text of a query.
func SearchOf(query url.Values, problems *invalid.Error) string {
	if len(query["q"]) > 1 {
		problems.Add("/q", "Use q only once.")
	}
	return problems.Line("/q", "the search", query.Get("q"), search.MaxSearch)
}

// sortParameter describes the parameter sort of a list; false if the list can't be sorted.
func sortParameter(columns []templates.Column) (p Parameter, is bool) {
	for _, c := range columns {
		if c.Sort != "" {
			p.Values = append(p.Values, c.Sort, "-"+c.Sort)
		}
	}
	p.Name, p.Meaning = templates.SortField, "The order, descending with -. Without it, newest first."
	return p, len(p.Values) > 0
}

// checkSort returns an [*invalid.Error] if a list can't be sorted as the query asks for.
func checkSort(columns []templates.Column, query url.Values) error {
	p, is := sortParameter(columns)
	if value := query.Get(p.Name); !is || len(query[p.Name]) < 2 && (value == "" || slices.Contains(p.Values, value)) {
		return nil
	}
	var problems invalid.Error
	problems.Add("/"+p.Name, "Sort by one of "+strings.Join(p.Values, ", ")+".")
	return problems.Err()
}

// sorted returns the columns of a list with the links by which people sort it: each leads to the ascending order, and that of the column by
// which the list is sorted to the reverse one.
func sorted(columns []templates.Column, path string, query url.Values) []templates.Column {
	columns = slices.Clone(columns)
	for i, c := range columns {
		if c.Sort == "" {
			continue
		}
		next := c.Sort
		switch query.Get(templates.SortField) {
		case c.Sort:
			columns[i].Sorted, next = "ascending", "-"+c.Sort
		case "-" + c.Sort:
			columns[i].Sorted = "descending"
		}
		columns[i].SortHref = ListURL(path, query, templates.SortField, next)
	}
	return columns
}

// readExternal reads the record of a list that source and external_id name. Its error may be an [*invalid.Error].
func (m *resource) readExternal(l Listing[Entity]) readEntities {
	return func(r *http.Request, page record.Page) (list record.List[Entity], _ error) {
		query := r.URL.Query()
		var problems invalid.Error
		for _, name := range []string{"source", "external_id"} {
			if len(query[name]) > 1 {
				problems.Add("/"+name, "Give "+name+" once.")
			}
		}
		for name := range query {
			if name != "source" && name != "external_id" && name != "limit" {
				problems.Add("/"+name, "Leave "+name+" out: an external id finds one record.")
			}
		}
		of := idempotency.External{Source: query.Get("source"), ExternalID: query.Get("external_id")}.Check("", &problems)
		if of == (idempotency.External{}) {
			problems.Add("/source", "Send source and external_id.")
		}
		if err := problems.Err(); err != nil {
			return list, err
		}
		where, args := idempotency.FindExternal(l.External, of)
		found, err := record.ListJSON(
			r.Context(), m.s.Pool, Principal(r).Tenant, l.External.Name, l.External.JSON(), page, where, args)
		for _, text := range found.Rows {
			row, err := l.decode(text)
			if err != nil {
				return list, err
			}
			list.Rows = append(list.Rows, row)
		}
		return list, err
	}
}

// ExternalFact returns a record's id in another system for its page; zero without one.
func ExternalFact(of idempotency.External) templates.Fact {
	if of == (idempotency.External{}) {
		return templates.Fact{}
	}
	return templates.Fact{Label: "External id", Value: of.ExternalID + " (" + of.Source + ")"}
}
