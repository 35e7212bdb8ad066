package web

import (
	"go/ast"
	"go/parser"
	"go/token"
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
	slugs := map[string]bool{}
	for _, p := range problems() {
		if slugs[p.Slug] || p.Slug == "" || p.Title == "" || p.Meaning == "" || p.ToDo == "" || p.Status < 400 || p.Status > 599 {
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

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/invoices/new?key=a":      "/invoices/new?key=a",
		"/customers":               "/customers",
		"":                         "/",
		"invoices":                 "/",
		"https://evil.example/":    "/",
		"//evil.example/":          "/",
		"///evil.example/":         "/",
		"/\\evil.example":          "/",
		"\\\\evil.example":         "/",
		"/\t/evil.example":         "/",
		"/ok\r\nSet-Cookie: a=b":   "/",
		"javascript:alert(1)":      "/",
		"https:/evil.example":      "/",
		"/%zz":                     "/",
		"http:evil.example":        "/",
		" //evil.example":          "/",
		"/invoices#//evil.example": "/invoices#//evil.example",
	} {
		if got := localPath(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}
