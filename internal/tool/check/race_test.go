package check

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestToolsRunNothingSideBySide: make test runs internal/tool without the race detector, because it would be several times
// slower.
func TestToolsRunNothingSideBySide(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"statement": "package x\nfunc f() { go f() }", "import": "package x\nimport _ \"sync\""} {
		if sideBySide(t, name, text) == "" {
			t.Errorf("the %s is not found", name)
		}
	}
	files, err := filepath.Glob("../*/*.go")
	programs, errOfPrograms := filepath.Glob("../*/cmd/*/*.go")
	if errors.Join(err, errOfPrograms) != nil || len(files) < 20 || len(programs) < 3 {
		t.Fatalf("%d and %d files", len(files), len(programs))
	}
	for _, name := range append(files, programs...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if found := sideBySide(t, name, read(t, ".", name)); found != "" {
			t.Errorf("%s has %s: let make test try internal/tool with the race detector", name, found)
		}
	}
}

// sideBySide returns a use of concurrency in a file, or "".
func sideBySide(t *testing.T, name, text string) (found string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	must.OK(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = "a go statement"
		case *ast.ImportSpec:
			if strings.Contains(n.Path.Value, "sync") {
				found = "the import " + n.Path.Value
			}
		}
		return true
	})
	return found
}
