// Package apidoc documents the API, as a page and as an OpenAPI document, from the endpoints that the kit has registered.
package apidoc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

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
	Paged        bool         // whether another answer is in pages, as a list is
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

// apiIntroduction returns the paragraphs at the top of the page.
func apiIntroduction(tokensFrom string) []string {
	return []string{
		"Send an API token in the header Authorization: Bearer. " + tokensFrom +
			" A read-only token gets 403 read-only for whatever changes something. " +
			"Bodies are application/json, at most 1 MiB, and more for a file. " +
			"Members are spelled exactly as documented and sent at most once.",
		"A request that creates something carries an Idempotency-Key: 1 to 255 printable ASCII characters, such as a UUID, " +
			"one for each record you want to create. Send the same key with every retry. " +
			"A repeat gets the first answer, byte for byte, with Idempotent-Replayed: true. " +
			"After the retention period, a repeat still creates nothing: it gets the current state with 200.",
		"A request that changes a record carries If-Match with the ETag that you have read. If somebody else has changed it since, " +
			"nothing is changed, and you get 412 with the current ETag, unless the record already is what you ask for. " +
			"Bringing a record into a state, such as archived, " +
			"needs neither. A key is optional for both: with one, a repeat gets the first answer.",
		"Amounts, quantities and rates are decimal strings, dates are YYYY-MM-DD, currencies are ISO 4217 codes. Lists come in " +
			"pages: next_cursor and prev_cursor lead to the others.",
	}
}

// retryContract returns the rules for clients by which nothing is created twice and nothing is lost.
func retryContract() []string {
	return []string{
		"Make one key for each record you want to create, and store it before the first attempt.",
		"Without an answer, send the same request with the same key again: after a timeout, a lost connection, 5xx, 429, or 409 " +
			"in-progress. It does not matter whether the first attempt was carried out.",
		"Wait in between for as long as Retry-After says, and for a time that doubles with each attempt up to a limit, " +
			"part of it random. Give up after some attempts, keep the key, and come back later.",
		"Any other answer is final for this body. The same key can be sent with a corrected one.",
	}
}

// Page is the reference for people, with examples for an address. tokensFrom is a sentence on where tokens are made.
func Page(resources []Resource, address, tokensFrom string) (page templates.APIDocs, err error) {
	page = templates.APIDocs{Intro: apiIntroduction(tokensFrom), Retries: retryContract()}
	for _, res := range resources {
		section := templates.APISection{Title: res.Title, Anchor: res.Many}
		for _, e := range res.Endpoints {
			shown, err := e.documented()
			if err != nil {
				return page, err
			}
			section.Endpoints = append(section.Endpoints, shown)
			if page.Example == "" && shown.Example != "" {
				page.Example = curl(address, e, shown.Example)
			}
		}
		page.Sections = append(page.Sections, section)
		page.Rules = append(page.Rules, Rules(res.Rules)...)
	}
	return page, nil
}

// Rules are uniqueness rules as pages show them.
func Rules(all []conflict.Rule) (shown []templates.Rule) {
	for _, rule := range all {
		shown = append(shown, templates.Rule{Sentence: rule.Sentence, Answer: rule.Answer})
	}
	return shown
}

// curl is a request to run in a shell.
func curl(address string, e Endpoint, body string) string {
	return "curl '" + address + e.Path + "' \\\n" +
		"  -H 'Authorization: Bearer oo_demo_acme' -H 'Content-Type: application/json' \\\n" +
		"  -H 'Idempotency-Key: 6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11' \\\n" +
		"  -d '" + body + "'"
}

// documented is the Endpoint as the page shows it.
func (e Endpoint) documented() (shown templates.Endpoint, err error) {
	shown = templates.Endpoint{Anchor: e.Name, Method: e.Method, Path: e.Path, Summary: e.Summary, Repeats: e.Repeats}
	for _, p := range e.Query {
		shown.Parameters = append(shown.Parameters, templates.APIField{
			Name: p.Name, Type: typeName(textSchema(p.Format)), Meaning: meaning(p.Meaning, p.Values),
		})
	}
	for _, p := range e.Problems {
		shown.Problems = append(shown.Problems, p.Shown())
	}
	if e.Change == nil {
		return shown, nil
	}
	shown.Kept = Hours(e.Change.Retain)
	if e.Change.Takes != nil {
		schema, err := schemaOf(e.Change.Takes)
		if err != nil {
			return shown, err
		}
		shown.Body = fieldsOf("", e.Change.Takes, schema)
	}
	if e.Change.Example != nil {
		body, err := json.MarshalIndent(e.Change.Example, "", "  ")
		if err != nil {
			return shown, fmt.Errorf("the example of %s: %w", e.Name, err)
		}
		shown.Example = string(body)
	}
	return shown, nil
}

// fieldsOf lists the members of an object with those of the objects in it, in the order of the Go type.
func fieldsOf(prefix string, t reflect.Type, schema *openapi3.Schema) (fields []templates.APIField) {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		ref, ok := schema.Properties[name]
		if !ok {
			continue
		}
		var allowed []string
		for _, value := range ref.Value.Enum {
			allowed = append(allowed, value.(string)) //nolint:forcetypeassert // enums of texts only
		}
		shown := templates.APIField{
			Name: prefix + name, Type: typeName(ref.Value), Meaning: meaning(ref.Value.Description, allowed),
			Required: slices.Contains(schema.Required, name),
		}
		fields = append(fields, shown)
		inner, of := field.Type, ref.Value
		if of.Items != nil {
			inner, of, name = inner.Elem(), of.Items.Value, name+"[]"
		}
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && of.Properties != nil {
			fields = append(fields, fieldsOf(prefix+name+".", inner, of)...)
		}
	}
	return fields
}

// typeName returns the displayed name of a schema's type.
func typeName(schema *openapi3.Schema) string {
	switch {
	case schema.Format == "idn-email":
		return "email"
	case schema.Format != "":
		return schema.Format
	case schema.Description == "ISO 4217":
		return "currency"
	case schema.Type.Is(openapi3.TypeString):
		return "text"
	default:
		return (*schema.Type)[0]
	}
}

// meaning is a sentence with the values that are allowed.
func meaning(sentence string, allowed []string) string {
	if len(allowed) > 0 {
		sentence = strings.TrimSpace(sentence + " One of " + strings.Join(allowed, ", ") + ".")
	}
	return sentence
}

// Hours is a time in words: "24 hours".
func Hours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }
