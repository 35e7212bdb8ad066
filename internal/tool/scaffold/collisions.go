package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
)

// nameCollisions returns an error for each name that files declare and that another file of the same package has already.
// Methods and fields count by their type.
func nameCollisions(root string, files []file) error {
	var taken []error
	for _, f := range files {
		if filepath.Ext(f.path) != ".go" || f.edit {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read what was written: %w", err)
		}
		there, err := declaredIn(filepath.Join(root, filepath.Dir(f.path)), parsed.Name.Name)
		if err != nil {
			return err
		}
		names := declared(parsed)
		for _, imported := range parsed.Imports {
			if strings.HasPrefix(imported.Path.Value, `"onlyonce/`) { // other imports existed before
				names[strings.Trim(path.Base(imported.Path.Value), `"`)] = true
			}
		}
		for name := range names {
			if file, ok := there[name]; ok {
				taken = append(taken, fmt.Errorf("%s would declare %s, which is in %s already: choose another name, or another plural",
					f.path, name, file))
			}
		}
	}
	return errors.Join(taken...)
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
		for name := range declared(parsed) {
			all[name] = filepath.Base(file)
		}
	}
	return all, nil
}

// declared returns the names declared in a file: those of the package, and methods and fields after the name of their type.
func declared(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names[n.Name] = true
					}
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
					addFields(names, spec)
				}
			}
		}
	}
	delete(names, "_")
	return names
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

func addFields(names map[string]bool, of *ast.TypeSpec) {
	fields, ok := of.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range fields.Fields.List {
		for _, n := range f.Names {
			names[of.Name.Name+"."+n.Name] = true
		}
	}
}
