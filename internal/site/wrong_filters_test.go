package site_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestWrongFilters sends a wrong value of each parameter of each list and file to the API, which answers with a problem document, and to
// pages, which have its message.
func TestWrongFilters(t *testing.T) {
	b := setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	pages, tried := map[string]bool{}, 0
	for _, route := range b.Routes {
		pages[route.Path] = pages[route.Path] || route.Method == http.MethodGet
	}
	for path, item := range b.OpenAPI().Paths.Map() {
		if item.Get == nil || strings.Contains(path, "{") {
			continue
		}
		for _, p := range item.Get.Parameters {
			name, schema := p.Value.Name, p.Value.Schema.Value
			if len(schema.Enum) == 0 && schema.Format == "" && !slices.Contains([]string{"currency", "cursor", "limit"}, name) {
				continue
			}
			tried++
			query := path + "?" + name + "=nonsense"
			refused := program.Get(query)
			refused.Want(t, http.StatusUnprocessableEntity, query)
			assert.Equal(t, refused.Header.Get("Content-Type"), "application/problem+json", query)
			problem := sitetest.Decode[sitetest.Problem](b, refused)
			must.Thatf(t, len(problem.Errors) == 1 && problem.Errors[0].Pointer == "/"+name, "%s: %v", query, refused)
			page := strings.TrimPrefix(query, "/api/v1")
			if pages[strings.TrimPrefix(path, "/api/v1")] {
				shown := person.Get(page)
				shown.Want(t, http.StatusUnprocessableEntity, page)
				b.Page(shown).Says(problem.Errors[0].Detail)
			}
		}
	}
	must.Thatf(t, tried > 20, "%d are tried", tried)
}
