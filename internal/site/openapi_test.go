package site_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPIHasEveryRoute: every route is described, and every description has a route. The document and its examples are
// valid.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	b := setup(t)
	doc := b.OpenAPI()
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
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
	if !slices.Equal(described, routed) || len(routed) < 10 {
		t.Errorf("openapi.json describes\n%s\nand the API has\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
	}
}

// TestOpenAPIIsCached: a matching If-None-Match gets 304.
func TestOpenAPIIsCached(t *testing.T) {
	b := setup(t)
	stranger := b.Stranger(b.Replica)
	first := stranger.Get("/openapi.json")
	again := stranger.With("If-None-Match", first.Header.Get("ETag")).Get("/openapi.json")
	other := stranger.With("If-None-Match", `"other"`).Get("/openapi.json")
	if again.Status != http.StatusNotModified || again.Body != "" || other.Status != http.StatusOK || len(other.Body) > 250_000 {
		t.Errorf("%v\n%v", again, other)
	}
}
