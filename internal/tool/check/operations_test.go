package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
)

// operation is one call of idempotency.Define.
type operation struct {
	name   string              // "" if it is not a literal there
	at     string              // where Define is called
	fields map[string]ast.Expr // of the Spec; nil if it is not a literal there
}

// operations returns the operations that a package defines, or the packages below it.
func (s *source) operations(under string) (all []operation) {
	for _, p := range s.packages {
		if p.PkgPath != under && !strings.HasPrefix(p.PkgPath, under+"/") {
			continue
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				f := s.callee(call)
				if f != nil && f.Pkg() != nil && f.Pkg().Path() == module+"/internal/idempotency" && strings.HasPrefix(f.Name(), "Define") {
					all = append(all, s.operation(call))
				}
				return true
			})
		}
	}
	return all
}

func (s *source) operation(define *ast.CallExpr) operation {
	o := operation{at: s.position(define)}
	spec, ok := define.Args[0].(*ast.CompositeLit)
	if !ok {
		return o
	}
	o.fields = map[string]ast.Expr{}
	for _, element := range spec.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			o.fields[identifier(pair.Key).Name] = pair.Value
		}
	}
	name := o.fields["Name"]
	if sum, ok := name.(*ast.BinaryExpr); ok { // of several kinds of records: the server compares the whole names when it starts
		name = sum.Y
	}
	if name, ok := name.(*ast.BasicLit); ok && name.Kind == token.STRING {
		o.name, _ = strconv.Unquote(name.Value)
	}
	return o
}

func TestOperationNamesAreUsedOnce(t *testing.T) {
	t.Parallel()
	all := whole(t).operations(module)
	assert.Thatf(t, len(all) >= 2, "found %d operations", len(all))
	for _, broken := range misnamed(all) {
		t.Error(broken)
	}
}

// misnamed returns a sentence for each operation without a unique name.
func misnamed(all []operation) (found []string) {
	first := map[string]operation{}
	for _, o := range all {
		switch other, taken := first[o.name]; {
		case o.fields == nil:
			found = append(found, o.at+": write the Spec where Define is called, so that it can be checked")
		case o.name == "":
			found = append(found, o.at+": write the Name of the operation as a literal, such as \"invoice.create\"")
		case taken:
			found = append(found, fmt.Sprintf("%s: the operation at %s has the name %q already: choose another one, "+
				"because intents are stored under it for life", o.at, other.at, o.name))
		default:
			first[o.name] = o
		}
	}
	return found
}

func TestMisnamedOperationsAreFound(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ definitions, want string }{
		"two names":      {`var A, B = define(spec{Name: "a"}), define(spec{Name: "b"})`, ""},
		"the same name":  {"var A, B = define(spec{Name: `a`}), define(spec{Name: \"a\"})", "choose another one"},
		"in a function":  {`func f() { define(spec{Name: "a"}); define(spec{Name: "a"}) }`, "choose another one"},
		"by inference":   {`var A, B = idempotency.Define(spec{Name: "a"}), define(spec{Name: "a"})`, "choose another one"},
		"no name":        {`var A = define(spec{})`, "as a literal"},
		"a constant":     {`const name = "a"; var A = define(spec{Name: name})`, "as a literal"},
		"spec elsewhere": {`var s = spec{Name: "a"}; var A = define(s)`, "where Define is called"},
		"spec made":      {`func s() spec { return spec{} }; var A = define(s())`, "where Define is called"},
	}
	s := load(t, "./internal/idempotency")
	for name, c := range cases {
		s.parse(t, name, `import "onlyonce/internal/idempotency"
			type spec = idempotency.Spec[int, int]
			`+strings.ReplaceAll(c.definitions, "define(", "idempotency.Define[int, int]("))
		wantFound(t, name, misnamed(s.operations(module+"/"+name)), c.want)
	}
}
