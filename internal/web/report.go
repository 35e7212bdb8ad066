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

// Report is a summary of records, such as their sums in a period: a page at its path, with a CSV file at /csv and perhaps a PDF file at
// /pdf below it, and JSON in the API.
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
	// PDF returns the PDF file, or an [*invalid.Error], which is shown on the page; nil without such a file.
	PDF func(*http.Request, T) (File, error)
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
	described.Gives, described.Schema, described.Paged = nil, "", false
	rep.mountFiles(m, described, show)
}

// mountFiles puts the files of the report below its address. refuse shows the page for an [*invalid.Error].
func (rep Report[T]) mountFiles(
	m *resource, described apidoc.Endpoint, refuse func(http.ResponseWriter, *http.Request, T, error) error,
) {
	file := func(extension, contentType, summary string, page, api func(http.ResponseWriter, *http.Request, T) error) {
		path := rep.Path + "/" + extension
		described.Path, described.Name, described.Summary, described.Files = path, m.many+"."+extension, summary, []string{contentType}
		described.Untagged = contentType == csvType
		m.document(described)
		m.pages.read(path, func(w http.ResponseWriter, r *http.Request) error {
			found, err := rep.Read(r)
			if err == nil {
				err = page(w, r, found)
			}
			if errors.As(err, new(*invalid.Error)) {
				return refuse(w, r, found, err)
			}
			return err
		})
		m.api.read(path, func(w http.ResponseWriter, r *http.Request) error {
			found, err := rep.Read(r)
			if err != nil {
				return err
			}
			return api(w, r, found)
		})
	}
	csv := func(start string) func(http.ResponseWriter, *http.Request, T) error {
		return func(w http.ResponseWriter, r *http.Request, found T) error {
			rows, err := rep.Rows(r, found)
			if err != nil {
				return err
			}
			return errors.Join(beginCSV(w, rep.Name(found), start), writeCSV(w, rows))
		}
	}
	file("csv", csvType, "The same as a CSV file (RFC 4180).", csv(byteOrderMark), csv(""))
	if rep.PDF != nil {
		pdf := func(w http.ResponseWriter, r *http.Request, found T) error {
			made, err := rep.PDF(r, found)
			if err == nil {
				made.served("application/pdf").write(w, r)
			}
			return err
		}
		file("pdf", "application/pdf", "The same as a PDF file.", pdf, pdf)
	}
}
