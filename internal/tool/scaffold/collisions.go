package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// nameCollisions returns an error for each name that files declare although their package has it, and for each that is an imported package
// and something else in the same file. The names of methods and fields include their type.
func nameCollisions(root string, files []file) error {
	var taken []error
	there := map[string]map[string]string{} // by directory and package: the names, and their files
	for _, f := range files {
		if f.code == nil {
			continue
		}
		of := f.packageOf()
		if there[of] == nil {
			all, err := declaredIn(filepath.Join(root, filepath.Dir(f.path)), f.code.Name.Name)
			if err != nil {
				return err
			}
			there[of] = all
		}
		for _, name := range declared(f.code) {
			if file, ok := there[of][name]; ok {
				taken = append(taken, fmt.Errorf("%s would declare %s, which is in %s already: choose another name, or another plural",
					f.path, name, file))
			}
			there[of][name] = filepath.Base(f.path)
		}
	}
	for _, f := range files {
		if f.code == nil {
			continue
		}
		used := locals(f.code)
		for _, imported := range f.code.Imports {
			name, ours := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), "onlyonce/internal/")
			name = path.Base(name)
			if _, declares := there[f.packageOf()][name]; ours && (declares || slices.Contains(used, name)) {
				taken = append(taken, fmt.Errorf("%s would use the name %s for a package and for something else: choose another name",
					f.path, name))
			}
		}
	}
	return errors.Join(taken...)
}

func (f file) packageOf() string { return filepath.Dir(f.path) + " " + f.code.Name.Name }

// locals returns the names of a file that functions declare, and those of several imported packages.
func locals(file *ast.File) (names []string) {
	seen := map[string]string{}
	for _, imported := range file.Imports {
		name := path.Base(strings.Trim(imported.Path.Value, `"`))
		if other, ok := seen[name]; ok && other != imported.Path.Value {
			names = append(names, name)
		}
		seen[name] = imported.Path.Value
	}
	add := func(all ...ast.Expr) {
		for _, e := range all {
			if name, ok := e.(*ast.Ident); ok {
				names = append(names, name.Name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			add(n.Key, n.Value)
		case *ast.FuncType:
			for _, p := range n.Params.List {
				for _, name := range p.Names {
					add(name)
				}
			}
		}
		return true
	})
	return names
}

// declaredIn returns the declarations of a package, with their files.
func declaredIn(dir, pkg string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list a package: %w", err)
	}
	all := map[string]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read a package: %w", err)
		}
		if parsed.Name.Name != pkg {
			continue
		}
		for _, name := range declared(parsed) {
			all[name] = filepath.Base(file)
		}
	}
	return all, nil
}

// declared returns the names declared in a file: those of the package, and methods and fields after the name of their type.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names = append(names, n.Name)
					}
				case *ast.TypeSpec:
					names = append(append(names, spec.Name.Name), fieldsOf(spec)...)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "_" })
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return strings.TrimSpace(fmt.Sprint(of)) + "."
}

// fieldsOf returns the fields of a struct, after the name of its type.
func fieldsOf(of *ast.TypeSpec) (names []string) {
	fields, ok := of.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range fields.Fields.List {
		for _, n := range f.Names {
			names = append(names, of.Name.Name+"."+n.Name)
		}
		if len(f.Names) == 0 { // it is embedded
			_, name, _ := strings.Cut("."+types.ExprString(f.Type), ".")
			names = append(names, of.Name.Name+"."+path.Ext("." + name)[1:])
		}
	}
	return names
}
