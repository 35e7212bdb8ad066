package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"onlyonce/internal/idempotency"
)

// examples sends exactly the examples of openapi.json.
type examples struct {
	*bundle

	doc     *openapi3.T
	program *client
	sent    int
}

// TestEveryExampleRuns sends each example to its operation, and expects the described result. conforms checks the schemas of
// the answers.
func TestEveryExampleRuns(t *testing.T) {
	b := setup(t)
	e := &examples{bundle: b, doc: b.openAPI(), program: b.program(b.replica, b.acme)}
	for _, of := range b.casesOf(resources()...) {
		if of.resource.people {
			continue
		}
		if of.kind == idempotency.Transition {
			made := e.make(of.resource, of.state.from...)
			e.want(http.StatusOK, e.send(http.MethodPost, strings.ReplaceAll(of.api, "{id}", made), "", nil))
			continue
		}
		item := e.doc.Paths.Value(of.api)
		if item == nil || item.GetOperation(of.method).RequestBody == nil {
			t.Errorf("%s has no body in openapi.json", of.operation)
			continue
		}
		body := item.GetOperation(of.method).RequestBody.Value.Content["application/json"]
		if body.Example == nil {
			t.Errorf("%s has no example: give its resource one", of.operation)
			continue
		}
		made := e.make(of.resource)
		if of.kind == idempotency.Change {
			address := strings.ReplaceAll(of.api, "{id}", made)
			seen := e.program.get(address).header.Get("ETag")
			e.want(http.StatusOK, e.send(of.method, address, seen, body.Example))
		}
		e.without(of, body)
		if !item.GetOperation(of.method).RequestBody.Value.Required {
			e.want(http.StatusCreated, e.send(of.method, strings.ReplaceAll(of.api, "{id}", e.idFor(of)), "", nil))
		}
	}
	e.parameters()
	if e.sent < 20 {
		t.Errorf("only %d examples", e.sent)
	}
}

// make creates a resource from its example in a new tenant, where no unique value is taken, applies the verbs, and returns its
// id. A singleton exists already.
func (e *examples) make(of resource, verbs ...string) string {
	e.Helper()
	if of.only {
		return ""
	}
	e.acme = e.tenant(fmt.Sprint("Example ", e.sent))
	e.program = e.bundle.program(e.replica, e.acme)
	return e.makeHere(of, verbs...)
}

// makeHere creates a resource after its parent.
func (e *examples) makeHere(of resource, verbs ...string) string {
	e.Helper()
	e.refer(of, e.acme)
	address := "/api/v1" + of.list()
	if of.parent != nil {
		address = strings.ReplaceAll(address, "{id}", e.makeHere(of.parent.resource, of.parent.ready...))
	}
	op := e.doc.Paths.Value("/api/v1" + of.list()).Post
	made := e.send(http.MethodPost, address, "", op.RequestBody.Value.Content["application/json"].Example)
	if made.status != http.StatusCreated {
		e.Fatalf("the example of %s: %v", op.OperationID, made)
	}
	id := decode[created](e.bundle, made).ID
	for _, verb := range verbs {
		e.want(http.StatusOK, e.send(http.MethodPost, "/api/v1"+of.path+"/"+id+"/"+verb, "", nil))
	}
	return id
}

// without sends an example without each of its members: a required one must be missed.
func (e *examples) without(of caseRun, body *openapi3.MediaType) {
	e.Helper()
	address := strings.ReplaceAll(of.api, "{id}", e.idFor(of))
	for _, name := range body.Schema.Value.Required {
		less := map[string]any{}
		for member, value := range body.Example.(map[string]any) {
			if member != name {
				less[member] = value
			}
		}
		a := e.send(of.method, address, `"v1"`, less)
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `"/`+name) {
			e.Errorf("%s is required of %s, and leaving it out gets %v", name, of.operation, a)
		}
	}
}

// idFor returns the id in the address of an operation.
func (e *examples) idFor(of caseRun) string {
	switch {
	case of.kind == idempotency.Change:
		return e.make(of.resource)
	case of.resource.parent != nil:
		return e.make(of.resource.parent.resource, of.resource.parent.ready...)
	default:
		return ""
	}
}

// parameters requests each list with each described value of each parameter, and each address with an id once.
func (e *examples) parameters() {
	e.Helper()
	for _, of := range programResources() {
		made := e.make(of)
		for path, item := range e.doc.Paths.Map() {
			switch {
			case item.Get == nil:
			case path == "/api/v1"+of.list() && of.parent == nil:
				e.list(path, item.Get)
			case of.only && strings.HasPrefix(path, "/api/v1"+of.path):
				e.want(http.StatusOK, e.send(http.MethodGet, path, "", nil))
			case strings.HasPrefix(path, "/api/v1"+of.path+"/{id}"):
				e.want(http.StatusOK, e.send(http.MethodGet, strings.ReplaceAll(path, "{id}", made), "", nil), http.StatusConflict)
			}
		}
	}
}

func (e *examples) list(path string, op *openapi3.Operation) {
	e.Helper()
	e.want(http.StatusOK, e.send(http.MethodGet, path, "", nil))
	for _, ref := range op.Parameters {
		p := ref.Value
		values := p.Schema.Value.Enum
		if p.Schema.Value.Example != nil {
			values = append(values, p.Schema.Value.Example)
		}
		if p.Schema.Value.Max != nil {
			values = append(values, *p.Schema.Value.Max, *p.Schema.Value.Min, p.Schema.Value.Default)
		}
		for _, value := range values {
			query := url.Values{p.Name: {fmt.Sprint(value)}}
			e.want(http.StatusOK, e.send(http.MethodGet, path+"?"+query.Encode(), "", nil))
		}
	}
}

func (e *examples) send(method, address, seen string, body any) answer {
	e.Helper()
	e.sent++
	program := e.program.with("Idempotency-Key", fmt.Sprint("example ", e.sent))
	if seen != "" {
		program = program.with("If-Match", seen)
	}
	text := ""
	if body != nil {
		text = encode(body)
	}
	return program.must(program.send(e.Context(), method, address, text))
}

func (e *examples) want(status int, a answer, or ...int) {
	e.Helper()
	if a.status != status && !slices.Contains(or, a.status) {
		e.Errorf("want %d, got %v", status, a)
	}
}
