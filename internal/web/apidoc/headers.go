package apidoc

import (
	"github.com/getkin/kin-openapi/openapi3"
)

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
