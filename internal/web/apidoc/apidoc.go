// Package apidoc documents the API, as a page and as an OpenAPI document, from the endpoints that the kit has registered.
package apidoc

import (
	"net/http"
	"reflect"
	"time"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// Resource is a part of the API.
type Resource struct {
	One, Many string // "credit note", "credit-notes"
	Title     string // "Credit notes"
	Endpoints []Endpoint
	Rules     []conflict.Rule
}

// Endpoint is a route of the API. It is made where the route is registered.
type Endpoint struct {
	Method, Path string // from the root
	Name         string // "invoice.create", "invoices.list"
	Summary      string
	Repeats      string // the effect of a repeated request
	Change       *Change
	Query        []Parameter  // besides limit and cursor of a list
	Rows         string       // the member that has the rows of a list; "" if it is none
	Gives        reflect.Type // the JSON of the answer, or of a row; nil for a file
	Schema       string       // what that is called, see SchemaName
	Files        []string     // the content types of a file; nil for JSON
	Untagged     bool         // whether the answer, which is no list, has no ETag
	Problems     []Problem    // that it may answer with, in the order of their status
}

// Change describes the operation of an endpoint.
type Change struct {
	Kind   idempotency.Kind
	Retain time.Duration
	Takes  reflect.Type // the JSON of the body; nil for none
	// Example is a body that is accepted; nil for none.
	Example any
}

// Parameter is one of the address of a list.
type Parameter struct {
	Name, Meaning string
	Format        string   // see formats; "" for plain text
	Values        []string // that it may have; nil for any
}

// Problem is one kind of failure: its page at /problems/<slug> is the "type" of RFC 9457.
type Problem struct {
	Slug    string
	Status  int
	Title   string
	Meaning string
	ToDo    string
	// Retry is the Retry-After in seconds, 0 for none. With one, the same request may succeed later.
	Retry int
}

// Shown is the problem as a page shows it.
func (p Problem) Shown() templates.Problem {
	return templates.Problem{Href: "/problems/" + p.Slug, Title: p.Title, Status: p.Status, Meaning: p.Meaning, ToDo: p.ToDo}
}

// statuses returns the status codes of successes.
func (e Endpoint) statuses() []int {
	switch {
	case e.Change == nil || e.Change.Kind.Changes():
		return []int{http.StatusOK}
	default: // 200 for a late retry, and for an existing record
		return []int{http.StatusOK, http.StatusCreated}
	}
}
