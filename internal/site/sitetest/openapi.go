package sitetest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// contract describes the answers of the OpenAPI document, by "METHOD /path status".
type contract map[string]described

// described is the description of an answer.
type described struct {
	schemas map[string]*jsonschema.Schema // by content type; nil for a file
	headers map[string]bool               // whether each header is required
}

// theContract is read once, because all servers have the same document.
var theContract struct {
	sync.Once
	contract
}

// OpenAPI returns the OpenAPI document of the server.
func (b *Bundle) OpenAPI() *openapi3.T {
	b.Helper()
	a := b.Stranger(b.Replica).Get("/openapi.json")
	must.Thatf(b, a.Status == http.StatusOK && a.Header.Get("Content-Type") == "application/json", "%v", a)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(a.Body))
	must.OK(b, err)
	return doc
}

// conforms compares an answer of the API with the document.
func (b *Bundle) conforms(method, target string, a Answer) {
	b.Helper()
	path, _, _ := strings.Cut(target, "?")
	route := chi.NewRouteContext()
	toUs := a.Header.Get("X-Content-Type-Options") != "" // net/http answers malformed HTTP without the server
	if !toUs || !strings.HasPrefix(path, "/api/v1/") || b.Replica == nil || !b.Mux.Match(route, method, path) {
		return
	}
	theContract.Do(func() { theContract.contract = b.contract() })
	operation := method + " " + route.RoutePattern() + " " + http.StatusText(a.Status)
	want, ok := theContract.contract[operation]
	if !ok {
		b.Errorf("openapi.json does not describe %s: %v", operation, a)
		return
	}
	for _, name := range []string{"ETag", "Location", "Idempotent-Replayed", "Retry-After", "WWW-Authenticate"} {
		if required, known := want.headers[name]; a.Header.Get(name) == "" && required || a.Header.Get(name) != "" && !known {
			b.Errorf("the header %s of %s is not as openapi.json describes it: %v", name, operation, a)
		}
	}
	schema, known := want.schemas[a.Header.Get("Content-Type")]
	assert.Thatf(b, known, "openapi.json does not describe the type of %s: %v", operation, a)
	if schema == nil {
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Body))
	if err == nil {
		err = schema.Validate(value)
	}
	assert.Thatf(b, err == nil, "the answer of %s is not as openapi.json describes it: %v\n%v", operation, err, a)
}

// contract reads the document with another library than it is generated with.
func (b *Bundle) contract() contract {
	b.Helper()
	doc := b.OpenAPI()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	const address = "https://example.com/openapi.json" // absolute, because a relative one would be resolved in the working directory
	must.OK(b, compiler.AddResource(address, closed(doc)))
	all := contract{}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status, ref := range op.Responses.Map() {
				d := described{map[string]*jsonschema.Schema{}, map[string]bool{}}
				for name, header := range ref.Value.Headers {
					d.headers[name] = header.Value.Required
				}
				at := "/paths/" + escape.Replace(path) + "/" + strings.ToLower(method) + "/responses/" + status
				if ref.Ref != "" {
					at = strings.TrimPrefix(ref.Ref, "#")
				}
				for contentType, media := range ref.Value.Content {
					d.schemas[contentType] = nil
					if media.Schema != nil {
						of := "/content/" + escape.Replace(contentType) + "/schema"
						d.schemas[contentType] = compiler.MustCompile(address + "#" + at + of)
					}
				}
				code, _ := json.Number(status).Int64()
				all[method+" "+path+" "+http.StatusText(int(code))] = d
			}
		}
	}
	return all
}

// closed returns the document with additionalProperties: false in its objects, so that an undescribed member fails. A problem
// may have the members of its kind.
func closed(doc *openapi3.T) any {
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	root := value.(map[string]any)
	schemas := root["components"].(map[string]any)["schemas"].(map[string]any)
	for name, schema := range schemas {
		if name != "Problem" {
			closeObjects(schema)
		}
	}
	for _, path := range root["paths"].(map[string]any) {
		for _, op := range path.(map[string]any) {
			closeObjects(op.(map[string]any)["responses"])
		}
	}
	return value
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			closeObjects(inner)
		}
		if v["type"] == "object" && v["properties"] != nil {
			v["additionalProperties"] = false
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}
