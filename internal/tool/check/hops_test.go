package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHops compares each path in docs/architecture.md, "Follow a request", with the code: each function is in the linked file,
// and refers to the function after its arrow, directly or by the name between them. The number of files of a path is bounded.
func TestHops(t *testing.T) {
	t.Parallel()
	bounds := map[string]int{
		"A write, to its SQL": 5, "From there to COMMIT": 7, "A list, to its SQL": 6, "From there to its page": 6,
		"The form that edits": 6, "A refusal": 6,
	}
	_, section, _ := strings.Cut(read(t, "../../..", "docs/architecture.md"), "\n## Follow a request\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var opened []string
	for _, path := range strings.Split(section, "\n- **")[1:] {
		title, hops, _ := strings.Cut(path, "**")
		if !strings.HasPrefix(title, "From there") {
			opened = nil
		}
		files, wrong := followed("../../..", hops)
		for _, w := range wrong {
			t.Errorf("%s: %s", title, w)
		}
		opened = slices.Compact(slices.Sorted(slices.Values(append(opened, files...))))
		if n := len(opened); n > bounds[title] || !strings.HasPrefix(hops, fmt.Sprintf(" (%d ", n)) {
			t.Errorf("%s: %d files to open, and %d are allowed:\n%s", title, n, bounds[title], strings.Join(opened, "\n"))
		}
		delete(bounds, title)
	}
	if len(bounds) > 0 {
		t.Errorf("docs/architecture.md does not follow %v", bounds)
	}
}

// hop matches a link such as [`Create`](../internal/web/router.go), a name such as `decode`, or the arrow between two links.
var hop = regexp.MustCompile("\\[`(\\w+)`\\]\\(\\.\\./([^)]+)\\)|`(\\w+)`|→|←")

// followed returns the files of a path, and a sentence for each hop that isn't in the code.
func followed(root, path string) (files, wrong []string) {
	var from ast.Node // the last function, and the reference to the next
	var name, by, arrow string
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
		refers := from == nil || by != "" && mentions(from, by) && mentions(to, by) ||
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

func mentions(where ast.Node, name string) (found bool) {
	ast.Inspect(where, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		found = found || ok && ident.Name == name
		return !found
	})
	return found
}
