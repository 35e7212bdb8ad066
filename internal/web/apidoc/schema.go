package apidoc

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/google/uuid"

	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// formats returns the schemas of constrained texts, by the value of the tag "format" on a field or parameter.
func formats() map[string]openapi3.Schema {
	return map[string]openapi3.Schema{
		"decimal":  {Format: "decimal", Pattern: `^[0-9]+(\.[0-9]+)?$`, Example: "50.00"},
		"number":   {Pattern: `^-?[0-9]+(\.[0-9]+)?$`, Example: "2.5"},
		"integer":  {Pattern: `^-?[0-9]+$`, Example: "42"},
		"date":     {Format: "date", Pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, Example: "2026-11-21"},
		"moment":   {Format: "date-time", Example: "2026-11-21T09:30:00Z"},
		"percent":  {Pattern: `^[0-9]+(\.[0-9]{1,3})?$`, Example: "12.5", Description: "From 0 to 100"},
		"time":     {Pattern: `^([01][0-9]|2[0-3]):[0-5][0-9]$`, Example: "09:30"},
		"uri":      {Format: "uri", MaxLength: new(uint64(2000)), Example: "https://example.com"},
		"phone":    {MaxLength: new(uint64(40)), Example: "+353 1 555 0101"},
		"currency": {Pattern: `^[A-Z]{3}$`, Example: "EUR", Description: "ISO 4217"},
		"country":  {Pattern: `^[A-Z]{2}$`, Example: "IE", Description: "ISO 3166-1 alpha-2"},
		"email":    {Format: "idn-email", Example: "ada@example.com"},
		"uuid":     {Format: "uuid", Example: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"},
	}
}

// textSchema returns the schema of a text in a format.
func textSchema(format string) *openapi3.Schema {
	schema, known := formats()[format]
	if format != "" && !known {
		panic("apidoc: no such format: " + format)
	}
	schema.Type = &openapi3.Types{openapi3.TypeString}
	return &schema
}

// schemaOf describes the JSON of a type. A member may be missing if its field has omitzero. Other tags of a field are
// format, enum, and doc, which is a sentence.
func schemaOf(t reflect.Type) (*openapi3.Schema, error) {
	ref, err := openapi3gen.NewSchemaRefForValue(reflect.New(t).Interface(), nil, openapi3gen.SchemaCustomizer(describeField))
	if err != nil {
		return nil, fmt.Errorf("describe %v: %w", t, err)
	}
	return ref.Value, nil
}

func describeField(_ string, t reflect.Type, tag reflect.StructTag, schema *openapi3.Schema) error {
	if strings.HasSuffix(tag.Get("json"), ",embed") {
		return &openapi3gen.ExcludeSchemaSentinel{}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[uuid.UUID]():
		*schema = *textSchema("uuid")
	case t == reflect.TypeFor[date.Date]():
		*schema = *textSchema("date")
	case t == reflect.TypeFor[time.Time]():
		*schema = *textSchema("moment")
	case t == reflect.TypeFor[money.Currency]():
		*schema = *textSchema("currency")
	case t.Kind() == reflect.String:
		*schema = *textSchema(tag.Get("format"))
	case t.Kind() == reflect.Struct:
		schema.Required = Required(t)
	}
	schema.Nullable = false
	if schema.Items != nil { // the generator puts the tag on the items too
		schema.Items.Value.Description = ""
	}
	if said := tag.Get("doc"); said != "" {
		schema.Description = said
	}
	if values := tag.Get("enum"); values != "" {
		for value := range strings.SplitSeq(values, ",") {
			schema.Enum = append(schema.Enum, value)
		}
	}
	return nil
}

// Required are the members that are always there.
func Required(t reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(t) {
		name, options, tagged := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" && (!tagged || !slices.Contains(strings.Split(options, ","), "omitzero")) {
			names = append(names, name)
		}
	}
	return names
}

// describeAnswers describes the successes of an endpoint.
func (d *description) describeAnswers(op *openapi3.Operation, e Endpoint) error {
	content := openapi3.Content{}
	for _, of := range e.Files {
		content[of] = openapi3.NewMediaType()
	}
	if e.Gives != nil {
		schema, err := d.answered(e)
		if err != nil {
			return err
		}
		content = openapi3.NewContentWithJSONSchemaRef(schema)
	}
	for _, status := range e.statuses() {
		meaning := "Done."
		if len(e.statuses()) > 1 {
			meaning = "The record exists already."
		}
		if status == http.StatusCreated {
			meaning = "Created. A repeat returns the same record."
		}
		answer := openapi3.NewResponse().WithDescription(meaning).WithContent(content)
		answer.Headers = openapi3.Headers{}
		switch {
		case e.Change != nil && !e.Change.Kind.Changes():
			d.headers(answer, "Location", "ETag", "Idempotent-Replayed")
		case e.Change != nil:
			d.headers(answer, "ETag", "Idempotent-Replayed")
		case e.Rows == "" && !e.Untagged:
			d.headers(answer, "ETag")
		}
		op.AddResponse(status, answer)
	}
	return nil
}

// answered is the schema of an answer: a record, or a page of a list.
func (d *description) answered(e Endpoint) (*openapi3.SchemaRef, error) {
	row, err := d.schema(e.Schema, e.Gives)
	if err != nil || e.Rows == "" {
		return row, err
	}
	page := openapi3.NewObjectSchema().WithRequired([]string{e.Rows})
	page.WithPropertyRef(e.Rows, openapi3.NewSchemaRef("", &openapi3.Schema{Type: &openapi3.Types{openapi3.TypeArray}, Items: row}))
	for member, name := range map[string]string{"next_cursor": "NextCursor", "prev_cursor": "PrevCursor"} {
		page.WithPropertyRef(member, openapi3.NewSchemaRef("#/components/schemas/"+name, d.Components.Schemas[name].Value))
	}
	return openapi3.NewSchemaRef("", page), nil
}

// describeProblems describes the failures of an endpoint, all with one status together.
func (d *description) describeProblems(op *openapi3.Operation, e Endpoint) {
	byStatus := map[int][]Problem{}
	for _, p := range e.Problems {
		byStatus[p.Status] = append(byStatus[p.Status], p)
	}
	for status, all := range byStatus {
		op.Responses.Set(strconv.Itoa(status), d.failure(all))
	}
}

// failure refers to the answer that is one of these problems, which have one status.
func (d *description) failure(all []Problem) *openapi3.ResponseRef {
	var slugs, titles []string
	types := openapi3.NewStringSchema()
	answer := openapi3.NewResponse()
	answer.Headers = openapi3.Headers{}
	for _, p := range all {
		slugs, titles = append(slugs, p.Slug), append(titles, p.Title)
		types.Enum = append(types.Enum, d.path+"/problems/"+p.Slug)
		switch {
		case p.Status == http.StatusUnauthorized:
			d.headers(answer, "WWW-Authenticate")
		case p.Status == http.StatusPreconditionFailed:
			d.headers(answer, "ETag")
		case p.Retry > 0:
			d.headers(answer, "Retry-After")
		}
	}
	schema := &openapi3.Schema{AllOf: openapi3.SchemaRefs{
		openapi3.NewSchemaRef("#/components/schemas/Problem", d.Components.Schemas["Problem"].Value),
		openapi3.NewSchemaRef("", openapi3.NewObjectSchema().WithProperty("type", types)),
	}}
	answer.WithDescription(strings.Join(titles, ". Or: ") + ".")
	answer.Content = openapi3.NewContentWithSchema(schema, []string{"application/problem+json"})
	name := strings.Join(slugs, ".")
	d.Components.Responses[name] = &openapi3.ResponseRef{Value: answer}
	return &openapi3.ResponseRef{Ref: "#/components/responses/" + name, Value: answer}
}

// header describes a header of an answer.
func header(meaning string, schema *openapi3.Schema) *openapi3.HeaderRef {
	return &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{
		Description: meaning, Schema: openapi3.NewSchemaRef("", schema),
	}}}
}

// always marks a header that is in each of these answers.
func always(h *openapi3.HeaderRef) *openapi3.HeaderRef {
	h.Value.Required = true
	return h
}

// describedHeaders are the headers of answers that mean something to a program.
func describedHeaders() openapi3.Headers {
	tag := openapi3.NewStringSchema()
	tag.Pattern, tag.Example = `^"v[0-9]+"$`, `"v1"`
	return openapi3.Headers{
		"ETag":     always(header("The version of the record, for If-Match.", tag)),
		"Location": always(header("The URL of the record.", openapi3.NewStringSchema())),
		"Idempotent-Replayed": header("true if the key was used before for the same request: nothing more was done.",
			openapi3.NewStringSchema().WithEnum("true")),
		"Retry-After": header("Seconds after which the same request, with the same key, may succeed.",
			openapi3.NewIntegerSchema().WithMin(1)),
		"WWW-Authenticate": always(header("Bearer", openapi3.NewStringSchema())),
	}
}

// headers adds described headers to an answer.
func (d *description) headers(answer *openapi3.Response, names ...string) {
	for _, name := range names {
		answer.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name, Value: d.Components.Headers[name].Value}
	}
}

// describedCursors returns the schemas of the cursors of a page.
func describedCursors() openapi3.Schemas {
	of := func(page string) *openapi3.SchemaRef {
		cursor := openapi3.NewStringSchema()
		cursor.Description = "The cursor of " + page + "; missing if there is none."
		return openapi3.NewSchemaRef("", cursor)
	}
	return openapi3.Schemas{"NextCursor": of("the next page"), "PrevCursor": of("the page before")}
}

// describedParameters returns the parameters that several endpoints share.
func describedParameters() openapi3.ParametersMap {
	key := openapi3.NewStringSchema().WithMinLength(1).WithMaxLength(255)
	key.Pattern, key.Example = `^[!-~]([ -~]*[!-~])?$`, "6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"
	tag := openapi3.NewStringSchema()
	tag.Example = `"v1"`
	of := func(p *openapi3.Parameter, required bool, meaning string, schema *openapi3.Schema) *openapi3.ParameterRef {
		return &openapi3.ParameterRef{Value: p.WithRequired(required).WithDescription(meaning).WithSchema(schema)}
	}
	return openapi3.ParametersMap{
		"IdempotencyKey": of(openapi3.NewHeaderParameter("Idempotency-Key"), true,
			"Identifies what you want: the same key with every retry, and a new one for each new request.", key),
		"IdempotencyKeyOptional": of(openapi3.NewHeaderParameter("Idempotency-Key"), false,
			"With a key, a repeat gets the first answer. The request is also safe without one.", key),
		"IfMatch": of(openapi3.NewHeaderParameter("If-Match"), true,
			"The ETag of the record as you read it.", tag),
		"IfMatchOptional": of(openapi3.NewHeaderParameter("If-Match"), false,
			"The ETag of the record as you read it. Without it, any version is accepted.", tag),
		"limit": of(openapi3.NewQueryParameter("limit"), false,
			"How many at most.", openapi3.NewIntegerSchema().WithMin(1).WithMax(100).WithDefault(25)),
		"cursor": of(openapi3.NewQueryParameter("cursor"), false,
			"The next_cursor or prev_cursor of another page of the same list, with the same filters and order.",
			openapi3.NewStringSchema()),
	}
}

func (d *description) parameter(name string) *openapi3.ParameterRef {
	return &openapi3.ParameterRef{Ref: "#/components/parameters/" + name, Value: d.Components.Parameters[name].Value}
}
