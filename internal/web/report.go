package web

import (
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/invalid"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// Report is a summary of records, such as their sums in a period: a page at its path, with a CSV file at /csv below it, and JSON in the
// API.
type Report[T any] struct {
	One     string // "tax summary"
	Path    string // "/tax-summary", or of a record "/customers/{id}/statement"
	Summary string // for the API documentation
	Query   []Parameter
	Paged   bool // whether the page and the answer of the API have a part of the rows, as in a list
	// Read computes the report of a request. An [*invalid.Error] is shown on the page.
	Read func(*http.Request) (T, error)
	// View returns the API's representation.
	View func(T) any
	// Page shows the report, or what Read returns beside problems in the query.
	Page func(r *http.Request, p templates.Page, found T, problems []string) (templ.Component, error)
	// Rows returns the rows of the CSV file, the headings first, and Name returns its name without the extension.
	Rows func(*http.Request, T) ([][]string, error)
	Name func(T) string
}

// Mount puts the report at its address.
func (rep Report[T]) Mount(s *Site) {
	under, many, below := strings.Cut(strings.TrimPrefix(rep.Path, "/"), "/{id}/")
	if !below {
		under, many = "", under
	}
	m := resource{one: rep.One, many: many, under: under, section: s.section}.mount(s)
	described := apidoc.Endpoint{
		Method: http.MethodGet, Path: rep.Path, Name: m.many + ".get", Summary: rep.Summary, Repeats: "reads", Query: rep.Query,
		Paged: rep.Paged, Gives: reflect.TypeOf(rep.View(*new(T))), Schema: apidoc.SchemaName(rep.One), Untagged: true,
	}
	m.document(described)
	m.api.read(rep.Path, func(w http.ResponseWriter, r *http.Request) error {
		found, err := rep.Read(r)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, "application/json", rep.View(found))
	})
	show := func(w http.ResponseWriter, r *http.Request, found T, err error) error {
		wrong, refused := errors.AsType[*invalid.Error](err)
		status, problems := http.StatusOK, []string(nil)
		switch {
		case refused:
			status = http.StatusUnprocessableEntity
			for _, f := range wrong.Fields {
				problems = append(problems, f.Message)
			}
		case err != nil:
			return err
		}
		page, err := rep.Page(r, s.Page(w, r), found, problems)
		if err != nil {
			return err
		}
		return s.Render(w, r, status, page)
	}
	m.pages.read(rep.Path, func(w http.ResponseWriter, r *http.Request) error {
		found, err := rep.Read(r)
		return show(w, r, found, err)
	})
	described.Path, described.Name, described.Summary = rep.Path+"/csv", m.many+".csv", "The same as a CSV file (RFC 4180)."
	described.Gives, described.Schema, described.Files, described.Paged = nil, "", []string{csvType}, false
	m.document(described)
	file := func(w http.ResponseWriter, r *http.Request, start string) error {
		found, err := rep.Read(r)
		if err != nil {
			return err
		}
		rows, err := rep.Rows(r, found)
		if err != nil {
			return err
		}
		return errors.Join(beginCSV(w, rep.Name(found), start), writeCSV(w, rows))
	}
	m.pages.read(rep.Path+"/csv", func(w http.ResponseWriter, r *http.Request) error {
		err := file(w, r, byteOrderMark)
		if errors.As(err, new(*invalid.Error)) {
			return show(w, r, *new(T), err)
		}
		return err
	})
	m.api.read(rep.Path+"/csv", func(w http.ResponseWriter, r *http.Request) error { return file(w, r, "") })
}
