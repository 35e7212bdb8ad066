package scaffold

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Target is a resource that is there already, and that another one refers to.
type Target struct {
	One, Many name
	Package   string // "customer"
	Path      string // "customers", in addresses
	Table     string
	Column    string // what people call one of them, in the table
	NameFunc  string // the same in Go: a function
}

// target finds a resource among those that the server has, with its name in Go: the value of the type resource in
// internal/web.
func target(root string, of string) (Target, error) {
	files, err := filepath.Glob(filepath.Join(root, "internal/web/*.go"))
	if err != nil {
		return Target{}, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return Target{}, fmt.Errorf("read the resources: %w", err)
		}
		var found *ast.CompositeLit
		ast.Inspect(parsed, func(n ast.Node) bool {
			if value, ok := n.(*ast.CompositeLit); ok && resourceNamed(value) == name(of).Words() {
				found = value
			}
			return true
		})
		if found != nil {
			return describe(root, name(of), found)
		}
	}
	return Target{}, fmt.Errorf("there is no resource %q to refer to", of)
}

// resourceNamed is what one of a resource is called; "" for another value.
func resourceNamed(value *ast.CompositeLit) string {
	if generic, ok := value.Type.(*ast.IndexExpr); !ok || fmt.Sprint(generic.X) != "resource" {
		return ""
	}
	return literal(member(value, "one"))
}

// describe reads what has to be known of a resource.
func describe(root string, one name, value *ast.CompositeLit) (Target, error) {
	t := Target{One: one, Path: literal(member(value, "many"))}
	t.Many = name(strings.ReplaceAll(t.Path, "-", "_"))
	t.Table = string(t.Many)
	record, ok := value.Type.(*ast.IndexExpr).Index.(*ast.SelectorExpr)
	if !ok || member(value, "archived") == nil {
		return t, fmt.Errorf("%s cannot be referred to, as they are not archived", t.Many.Words())
	}
	t.Package = fmt.Sprint(record.X)
	if _, err := os.Stat(filepath.Join(root, "internal", t.Package, t.Package+"test")); err != nil {
		return t, fmt.Errorf("tests need %s to refer to: write package %[2]stest, like internal/customer/customertest: %w",
			one.A(), t.Package, err)
	}
	field := returnedField(member(value, "name"))
	if field == "" {
		return t, fmt.Errorf("%s cannot be referred to, as their name is no field of %s.%s", t.Many.Words(), t.Package, record.Sel.Name)
	}
	t.NameFunc = fmt.Sprintf("func(of %s.%s) string { return of.%s }", t.Package, record.Sel.Name, field)
	var err error
	t.Column, err = jsonName(filepath.Join(root, "internal", t.Package), record.Sel.Name, field)
	return t, err
}

// member is the value of a field of a literal; nil if it has none.
func member(value *ast.CompositeLit, field string) ast.Expr {
	for _, element := range value.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && fmt.Sprint(pair.Key) == field {
			return pair.Value
		}
	}
	return nil
}

func literal(e ast.Expr) string {
	text := ""
	if value, ok := e.(*ast.BasicLit); ok {
		text, _ = strconv.Unquote(value.Value)
	}
	return text
}

// returnedField is the field that a function returns, which does nothing else: Name of func(c …) string { return c.Name }.
func returnedField(e ast.Expr) string {
	f, ok := e.(*ast.FuncLit)
	if !ok || len(f.Body.List) != 1 {
		return ""
	}
	result, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(result.Results) != 1 {
		return ""
	}
	field, ok := result.Results[0].(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	return field.Sel.Name
}

// jsonName is the name of a field in JSON, which is that of its column.
func jsonName(dir, record, field string) (found string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", fmt.Errorf("read the record: %w", err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			declared, ok := n.(*ast.TypeSpec)
			if !ok || declared.Name.Name != record {
				return true
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && len(f.Names) == 1 && f.Names[0].Name == field && f.Tag != nil {
					tag, _ := strconv.Unquote(f.Tag.Value)
					found, _, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				}
				return true
			})
			return false
		})
	}
	if found == "" {
		return "", fmt.Errorf("the field %s of %s in %s has no name in JSON", field, record, dir)
	}
	return found, nil
}
