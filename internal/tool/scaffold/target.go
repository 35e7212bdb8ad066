package scaffold

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Target is an existing resource that another one references.
type Target struct {
	One     Name
	Many    Name // its table
	Label   Name // the column with the display name
	Package string
	// Merged is set for records that may be merged into others: references to them use live_id, which a merge looks up.
	Merged bool
	// Self is set for the resource that has the reference.
	Self bool
}

// Key returns the referenced column.
func (t Target) Key() string {
	if t.Merged {
		return "live_id"
	}
	return "id"
}

// target finds the package of a resource that can be referenced: it declares the display names of its records, as var Names =
// record.Names{…}, and creates some for tests.
func target(root, of string) (Target, error) {
	t := Target{One: Name(of), Many: Name(of).plural()}
	t.Package = t.One.Package()
	if !isName.MatchString(of) {
		return t, fmt.Errorf("%q is no name of a resource to refer to", of)
	}
	dir := filepath.Join(root, "internal", t.Package)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return t, fmt.Errorf("there is no resource %s to refer to", of)
	}
	found := false
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return t, fmt.Errorf("read the package of %s: %w", of, err)
		}
		found = slices.Contains(declared(parsed), "Names") || found
		if table := tableOf(parsed); table != "" {
			t.Many = Name(table)
		}
		if label := memberOf(parsed, "record.Names", "Column"); label != "" {
			t.Label = Name(label)
		}
	}
	if !found {
		return t, fmt.Errorf("internal/%s does not say what %s is called where others refer to it: it needs the variable Names, "+
			"like internal/customer, and a column archived_at", t.Package, t.One.A())
	}
	schema, err := filepath.Glob(filepath.Join(root, "migrations", "*.sql"))
	if err != nil {
		return t, fmt.Errorf("list the migrations: %w", err)
	}
	for _, file := range schema {
		sql, err := os.ReadFile(file)
		if err != nil {
			return t, fmt.Errorf("read a migration: %w", err)
		}
		t.Merged = t.Merged || strings.Contains(string(sql), "CONSTRAINT "+string(t.Many)+"_live UNIQUE (tenant_id, live_id)")
	}
	if _, err := os.Stat(filepath.Join(dir, t.Package+"test")); err != nil {
		return t, fmt.Errorf("tests need %s to refer to: write the package %stest, like internal/customer/customertest",
			t.One.A(), t.Package)
	}
	return t, nil
}

// tableOf returns the name of the table that a file declares as record.Table; "" if it declares none.
func tableOf(file *ast.File) string { return memberOf(file, "record.Table", "Name") }

// memberOf returns a text in the last literal of a type in a file, which may be generic; "" if there is none.
func memberOf(file *ast.File, of, member string) (text string) {
	ast.Inspect(file, func(n ast.Node) bool {
		value, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		named := value.Type
		if generic, ok := named.(*ast.IndexExpr); ok {
			named = generic.X
		}
		if named == nil || selected(named) != of {
			return true
		}
		for _, element := range value.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok || fmt.Sprint(pair.Key) != member {
				continue
			}
			if literal, ok := pair.Value.(*ast.BasicLit); ok {
				text, _ = strconv.Unquote(literal.Value)
			}
		}
		return false
	})
	return text
}

func selected(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return fmt.Sprint(s.X) + "." + s.Sel.Name
	}
	return ""
}
