package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// examples sends exactly the examples of openapi.json.
type examples struct {
	*sitetest.Bundle

	doc     *openapi3.T
	program *sitetest.Client
	sent    int
}

// TestEveryExampleRuns sends each example to its operation, and expects the described result. conforms checks the schemas of
// the answers.
func TestEveryExampleRuns(t *testing.T) {
	b := setup(t)
	e := &examples{Bundle: b, doc: b.OpenAPI(), program: b.Program(b.Replica, b.Acme)}
	for _, of := range b.CasesOf(sitecases.Resources()...) {
		if of.Resource.People {
			continue
		}
		if of.Kind == idempotency.Transition {
			made := e.make(of.Resource, of.State.From...)
			e.want(http.StatusOK, e.send(http.MethodPost, strings.ReplaceAll(of.API, "{id}", made), "", nil))
			continue
		}
		item := e.doc.Paths.Value(of.API)
		if item == nil || item.GetOperation(of.Method).RequestBody == nil {
			t.Errorf("%s has no body in openapi.json", of.Operation)
			continue
		}
		body := item.GetOperation(of.Method).RequestBody.Value.Content["application/json"]
		if body.Example == nil {
			t.Errorf("%s has no example: give its resource one", of.Operation)
			continue
		}
		made := e.make(of.Resource)
		if of.Kind == idempotency.Change {
			address := strings.ReplaceAll(of.API, "{id}", made)
			seen := e.program.Get(address).Header.Get("ETag")
			e.want(http.StatusOK, e.send(of.Method, address, seen, body.Example))
		}
		e.without(of, body)
		if of.Kind != idempotency.Change && !item.GetOperation(of.Method).RequestBody.Value.Required {
			e.want(http.StatusCreated, e.send(of.Method, strings.ReplaceAll(of.API, "{id}", e.idFor(of)), "", nil))
		}
	}
	e.parameters()
	assert.Thatf(t, e.sent >= 20, "only %d examples", e.sent)
}

// make creates a resource from its example in a new tenant, where no unique value is taken, applies the verbs, and returns its
// id. A singleton exists already.
func (e *examples) make(of sitetest.Resource, verbs ...string) string {
	e.Helper()
	if of.Only {
		return ""
	}
	e.Acme = e.Tenant(fmt.Sprint("Example ", e.sent))
	e.program = e.Bundle.Program(e.Replica, e.Acme)
	return e.makeHere(of, verbs...)
}

// makeHere creates a resource after its parent.
func (e *examples) makeHere(of sitetest.Resource, verbs ...string) string {
	e.Helper()
	if of.Arrives != nil {
		return sitetest.Decode[sitetest.Created](e.Bundle, e.program.Create(of, "arrived", of.Command)).ID
	}
	e.Refer(of, e.Acme)
	address := "/api/v1" + of.List()
	if of.Parent != nil {
		address = strings.ReplaceAll(address, "{id}", e.makeHere(of.Parent.Resource, of.Parent.Ready...))
	}
	op := e.doc.Paths.Value("/api/v1" + of.List()).Post
	made := e.send(http.MethodPost, address, "", op.RequestBody.Value.Content["application/json"].Example)
	must.Thatf(e, made.Status == http.StatusCreated, "the example of %s: %v", op.OperationID, made)
	id := sitetest.Decode[sitetest.Created](e.Bundle, made).ID
	for _, verb := range verbs {
		e.want(http.StatusOK, e.send(http.MethodPost, "/api/v1"+of.Path+"/"+id+"/"+verb, "", nil))
	}
	return id
}

// without sends an example without each of its members: a required one must be missed.
func (e *examples) without(of sitetest.Case, body *openapi3.MediaType) {
	e.Helper()
	address := strings.ReplaceAll(of.API, "{id}", e.idFor(of))
	for _, name := range body.Schema.Value.Required {
		less := map[string]any{}
		for member, value := range body.Example.(map[string]any) {
			if member != name {
				less[member] = value
			}
		}
		a := e.send(of.Method, address, `"v1"`, less)
		assert.Thatf(e, a.Status == http.StatusUnprocessableEntity && strings.Contains(a.Body, `"/`+name),
			"%s is required of %s, and leaving it out gets %v", name, of.Operation, a)
	}
}

// idFor returns the id in the address of an operation.
func (e *examples) idFor(of sitetest.Case) string {
	switch {
	case of.Kind == idempotency.Change:
		return e.make(of.Resource)
	case of.Resource.Parent != nil:
		return e.make(of.Resource.Parent.Resource, of.Resource.Parent.Ready...)
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
			case path == "/api/v1"+of.List() && of.Parent == nil:
				e.list(path, item.Get)
			case of.Only && strings.HasPrefix(path, "/api/v1"+of.Path):
				e.want(http.StatusOK, e.send(http.MethodGet, path, "", nil))
			case strings.HasPrefix(path, "/api/v1"+of.Path+"/{id}"):
				or := []int{http.StatusConflict}
				if item.Get.Responses.Status(http.StatusOK).Value.Content["application/json"] == nil { // a record may have no file
					or = append(or, http.StatusNotFound)
				}
				e.want(http.StatusOK, e.send(http.MethodGet, strings.ReplaceAll(path, "{id}", made), "", nil), or...)
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

func (e *examples) send(method, address, seen string, body any) sitetest.Answer {
	e.Helper()
	e.sent++
	program := e.program.With("Idempotency-Key", fmt.Sprint("example ", e.sent))
	if seen != "" {
		program = program.With("If-Match", seen)
	}
	text := ""
	if body != nil {
		text = sitetest.Encode(body)
	}
	return program.Must(program.Send(e.Context(), method, address, text))
}

func (e *examples) want(status int, a sitetest.Answer, or ...int) {
	e.Helper()
	assert.Thatf(e, a.Status == status || slices.Contains(or, a.Status), "want %d, got %v", status, a)
}

// TestOpenAPIHasEveryRoute: every route is described, and every description has a route. The document and its examples are
// valid.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	b := setup(t)
	doc := b.OpenAPI()
	err := doc.Validate(t.Context())
	assert.Thatf(t, err == nil, "%v", err)
	var described, routed []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	for _, route := range b.Routes {
		if strings.HasPrefix(route.Path, "/api/v1/") {
			routed = append(routed, route.Method+" "+route.Path)
		}
	}
	slices.Sort(described)
	slices.Sort(routed)
	assert.Thatf(t, slices.Equal(described, routed) && len(routed) >= 10,
		"openapi.json describes\n%s\nand the API has\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
}

// TestOpenAPIIsCached: a matching If-None-Match gets 304.
func TestOpenAPIIsCached(t *testing.T) {
	b := setup(t)
	stranger := b.Stranger(b.Replica)
	first := stranger.Get("/openapi.json")
	again := stranger.With("If-None-Match", first.Header.Get("ETag")).Get("/openapi.json")
	other := stranger.With("If-None-Match", `"other"`).Get("/openapi.json")
	if again.Status != http.StatusNotModified || again.Body != "" || other.Status != http.StatusOK || len(other.Body) > 312_000 {
		t.Errorf("%v, %d bytes", again, len(other.Body))
	}
}
