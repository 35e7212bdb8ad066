package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// description is the API as an OpenAPI document, while it is made from what is registered.
type description struct {
	*openapi3.T

	types map[string]reflect.Type // of the schemas, by their names
}

// describe makes the OpenAPI document. It returns an error for a type that has no schema.
func (s *Server) describe() ([]byte, error) {
	d := &description{&openapi3.T{
		OpenAPI: "3.1.0",
		Info: &openapi3.Info{
			Title: templates.Product, Version: "v1", Description: strings.Join(apiIntroduction(), "\n\n"),
		},
		Servers:  openapi3.Servers{{URL: "/"}},
		Security: openapi3.SecurityRequirements{{"token": {}}},
		Paths:    openapi3.NewPaths(),
		Components: &openapi3.Components{
			SecuritySchemes: openapi3.SecuritySchemes{"token": {Value: openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer")}},
			Schemas:         openapi3.Schemas{}, Responses: openapi3.ResponseBodies{}, Headers: describedHeaders(),
			Parameters: describedParameters(),
		},
		ExternalDocs: &openapi3.ExternalDocs{URL: "/docs/api", Description: "The same for people, with a guide to retries"},
	}, map[string]reflect.Type{}}
	if _, err := d.schema("Problem", reflect.TypeFor[problemJSON]()); err != nil {
		return nil, err
	}
	for _, reg := range s.resources {
		if len(reg.endpoints) == 0 {
			continue
		}
		for _, e := range reg.endpoints {
			if err := d.add(reg, e); err != nil {
				return nil, err
			}
		}
		d.Tags = append(d.Tags, &openapi3.Tag{Name: reg.many})
	}
	text, err := json.Marshal(d.T)
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return text, nil
}

// schema refers to the schema of a type, which is added under a name.
func (d *description) schema(name string, t reflect.Type) (*openapi3.SchemaRef, error) {
	if other, ok := d.types[name]; ok && other != t {
		return nil, fmt.Errorf("describe the API: the schema %s is of %v and of %v", name, other, t)
	}
	schema, err := schemaOf(t)
	if err != nil {
		return nil, err
	}
	d.types[name], d.Components.Schemas[name] = t, openapi3.NewSchemaRef("", schema)
	return openapi3.NewSchemaRef("#/components/schemas/"+name, schema), nil
}

// add describes an endpoint.
func (d *description) add(reg *registration, e endpoint) error {
	op := openapi3.NewOperation()
	op.OperationID, op.Summary, op.Tags = e.name, e.summary, []string{reg.many}
	op.Description = "When repeated: " + e.repeats + "."
	op.Responses = openapi3.NewResponsesWithCapacity(len(e.problems()))
	for range strings.Count(e.path, "{id}") {
		op.AddParameter(&openapi3.Parameter{Name: "id", In: "path", Required: true, Schema: openapi3.NewSchemaRef("", textSchema("uuid"))})
	}
	d.describeList(op, e)
	if err := d.describeChange(op, reg, e); err != nil {
		return err
	}
	if err := d.describeAnswers(op, e); err != nil {
		return err
	}
	d.describeProblems(op, e)
	d.AddOperation(e.path, e.method, op)
	return nil
}

func (d *description) describeList(op *openapi3.Operation, e endpoint) {
	if e.rows == "" {
		return
	}
	for _, name := range []string{"limit", "cursor"} {
		op.Parameters = append(op.Parameters, d.parameter(name))
	}
	for _, p := range e.query {
		schema := textSchema(p.Format)
		for _, value := range p.Values {
			schema.Enum = append(schema.Enum, value)
		}
		op.AddParameter(openapi3.NewQueryParameter(p.Name).WithDescription(p.Meaning).WithSchema(schema))
	}
}

func (d *description) describeChange(op *openapi3.Operation, reg *registration, e endpoint) error {
	c := e.change
	if c == nil {
		return nil
	}
	op.Description += " The first answer is kept for " + hours(c.retain) + "."
	op.Extensions = map[string]any{"x-kind-of-change": kindNames()[c.kind], "x-retention-seconds": int(c.retain / time.Second)}
	switch c.kind {
	case idempotency.Change:
		op.Parameters = append(op.Parameters, d.parameter("IdempotencyKeyOptional"), d.parameter("IfMatch"))
	case idempotency.Transition:
		op.Parameters = append(op.Parameters, d.parameter("IdempotencyKeyOptional"), d.parameter("IfMatchOptional"))
	default:
		op.Parameters = append(op.Parameters, d.parameter("IdempotencyKey"))
	}
	if c.takes == nil {
		return nil
	}
	input, err := d.schema(schemaName(reg.one)+"Input", c.takes)
	if err != nil {
		return err
	}
	input.Value.WithoutAdditionalProperties()
	body := openapi3.NewMediaType().WithSchemaRef(input)
	if c.example != nil {
		if body.Example, err = plainJSON(c.example); err != nil {
			return err
		}
	}
	op.RequestBody = &openapi3.RequestBodyRef{
		Value: openapi3.NewRequestBody().WithRequired(len(required(c.takes)) > 0).WithContent(openapi3.Content{"application/json": body}),
	}
	return nil
}

// plainJSON is a value as JSON has it: maps, slices and texts.
func plainJSON(v any) (plain any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		return nil, fmt.Errorf("describe the API: the example %v: %w", v, err)
	}
	return plain, nil
}

// kindNames are the kinds of change as the documentation calls them.
func kindNames() map[idempotency.Kind]string {
	return map[idempotency.Kind]string{
		idempotency.Create: "create", idempotency.Upsert: "upsert", idempotency.Change: "change", idempotency.Transition: "transition",
	}
}

// schemaName is what the schema of a resource is called: "CreditNote" for "credit note".
func schemaName(one string) string {
	words := strings.FieldsFunc(one, func(r rune) bool { return r == ' ' || r == '-' })
	for i, word := range words {
		words[i] = Capital(word)
	}
	return strings.Join(words, "")
}

func (s *Server) showOpenAPI(w http.ResponseWriter, r *http.Request) error {
	text, err := s.openAPI()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache") // ask whether it is still the same
	w.Header().Set("ETag", strconv.Quote(fmt.Sprintf("%x", sha256.Sum256(text))))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	return nil
}
