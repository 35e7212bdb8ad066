package fork

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// goFiles removes references to the declarations of removed files from the Go files of the app: the item of a list, the field,
// the statement or the declaration, if it is on separate lines. The declarations on such lines are then removed too. Files that
// don't compile afterwards have to be edited by hand: they use the part in the middle of a line.
type goFiles struct {
	module string // the path of the app's module
	goes   func(file string) bool
	set    *token.FileSet
	files  []*goFile
	// gone and left are the declarations at the top of packages, by their directories, with methods and fields as ".name".
	gone, left map[string]map[string]bool
}

type goFile struct {
	path    string
	lines   []string
	syntax  *ast.File
	imports map[string]string   // directories of the app, by the names of their packages in the file
	foreign map[*ast.Ident]bool // names from other files
	cut     map[int]bool        // removed lines, from 1
}

func (g *goFiles) add(file, text string) error {
	syntax, err := parser.ParseFile(g.set, file, text, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	f := &goFile{file, strings.SplitAfter(text, "\n"), syntax, map[string]string{}, map[*ast.Ident]bool{}, map[int]bool{}}
	g.files = append(g.files, f)
	for _, spec := range syntax.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		dir, own := strings.CutPrefix(imported, g.module+"/")
		if !own {
			continue
		}
		name := path.Base(dir)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		f.imports[name] = dir
	}
	for _, name := range syntax.Unresolved {
		f.foreign[name] = true
	}
	return nil
}

// cut returns the changed files, by path.
func (g *goFiles) cut() map[string]string {
	left := map[string]string{}
	for again := true; again; {
		again = false
		g.declared()
		for _, f := range g.files {
			if !g.goes(f.path) && g.cutFile(f) {
				again = true
			}
		}
	}
	for _, f := range g.files {
		if len(f.cut) == 0 {
			continue
		}
		var rest strings.Builder
		for n, line := range f.lines {
			if !f.cut[n+1] {
				rest.WriteString(line)
			}
		}
		left[f.path] = rest.String()
	}
	return left
}

// declared fills gone and left.
func (g *goFiles) declared() {
	clear(g.left)
	for _, f := range g.files {
		dir := path.Dir(f.path)
		note := func(name *ast.Ident, prefix string) {
			into := g.left
			if g.goes(f.path) || f.cut[g.set.Position(name.Pos()).Line] {
				into = g.gone
			}
			if into[dir] == nil {
				into[dir] = map[string]bool{}
			}
			into[dir][prefix+name.Name] = true
		}
		for name, object := range f.syntax.Scope.Objects {
			note(&ast.Ident{Name: name, NamePos: object.Pos()}, "")
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					note(n.Name, ".")
				}
			case *ast.StructType:
				noteFields(n.Fields, note)
			case *ast.InterfaceType:
				noteFields(n.Methods, note)
			}
			return true
		})
	}
}

func noteFields(fields *ast.FieldList, note func(name *ast.Ident, prefix string)) {
	for _, field := range fields.List {
		for _, name := range field.Names {
			note(name, ".")
		}
	}
}

// cutFile makes one pass, and reports whether it cut anything.
func (g *goFiles) cutFile(f *goFile) (cut bool) {
	ast.PreorderStack(f.syntax, nil, func(n ast.Node, stack []ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if !f.cut[g.set.Position(n.Pos()).Line] && g.names(f, n) && g.cutAround(f, append(stack, n)) {
			cut = true
		}
		return true
	})
	return cut
}

// names reports whether a node is the name of a removed declaration. Exported methods and fields may belong to another package,
// and a name that a package still declares refers to the remaining declaration.
func (g *goFiles) names(f *goFile, n ast.Node) bool {
	isGone := func(dir, name string) bool { return g.gone[dir][name] && !g.left[dir][name] }
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return err == nil && n.Kind == token.STRING && g.goes(path.Clean(text))
	case *ast.Ident:
		if n.Obj != nil {
			return f.cut[g.set.Position(n.Obj.Pos()).Line]
		}
		return f.foreign[n] && isGone(path.Dir(f.path), n.Name)
	case *ast.SelectorExpr:
		if of, ok := n.X.(*ast.Ident); ok && of.Obj == nil && f.imports[of.Name] != "" {
			return g.goes(f.imports[of.Name]) || isGone(f.imports[of.Name], n.Sel.Name)
		}
		return !n.Sel.IsExported() && isGone(path.Dir(f.path), "."+n.Sel.Name)
	}
	return false
}

// cutAround cuts the innermost removable node of nested ones, and reports whether there is one.
func (g *goFiles) cutAround(f *goFile, nested []ast.Node) bool {
	for i := len(nested) - 1; i > 0; i-- {
		if isBody(nested[i-1], nested[i]) {
			return false
		}
		if _, needed := nested[i].(*ast.ReturnStmt); needed || !isItem(nested[i-1], nested[i]) {
			continue
		}
		from, to := g.set.Position(start(nested[i])), g.set.Position(nested[i].End())
		before := f.lines[from.Line-1][:from.Column-1]
		behind, _, _ := strings.Cut(f.lines[to.Line-1][to.Column-1:], "//")
		if strings.TrimSpace(before) == "" && strings.Trim(behind, ", \t\n") == "" {
			for n := from.Line; n <= to.Line; n++ {
				f.cut[n] = true
			}
			return true
		}
	}
	return false
}

// isBody reports whether a node is the body of its parent, a function. A reference inside doesn't remove a body.
func isBody(parent, n ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.FuncDecl:
		return n == parent.Body
	case *ast.FuncLit:
		return n == parent.Body
	}
	return false
}

func isItem(parent, n ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.CompositeLit:
		return n != parent.Type
	case *ast.CallExpr:
		return n != parent.Fun
	case *ast.BlockStmt, *ast.CaseClause, *ast.FieldList, *ast.GenDecl, *ast.File:
		return true
	}
	return false
}

// start returns the start of a node, including the comment above it.
func start(n ast.Node) token.Pos {
	var doc *ast.CommentGroup
	switch n := n.(type) {
	case *ast.Field:
		doc = n.Doc
	case *ast.FuncDecl:
		doc = n.Doc
	case *ast.GenDecl:
		doc = n.Doc
	case *ast.ValueSpec:
		doc = n.Doc
	case *ast.TypeSpec:
		doc = n.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return n.Pos()
}
