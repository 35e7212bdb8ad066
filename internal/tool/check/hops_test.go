package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestHops compares each path in docs/architecture.md, "Follow a request", with the code: each function is in the linked file, and refers
// to the function after its arrow, directly or by the field between them. The number of files of a path is bounded.
func TestHops(t *testing.T) {
	t.Parallel()
	bounds := map[string]int{
		"A write, to its SQL": 6, "From there to COMMIT": 9, "A list, to its SQL": 6, "From there to its page": 7,
		"The form that edits": 6, "A refusal": 7,
	}
	_, section, _ := strings.Cut(read(t, "../../..", "docs/architecture.md"), "\n## Follow a request\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var opened []string
	for _, path := range strings.Split(section, "\n- **")[1:] {
		title, hops, _ := strings.Cut(path, "**")
		if !strings.HasPrefix(title, "From there") {
			opened = nil
		}
		for chain := range strings.SplitSeq(hops, ";") {
			files, wrong := followed("../../..", chain)
			for _, w := range wrong {
				t.Errorf("%s: %s", title, w)
			}
			opened = append(opened, files...)
		}
		slices.Sort(opened)
		opened = slices.Compact(opened)
		if n := len(opened); n > bounds[title] || !strings.HasPrefix(hops, fmt.Sprintf(" (%d ", n)) {
			t.Errorf("%s: %d files to open, and %d are allowed:\n%s", title, n, bounds[title], strings.Join(opened, "\n"))
		}
		delete(bounds, title)
	}
	_, err := os.Stat("../../invoice")
	assert.Thatf(t, err != nil || len(bounds) == 0, "docs/architecture.md does not follow %v", bounds)
}

// hop matches a link such as [`Create`](../internal/web/router.go), a field such as `decode`, or the arrow between two links.
var hop = regexp.MustCompile("\\[`(\\w+)`\\]\\(\\.\\./([^)]+)\\)|`(\\w+)`|→|←")

// followed returns the files of a path, and a sentence for each hop that isn't in the code.
func followed(root, path string) (files, wrong []string) {
	var from ast.Node          // the last function, and the reference to the next
	var name, by, arrow string // by is the field between two functions
	for _, part := range hop.FindAllStringSubmatch(path, -1) {
		switch {
		case part[2] == "" && part[3] == "":
			arrow = part[0]
			continue
		case part[3] != "":
			by = part[3]
			continue
		}
		to, err := declared(filepath.Join(root, part[2]), part[1])
		if err != nil || len(to.Decls) == 0 {
			wrong = append(wrong, part[2]+" has no "+part[1])
		}
		refers := from == nil || by != "" && (reads(from, by) && sets(to, by) || sets(from, by) && reads(to, by)) ||
			by == "" && (arrow == "→" && mentions(from, part[1]) || arrow == "←" && mentions(to, name))
		if !refers {
			wrong = append(wrong, strings.Join(strings.Fields(name+" "+arrow+" "+by+" "+part[1]), " ")+" is no hop")
		}
		files = append(files, part[2])
		from, name, by = to, part[1], ""
	}
	return files, wrong
}

// declared returns the declaration of a name in a file, without the name itself. For a template it reads the generated Go.
func declared(file, name string) (*ast.File, error) {
	if template, ok := strings.CutSuffix(file, ".templ"); ok {
		file = template + "_templ.go"
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return &ast.File{}, err
	}
	found := &ast.File{Name: ast.NewIdent("_")}
	for _, decl := range parsed.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name == name {
				decl.Name.Name = "_"
				found.Decls = append(found.Decls, decl)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok && value.Names[0].Name == name {
					value.Names[0].Name = "_"
					found.Decls = append(found.Decls, &ast.GenDecl{Tok: decl.Tok, Specs: []ast.Spec{value}})
				}
			}
		}
	}
	return found, nil
}

func mentions(where ast.Node, name string) bool {
	return slices.ContainsFunc(slices.Collect(ast.Preorder(where)), func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		return ok && ident.Name == name
	})
}

// reads reports whether a function uses a field.
func reads(where ast.Node, field string) bool {
	return slices.ContainsFunc(slices.Collect(ast.Preorder(where)), func(n ast.Node) bool { return selects(n, field) })
}

func selects(n ast.Node, field string) bool {
	selected, ok := n.(*ast.SelectorExpr)
	return ok && selected.Sel.Name == field
}

// sets reports whether a function sets a field, in a composite literal or by an assignment.
func sets(where ast.Node, field string) bool {
	return slices.ContainsFunc(slices.Collect(ast.Preorder(where)), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			return ok && key.Name == field
		case *ast.AssignStmt:
			return slices.ContainsFunc(n.Lhs, func(left ast.Expr) bool {
				if index, ok := left.(*ast.IndexExpr); ok {
					left = index.X
				}
				return selects(left, field)
			})
		}
		return false
	})
}

// TestPlacesOfAField counts the files and lines that name the payment terms of customers, the field with the most special cases. Its
// migration is one more file.
func TestPlacesOfAField(t *testing.T) {
	t.Parallel()
	const most, mostLines = 6, 17
	field := regexp.MustCompile(`payment_days|PaymentDays|Payment terms`)
	files, lines := map[string]bool{}, 0
	for _, pattern := range []string{"internal/customer/*.go", "internal/customer/*/*.go", "templates/customerviews/*.templ"} {
		found, err := filepath.Glob("../../../" + pattern)
		must.Thatf(t, err == nil && len(found) != 0, "no files %s: %v", pattern, err)
		for _, file := range found {
			for line := range strings.Lines(read(t, "", file)) {
				if field.MatchString(line) && !strings.HasSuffix(file, "_test.go") {
					files[file] = true
					lines++
				}
			}
		}
	}
	if len(files) > most || lines > mostLines || lines == 0 {
		t.Errorf("%d lines in %d files, want at most %d in %d: %v", lines, len(files), mostLines, most, slices.Sorted(maps.Keys(files)))
	}
}
