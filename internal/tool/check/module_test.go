package check

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// source is type-checked code without tests.
type source struct {
	packages []*packages.Package
	// The other fields cover the module's packages only.
	uses map[*ast.Ident]types.Object
	// stored maps an object to its values: the declaration of a function, and the values assigned to a variable or field.
	stored map[types.Object][]ast.Node
	// implementing maps methods of interfaces to their implementations, as far as they were needed.
	implementing *sync.Map
}

// wholeModule reads all packages of the module, once for all tests.
var wholeModule = sync.OnceValues(func() (*source, error) { return readPackages(context.Background(), "./...") })

// whole returns the module. Tests must not change it.
func whole(t *testing.T) *source {
	t.Helper()
	s, err := wholeModule()
	must.OK(t, err)
	return s
}

// load reads the packages that match the patterns, for a test that adds to them.
func load(t *testing.T, patterns ...string) *source {
	t.Helper()
	s, err := readPackages(t.Context(), patterns...)
	must.OK(t, err)
	return s
}

func readPackages(ctx context.Context, patterns ...string) (*source, error) {
	s := &source{uses: map[*ast.Ident]types.Object{}, stored: map[types.Object][]ast.Node{}, implementing: new(sync.Map)}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "../../..", Context: ctx}, patterns...)
	if err != nil || len(loaded) < len(patterns) {
		return nil, fmt.Errorf("load %d packages: %w", len(loaded), err)
	}
	var wrong []error
	for _, p := range loaded {
		for _, err := range p.Errors {
			wrong = append(wrong, err)
		}
		s.add(p)
	}
	return s, errors.Join(wrong...)
}

// parse type-checks a text as a package of the module. It may import the loaded packages.
func (s *source) parse(t *testing.T, name, text string) {
	t.Helper()
	path := module + "/" + name
	fset := s.packages[0].Fset
	file, err := parser.ParseFile(fset, path+"/text.go", "package text\n"+text, 0)
	must.OK(t, err)
	info := &types.Info{
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
	}
	config := types.Config{Importer: s}
	checked, err := config.Check(path, fset, []*ast.File{file}, info)
	assert.Thatf(t, err == nil, "%v in\n%s", err, text)
	s.add(&packages.Package{PkgPath: path, Fset: fset, Types: checked, TypesInfo: info, Syntax: []*ast.File{file}})
}

// Import returns a package that was loaded.
func (s *source) Import(path string) (*types.Package, error) {
	for _, p := range s.packages {
		if p.PkgPath == path {
			return p.Types, nil
		}
	}
	return nil, fmt.Errorf("%s was not loaded", path)
}

func (s *source) add(p *packages.Package) {
	s.packages = append(s.packages, p)
	s.implementing.Clear()
	if !ours(p) {
		return
	}
	maps.Copy(s.uses, p.TypesInfo.Uses)
	for _, file := range p.Syntax {
		s.index(p.TypesInfo, file)
	}
}

func ours(p *packages.Package) bool { return strings.HasPrefix(p.PkgPath, module+"/") }

// index adds the declarations and assignments of a file to stored.
func (s *source) index(info *types.Info, file *ast.File) {
	note := func(name ast.Expr, value ast.Node) {
		if id := identifier(name); id != nil {
			if object := origin(info.ObjectOf(id)); object != nil {
				s.stored[object] = append(s.stored[object], value)
			}
		}
	}
	// If one call has several results, each name is mapped to the call.
	pair := func(i int, values []ast.Expr) ast.Node { return values[min(i, len(values)-1)] }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			note(n.Name, n)
		case *ast.KeyValueExpr:
			note(n.Key, n.Value)
		case *ast.AssignStmt:
			for i, name := range n.Lhs {
				note(name, pair(i, n.Rhs))
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) > 0 {
					note(name, pair(i, n.Values))
				}
			}
		}
		return true
	})
}

// follow returns the code that runs when object is called or read: the function, the initial value of a package variable, the
// functions assigned to a variable or field, and each implementation of a method.
func (s *source) follow(object types.Object) (all []ast.Node) {
	switch object := object.(type) {
	case *types.Func:
		if face, ok := receiver(object); ok {
			for _, method := range s.implementations(face, object) {
				all = append(all, s.stored[method]...)
			}
		}
		all = append(all, s.stored[object]...)
	case *types.Var:
		_, isFunc := object.Type().Underlying().(*types.Signature)
		if isFunc || ofPackage(object) {
			all = s.stored[object]
		}
	}
	return all
}

// implementations returns the methods of the module's types that may run when an interface's method is called.
func (s *source) implementations(face *types.Interface, method *types.Func) (all []types.Object) {
	if known, ok := s.implementing.Load(method); ok {
		return known.([]types.Object)
	}
	for _, p := range s.packages {
		if !ours(p) {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			declared, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || declared.IsAlias() || types.IsInterface(declared.Type()) {
				continue
			}
			pointer := types.NewPointer(declared.Type())
			if types.Implements(pointer, face) {
				found, _, _ := types.LookupFieldOrMethod(pointer, true, method.Pkg(), method.Name())
				all = append(all, origin(found))
			}
		}
	}
	s.implementing.Store(method, all)
	return all
}

// position returns the file, relative to the root of the module, and the line of a node.
func (s *source) position(n ast.Node) string {
	at := s.packages[0].Fset.Position(n.Pos())
	if root, err := filepath.Abs("../../.."); err == nil {
		at.Filename = strings.TrimPrefix(at.Filename, root+"/")
	}
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// callee returns the function that is called, or nil.
func (s *source) callee(call *ast.CallExpr) *types.Func {
	if id := identifier(call.Fun); id != nil {
		f, _ := origin(s.uses[id]).(*types.Func)
		return f
	}
	return nil
}

func (s *source) calls(call *ast.CallExpr, name string) bool {
	f := s.callee(call)
	return f != nil && f.FullName() == name
}

// wantFound fails unless a check has found a sentence with a text, or nothing for "".
func wantFound(t *testing.T, what string, found []string, want string) {
	t.Helper()
	got := strings.Join(found, "; ")
	assert.Thatf(t, (want == "") == (got == "") && strings.Contains(got, want), "%s: got %q, want %q", what, got, want)
}

// identifier returns the last name of x, a.x, x[T] or (x), or nil.
func identifier(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return identifier(e.X)
	case *ast.IndexListExpr:
		return identifier(e.X)
	case *ast.ParenExpr:
		return identifier(e.X)
	default:
		return nil
	}
}

// origin returns the generic object that an instance was made from.
func origin(object types.Object) types.Object {
	switch object := object.(type) {
	case *types.Func:
		return object.Origin()
	case *types.Var:
		return object.Origin()
	default:
		return object
	}
}

// receiver returns the interface that a method belongs to.
func receiver(f *types.Func) (*types.Interface, bool) {
	if f.Signature().Recv() == nil {
		return nil, false
	}
	face, ok := f.Signature().Recv().Type().Underlying().(*types.Interface)
	return face, ok
}
