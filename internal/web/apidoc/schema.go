package apidoc

import (
	"fmt"
	"reflect"
	"slices"
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
