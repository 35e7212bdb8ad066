package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestEveryProblemIsDocumented: each value of type problem in the program is in the list, once, and in docs/idempotency.md.
func TestEveryProblemIsDocumented(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "problems.go", nil, 0)
	must.OK(t, err)
	defined := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, value := range spec.Values {
			if made, ok := value.(*ast.CompositeLit); ok {
				if kind, ok := made.Type.(*ast.Ident); ok && kind.Name == "problem" {
					defined++
				}
			}
		}
		return true
	})
	rules := must.Read(t, "../../docs/idempotency.md")
	explained := []string{ownersOnly.Slug, otherTenant.Slug, badSignature.Slug} // by rooms, see TestProblemTypesOpen
	slugs := map[string]bool{}
	for _, p := range problems() {
		silent := p.Title == "" || p.Meaning == "" || p.ToDo == ""
		if slugs[p.Slug] || p.Slug == "" || silent != slices.Contains(explained, p.Slug) || p.Status < 400 || p.Status > 599 {
			t.Errorf("%+v", p)
		}
		if !strings.Contains(rules, "`"+p.Slug+"`") {
			t.Errorf("docs/idempotency.md does not mention `%s`", p.Slug)
		}
		slugs[p.Slug] = true
	}
	if len(slugs) != defined || defined == 0 {
		t.Errorf("%d problems are defined, and %d are documented", defined, len(slugs))
	}
}
