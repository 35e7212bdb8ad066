package apidoc

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

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
			meaning = "The record that already existed, or that the first request created."
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
	for _, cursor := range []string{"next_cursor", "prev_cursor"} {
		page.WithProperty(cursor, openapi3.NewStringSchema())
	}
	page.Properties["next_cursor"].Value.Description = "The cursor of the next page; missing if there is none."
	page.Properties["prev_cursor"].Value.Description = "The cursor of the page before; missing if there is none."
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
