package apidoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// description is the OpenAPI document while it is built.
type description struct {
	*openapi3.T

	path  string                  // of the app
	types map[string]reflect.Type // of the schemas, by their names
}

// OpenAPI makes the OpenAPI document of an app at a path of its host, "" for the root, in which failures have the type problem.
// tokensFrom is a sentence on where tokens are made. It returns an error for a type that has no schema.
func OpenAPI(resources []Resource, problem reflect.Type, path, tokensFrom string) ([]byte, error) {
	d := &description{&openapi3.T{
		OpenAPI: "3.1.0",
		Info: &openapi3.Info{
			Title: templates.Product, Version: "v1", Description: strings.Join(apiIntroduction(tokensFrom), "\n\n"),
		},
		Servers:  openapi3.Servers{{URL: cmp.Or(path, "/")}},
		Security: openapi3.SecurityRequirements{{"token": {}}},
		Paths:    openapi3.NewPaths(),
		Components: &openapi3.Components{
			SecuritySchemes: openapi3.SecuritySchemes{"token": {Value: openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer")}},
			Schemas:         describedCursors(), Responses: openapi3.ResponseBodies{}, Headers: describedHeaders(),
			Parameters: describedParameters(),
		},
		ExternalDocs: &openapi3.ExternalDocs{URL: path + "/docs/api", Description: "The same for people, with a guide to retries"},
	}, path, map[string]reflect.Type{}}
	if _, err := d.schema("Problem", problem); err != nil {
		return nil, err
	}
	for _, res := range resources {
		for _, e := range res.Endpoints {
			if err := d.add(res, e); err != nil {
				return nil, err
			}
		}
		d.Tags = append(d.Tags, &openapi3.Tag{Name: res.Many})
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
func (d *description) add(res Resource, e Endpoint) error {
	op := openapi3.NewOperation()
	op.OperationID, op.Summary, op.Tags = e.Name, e.Summary, []string{res.Many}
	if e.Change != nil {
		op.Description = "When repeated: " + e.Repeats + "."
	}
	op.Responses = openapi3.NewResponsesWithCapacity(len(e.Problems))
	for range strings.Count(e.Path, "{id}") {
		op.AddParameter(&openapi3.Parameter{Name: "id", In: "path", Required: true, Schema: openapi3.NewSchemaRef("", textSchema("uuid"))})
	}
	d.describeQuery(op, e)
	if err := d.describeChange(op, res, e); err != nil {
		return err
	}
	if err := d.describeAnswers(op, e); err != nil {
		return err
	}
	d.describeProblems(op, e)
	d.AddOperation(e.Path, e.Method, op)
	return nil
}

func (d *description) describeQuery(op *openapi3.Operation, e Endpoint) {
	if e.Rows != "" || e.Paged {
		for _, name := range []string{"limit", "cursor"} {
			op.Parameters = append(op.Parameters, d.parameter(name))
		}
	}
	for _, p := range e.Query {
		schema := textSchema(p.Format)
		for _, value := range p.Values {
			schema.Enum = append(schema.Enum, value)
		}
		op.AddParameter(openapi3.NewQueryParameter(p.Name).WithDescription(p.Meaning).WithSchema(schema))
	}
}

func (d *description) describeChange(op *openapi3.Operation, res Resource, e Endpoint) error {
	c := e.Change
	if c == nil {
		return nil
	}
	op.Extensions = map[string]any{"x-kind-of-change": kindNames()[c.Kind], "x-retention-seconds": int(c.Retain / time.Second)}
	switch c.Kind {
	case idempotency.Change:
		op.Parameters = append(op.Parameters, d.parameter("IdempotencyKeyOptional"), d.parameter("IfMatch"))
	case idempotency.Transition:
		op.Parameters = append(op.Parameters, d.parameter("IdempotencyKeyOptional"), d.parameter("IfMatchOptional"))
	default:
		op.Parameters = append(op.Parameters, d.parameter("IdempotencyKey"))
	}
	if c.Takes == nil {
		return nil
	}
	name := SchemaName(res.One)
	if c.Kind == idempotency.Transition {
		name += SchemaName(path.Base(e.Path)) // its verb
	}
	input, err := d.schema(name+"Input", c.Takes)
	if err != nil {
		return err
	}
	input.Value.WithoutAdditionalProperties()
	body := openapi3.NewMediaType().WithSchemaRef(input)
	if c.Example != nil {
		if body.Example, err = plainJSON(c.Example); err != nil {
			return err
		}
	}
	op.RequestBody = &openapi3.RequestBodyRef{
		Value: openapi3.NewRequestBody().WithRequired(len(Required(c.Takes)) > 0).WithContent(openapi3.Content{"application/json": body}),
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

// SchemaName returns the name of a resource's schema: "CreditNote" for "credit note".
func SchemaName(one string) string {
	words := strings.FieldsFunc(one, func(r rune) bool { return r == ' ' || r == '-' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
