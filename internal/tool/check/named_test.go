package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNamedTestsExist: what a document says that a test shows has that test, and the row of its table behind a slash.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	tests, err := namedTests(root)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob(root + "/docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range append(append(pages, decisions...), root+"/CONTRIBUTING.md", root+"/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range naming.FindAllStringSubmatch(string(text), -1) {
			named++
			if rows, there := tests[name[1]]; !there {
				t.Errorf("%s names %s, which there is none of", page, name[1])
			} else if name[2] != "" && !rows[name[2]] {
				t.Errorf("%s names the row %q of %s, which has none of that name", page, name[2], name[1])
			}
		}
	}
	if named < 50 {
		t.Errorf("found only %d names", named)
	}
}

// naming matches a test, and the row of its table, in a document.
var naming = regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]*)(?:/([^`\n]+))?`")

// namedTests returns the tests below root, each with the texts of its package: the names of its rows are among them.
func namedTests(root string) (map[string]map[string]bool, error) {
	found, texts := map[string]map[string]bool{}, map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if texts[dir] == nil {
			texts[dir] = map[string]bool{}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if strings.HasPrefix(n.Name.Name, "Test") {
					found[n.Name.Name] = texts[dir]
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil {
					texts[dir][text] = true
				}
			}
			return true
		})
		return nil
	})
	return found, err
}
