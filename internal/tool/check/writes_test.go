package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// mayWrite are the functions of the kit and of pages that write to the database without an operation, each with the reason.
var mayWrite = []string{
	module + "/internal/people/peoplepages.sessionStore.CommitCtx", // sessions are no records, and each request may begin or end one
	module + "/internal/people/peoplepages.sessionStore.DeleteCtx",
}

// TestPagesWriteByOperations: a write in a handler is not protected by a key, and may come with a GET. A job that is inserted
// outside of the transaction of an operation may belong to a rollback, or be missing.
func TestPagesWriteByOperations(t *testing.T) {
	t.Parallel()
	s := whole(t)
	looked := 0
	for _, p := range s.packages {
		if !showsPages(p.PkgPath) {
			continue
		}
		looked++
		for _, broken := range s.writes(p) {
			t.Error(broken)
		}
	}
	if looked < 3 {
		t.Errorf("looked at %d packages", looked)
	}
}

// showsPages reports whether a package answers requests.
func showsPages(path string) bool {
	level := levelOf(room(path))
	return level == pages || level == site || level == kit && !strings.HasSuffix(path, "test")
}

// writes returns a sentence for each place where a package can write to the database without an operation.
func (s *source) writes(p *packages.Package) (found []string) {
	for _, file := range p.Syntax {
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && slices.Contains(mayWrite, nameOf(p, f)) {
				continue
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				if f, ok := s.uses[name].(*types.Func); ok && writesByItself(f) {
					found = append(found, fmt.Sprintf("%s: %s writes past the operations, without a key: make it part of the work of one",
						s.position(n), f.FullName()))
				}
				return true
			})
		}
	}
	return found
}

// writesByItself reports whether a function can change the database, or begins a transaction.
func writesByItself(f *types.Func) bool {
	if f.Pkg() == nil {
		return false
	}
	switch path := f.Pkg().Path(); {
	case path == module+"/internal/postgres":
		return f.Name() == "InTenant"
	case strings.HasPrefix(path, "github.com/riverqueue/river"):
		return strings.HasPrefix(f.Name(), "Insert")
	case strings.HasPrefix(path, "github.com/jackc/pgx/v5"):
		return slices.Contains([]string{
			"Acquire", "AcquireAllIdle", "AcquireFunc", "Begin", "BeginFunc", "BeginTx", "BeginTxFunc", "Connect", "CopyFrom", "Exec",
			"SendBatch",
		}, f.Name())
	default:
		return false
	}
}

// nameOf returns the name of a function, after the path of its package and its type.
func nameOf(p *packages.Package, f *ast.FuncDecl) string {
	if f.Recv == nil {
		return p.PkgPath + "." + f.Name.Name
	}
	of := p.TypesInfo.TypeOf(f.Recv.List[0].Type)
	return strings.TrimPrefix(of.String(), "*") + "." + f.Name.Name
}

func TestWritesOfPagesAreFound(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"a read":               {`func show() { pool.QueryRow(ctx, "SELECT 1"); pool.Query(ctx, "SELECT 1") }`, ""},
		"a write":              {`func show() { if true { pool.Exec(ctx, "DELETE FROM x") } }`, "Pool).Exec"},
		"in a method":          {`func (page) show() { pool.Exec(ctx, "") }`, "Pool).Exec"},
		"a transaction":        {`func show() { pool.Begin(ctx) }`, "Pool).Begin"},
		"with options":         {`func show() { pool.BeginTx(ctx, pgx.TxOptions{}) }`, "Pool).BeginTx"},
		"in a function":        {`func show() { pgx.BeginFunc(ctx, pool, func(pgx.Tx) error { return nil }) }`, "v5.BeginFunc"},
		"a batch":              {`func show() { pool.SendBatch(ctx, nil) }`, "Pool).SendBatch"},
		"a copy":               {`func show() { pool.CopyFrom(ctx, pgx.Identifier{}, nil, pgx.CopyFromRows(nil)) }`, "Pool).CopyFrom"},
		"a connection":         {`func show() { pool.Acquire(ctx) }`, "Pool).Acquire"},
		"behind an interface":  {`type db interface { pgx.Tx }; func show(d db) { d.Exec(ctx, "") }`, "Tx).Exec"},
		"as a value":           {`var write = pool.Exec`, "Pool).Exec"},
		"as a tenant":          {`func show() { postgres.InTenant(ctx, pool, uuid.Nil, nil) }`, "InTenant"},
		"a store of its own":   {`func (sessionStore) CommitCtx() { pool.Exec(ctx, "") }`, ""},
		"the same, for others": {`func (page) CommitCtx() { pool.Exec(ctx, "") }`, "Pool).Exec"},
	}
	imports := []string{
		"context", "github.com/google/uuid", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgxpool", module + "/internal/postgres",
	}
	s := load(t, imports...)
	for name, c := range cases {
		s.parse(t, "internal/people/peoplepages", `import ("`+strings.Join(imports, "\"\n\"")+`")
			type (
				page struct{}
				sessionStore struct{}
			)
			var (
				ctx context.Context
				pool *pgxpool.Pool
				_ pgx.Tx
				_ uuid.UUID
				_ postgres.SchemaError
			)
			`+c.text)
		wantFound(t, name, s.writes(s.packages[len(s.packages)-1]), c.want)
	}
	jobs := types.NewPackage("github.com/riverqueue/river", "river") // an app may lack it
	if !writesByItself(types.NewFunc(0, jobs, "InsertTx", types.NewSignatureType(nil, nil, nil, nil, nil, false))) {
		t.Error("inserting a job is not found")
	}
}
