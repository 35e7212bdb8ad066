package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"onlyonce/internal/assert"
)

// unbounded are the functions that read all rows of a condition, each with the reason why they stay few.
var unbounded = map[string]string{}

// bounds matches SQL whose rows don't grow with the tenant: a page, or rows for each of the given ids.
var bounds = regexp.MustCompile(`\bLIMIT\b|\bunnest\(@|\bANY \(@|@ids\b`)

// TestListsAreBounded: a list that reads all rows of a tenant is fast in every test, and slow or out of memory for the largest tenant.
// TestPlans finds more, with the plans of large tables, but takes minutes.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	s := whole(t)
	except, looked := maps.Clone(unbounded), 0
	maps.Copy(except, unboundedOfInvoices())
	for _, p := range s.packages {
		if l := levelOf(room(p.PkgPath)); l != domain && l != pages && l != kit {
			continue
		}
		found, n := s.unboundedIn(p, except)
		looked += n
		for _, broken := range found {
			t.Error(broken)
		}
	}
	assert.Thatf(t, looked >= 2, "looked at %d lists", looked)
	for name := range except {
		t.Errorf("%s reads no list without a bound: remove it from the list of these", name)
	}
}

// unboundedIn returns a sentence for each call of record.Collect without a bound in a package, and the number of calls. It removes the
// functions that it needs from except.
func (s *source) unboundedIn(p *packages.Package, except map[string]string) (found []string, calls int) {
	for _, file := range p.Syntax {
		for _, declared := range file.Decls {
			ast.Inspect(declared, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !s.calls(call, module+"/internal/record.Collect") {
					return true
				}
				calls++
				if bounds.MatchString(s.text(call.Args[4], map[ast.Node]bool{})) {
					return true
				}
				if f, ok := declared.(*ast.FuncDecl); ok {
					name := shortName(p.TypesInfo.Defs[f.Name])
					if _, excepted := except[name]; excepted {
						delete(except, name)
						return true
					}
				}
				found = append(found, s.position(n)+": this list has no LIMIT, so it reads all rows of the largest tenant: use "+
					"record.ListBy, which returns a page, or write LIMIT")
				return true
			})
		}
	}
	return found, calls
}

// text returns the texts that an expression is made of, also by the constants, variables and functions that it names.
func (s *source) text(n ast.Node, seen map[ast.Node]bool) string {
	if n == nil || seen[n] {
		return ""
	}
	seen[n] = true
	var all strings.Builder
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, _ := strconv.Unquote(n.Value)
				all.WriteString(text + " ")
			}
		case *ast.Ident:
			object := origin(s.uses[n])
			if c, ok := object.(*types.Const); ok && c.Val().Kind() == constant.String {
				all.WriteString(constant.StringVal(c.Val()) + " ")
			}
			if object != nil {
				for _, next := range s.stored[object] {
					all.WriteString(s.text(next, seen))
				}
			}
		}
		return true
	})
	return all.String()
}

func TestUnboundedListsAreFound(t *testing.T) {
	t.Parallel()
	s := load(t, "context", "github.com/jackc/pgx/v5", "./internal/record")
	for name, c := range map[string]struct{ sql, want string }{
		"a page":       {"`SELECT id FROM x WHERE tenant_id = @tenant_id ORDER BY id LIMIT 100`", ""},
		"all":          {"`SELECT id FROM x WHERE tenant_id = @tenant_id ORDER BY id`", "has no LIMIT"},
		"of ids":       {"`SELECT id FROM x WHERE tenant_id = @tenant_id AND id = ANY (@ids)`", ""},
		"a constant":   {"`SELECT id FROM x ` + most", ""},
		"a variable":   {"limited", ""},
		"a function":   {"made()", ""},
		"another text": {"all", "has no LIMIT"},
		"excepted":     {"all", ""},
	} {
		except := map[string]string{"x.excepted": ""}
		function := "list"
		if name == "excepted" {
			function = name
		}
		s.parse(t, "internal/x", `import ("context"; "github.com/jackc/pgx/v5"; "onlyonce/internal/record")
			const most = "LIMIT 6"
			var limited, all = "SELECT 1 LIMIT 1", "SELECT 2"
			func made() string { return all + most }
			func `+function+`() { record.Collect(context.Background(), nil, [16]byte{}, pgx.RowTo[int], `+c.sql+`, nil) }`)
		found, _ := s.unboundedIn(s.packages[len(s.packages)-1], except)
		wantFound(t, name, found, c.want)
	}
}

// TestDeclaredConflictsCanCome: a transition that doesn't look at the state succeeds in every state, and the conflict that its registration
// declares never comes. No case tries it: the documentation of the API is just wrong.
func TestDeclaredConflictsCanCome(t *testing.T) {
	t.Parallel()
	s := whole(t)
	looked := 0
	for _, p := range s.packages {
		if levelOf(room(p.PkgPath)) == pages {
			found, n := s.neverComing(p)
			looked += n
			for _, broken := range found {
				t.Error(broken)
			}
		}
	}
	assert.Thatf(t, looked >= 3, "looked at %d declared conflicts", looked)
	for _, broken := range s.stateless(module) {
		t.Error(broken)
	}
}

// neverComing returns a sentence for each conflict that a package of pages declares for an operation that never returns it, and the number
// of declared conflicts.
func (s *source) neverComing(p *packages.Package) (found []string, declared int) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.ContainsFunc([]string{"Create", "Change", "Transition"}, func(name string) bool {
				return s.calls(call, module+"/internal/web."+name)
			}) {
				return true
			}
			uses := map[string]bool{}
			var op, kinds []ast.Expr
			for _, argument := range call.Args {
				switch of := p.TypesInfo.TypeOf(argument).String(); {
				case strings.HasPrefix(of, module+"/internal/idempotency.Operation["):
					op = append(op, argument)
				case of == "*"+module+"/internal/conflict.Kind":
					kinds = append(kinds, argument)
				}
			}
			r := reach{
				source: s, seen: map[ast.Node]bool{}, stops: stops, report: func(_ ast.Node, _, use string) { uses[use] = true },
			}
			for _, each := range op {
				for _, define := range s.stored[origin(s.uses[identifier(each)])] {
					if define, ok := define.(*ast.CallExpr); ok {
						for _, field := range s.operation(define).fields {
							r.walk(field, "")
						}
					}
				}
			}
			for _, kind := range kinds {
				if address, ok := kind.(*ast.UnaryExpr); ok {
					kind = address.X
				}
				declared++
				if name := fullName(origin(s.uses[identifier(kind)])); !uses[name] {
					found = append(found, fmt.Sprintf("%s: %s declares the conflict %s, and neither its work nor its Explain returns "+
						"it, so it never comes: look at the state in the work, by a condition of tx.Require or tx.Check, or don't "+
						"declare it",
						s.position(n), types.ExprString(op[0]), types.ExprString(kind)))
				}
			}
			return true
		})
	}
	return found, declared
}

// ofRecord matches the conditions by which each statement finds its record, and the words between them.
var ofRecord = regexp.MustCompile(`(\w+\.)?(tenant_id = @tenant_id|id = @record_id)|\bAND\b|[\s();]`)

// stateless returns a sentence for each requirement of an operation that always holds, because its statement finds the record by its id
// alone.
func (s *source) stateless(under string) (found []string) {
	for _, o := range s.operations(under) {
		kind, work := o.fields["Kind"], o.fields["Statements"]
		if kind == nil || work == nil || !slices.Contains([]string{"Transition", "Change"}, identifier(kind).Name) {
			continue
		}
		r := reach{source: s, seen: map[ast.Node]bool{}, stops: stops, report: func(ast.Node, string, string) {}}
		r.walk(work, "")
		for visited := range r.seen {
			ast.Inspect(visited, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !s.calls(call, "(*"+module+"/internal/idempotency.Tx).Require") {
					return true
				}
				sql := s.text(call.Args[2], map[ast.Node]bool{})
				if _, where, ok := strings.Cut(sql, "WHERE"); ok && strings.HasPrefix(strings.TrimSpace(sql), "UPDATE") &&
					ofRecord.ReplaceAllString(where, "") == "" {
					found = append(found, fmt.Sprintf("%s: this statement of %s finds the record by its id alone, so it never returns "+
						"%s: add the state to its WHERE, such as AND sold_at IS NULL",
						s.position(n), o.name, types.ExprString(call.Args[1])))
				}
				return true
			})
		}
	}
	return found
}

func TestConflictsThatNeverComeAreFound(t *testing.T) {
	t.Parallel()
	const never, alone = "never comes", "by its id alone"
	s := load(t, "context", "errors", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn", "./internal/conflict",
		"./internal/idempotency", "./internal/record", "./internal/web")
	loaded := len(s.packages)
	require := func(where string) string {
		return "Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result { tx.Require(1, taken(), `UPDATE x " +
			"SET sold_at = now() WHERE " + where + "`, nil); return tx.Record() }"
	}
	for name, c := range map[string]struct{ fields, want string }{
		"looks at the state": {require("tenant_id = @tenant_id AND id = @record_id AND sold_at IS NULL"), ""},
		"doesn't":            {require("tenant_id = @tenant_id AND id = @record_id"), alone},
		"nor with an alias":  {require("r.id = @record_id\n AND r.tenant_id = @tenant_id"), alone},
		"no condition": {
			"Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result { tx.Exec(`UPDATE x`, nil); return tx.Record() }", never,
		},
		"explained": {"Explain: map[string]idempotency.Explanation[struct{}]{`x`: func(context.Context, *idempotency.Store, " +
			"idempotency.Intent, struct{}, *pgconn.PgError) error { return taken() }}", ""},
		"ordinary code": {
			"Run: func(context.Context, pgx.Tx, idempotency.Intent, struct{}) (r thing, _ error) { return r, taken() }", "",
		},
		"another error": {
			"Run: func(context.Context, pgx.Tx, idempotency.Intent, struct{}) (r thing, _ error) { return r, errors.New(`x`) }", never,
		},
	} {
		s.packages = s.packages[:loaded]
		s.parse(t, "internal/x/xpages", `import ("context"; "errors"; "github.com/jackc/pgx/v5"; "github.com/jackc/pgx/v5/pgconn"
			"onlyonce/internal/conflict"
			"onlyonce/internal/idempotency"
			"onlyonce/internal/record"
			"onlyonce/internal/web")
			type thing struct{ record.Header }
			var (_ context.Context; _ = errors.New; _ pgx.Tx; _ pgconn.PgError)
			var Taken = conflict.Kind{}
			func taken() error { return &conflict.Error{Kind: &Taken} }
			var Sell = idempotency.Define(idempotency.Spec[struct{}, thing]{Name: "x.sell", Kind: idempotency.Transition, `+c.fields+`})
			func mount(m *web.Mounted[thing]) { web.Transition(m, "sell", "sold", "", Sell, web.Nothing(), &Taken) }`)
		found, _ := s.neverComing(s.packages[loaded])
		wantFound(t, name, append(found, s.stateless(module+"/internal/x/xpages")...), c.want)
	}
}
