package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"onlyonce/internal/assert"
)

// mayAct are the functions that act outside of an operation when a page is requested, each with the reason.
var mayAct = []string{
	// Sessions and links are no records, and a repeat of these changes nothing more.
	"people/peoplepages.sessionStore.CommitCtx", "people/peoplepages.sessionStore.DeleteCtx",
	"people/account.EndSession", "people/account.EndOtherSessions", "people/account.UseLink",
	"people/account.noteUse",    // once an hour for a token
	"people/installation.Retry", // makes a job run once for each attempt that has failed
	"people/link.Last",          // reads in a transaction
	"people/business.Export",    // reads in a transaction
	"people/link.Forgot",        // mails at most one link in each period
}

// TestPagesActByOperations: an effect of a handler, of a hook of a form or of the explanation of a conflict outside of the operation is not
// protected by a key. It comes with each repeat, with a rollback and maybe with a GET, and is missing after a crash. The test follows the
// calls of pages and of the kit into domains.
func TestPagesActByOperations(t *testing.T) {
	t.Parallel()
	s := whole(t)
	byLevel := map[level][]*packages.Package{}
	for _, p := range s.packages {
		byLevel[levelOf(room(p.PkgPath))] = append(byLevel[levelOf(room(p.PkgPath))], p)
	}
	assert.Thatf(t, len(byLevel[pages]) >= 2 && len(byLevel[kit]) != 0,
		"looked at %d packages of pages, and %d of the kit", len(byLevel[pages]), len(byLevel[kit]))
	for _, broken := range s.acts(append(byLevel[pages], byLevel[kit]...)) { // the nearest is named
		t.Error(broken)
	}
}

// acts returns a sentence for each place where packages, the functions that they call, or the explanations of operations act by
// themselves.
func (s *source) acts(all []*packages.Package) (found []string) {
	of := ""
	r := reach{source: s, seen: map[ast.Node]bool{}, stops: stops, report: func(n ast.Node, path, use string) {
		direct := !strings.Contains(path, "→")
		for instead, uses := range actions {
			// Only an operation or one of the other actions begins a transaction.
			if uses.MatchString(use) && (direct || !strings.HasPrefix(use, "(github.com/jackc/pgx/v5.Tx)")) {
				found = append(found, fmt.Sprintf("%s: %s (%s) uses %s outside of the transaction of an operation, so it comes with each "+
					"repeat too: %s", s.position(n), of, path, use, instead))
			}
		}
	}}
	for _, p := range all {
		for _, file := range p.Syntax {
			for _, declared := range file.Decls {
				name := "a variable"
				if f, ok := declared.(*ast.FuncDecl); ok {
					name = f.Name.Name
					if slices.Contains(mayAct, shortName(p.TypesInfo.Defs[f.Name])) {
						continue
					}
				}
				of = "package " + p.Types.Name()
				r.walk(declared, name)
			}
		}
	}
	for _, o := range s.operations(module) {
		for _, name := range notWork {
			if value, ok := o.fields[name]; ok {
				of = o.name
				r.walk(value, name)
			}
		}
	}
	return found
}

// stops reports whether a call is not followed: of an operation, of a read, which is read-only for PostgreSQL too, of a client, which is
// there to send requests, of the list of rooms, whose demos and jobs act in the background, of the kit, which would lead to all pages, or
// of mayAct.
func stops(object types.Object) bool {
	if object == nil || object.Pkg() == nil || strings.HasPrefix(object.Type().String(), module+"/internal/idempotency.Operation[") {
		return true
	}
	if !strings.HasPrefix(object.Pkg().Path(), module+"/") {
		return true
	}
	path := strings.TrimPrefix(object.Pkg().Path(), module+"/internal/")
	return slices.Contains([]string{"idempotency", "postgres", "record", "site", "web"}, path) || clients[room(object.Pkg().Path())] ||
		slices.Contains(mayAct, shortName(object))
}

// shortName returns the name of a function behind the path of its package below internal/ and its type.
func shortName(object types.Object) string {
	path := strings.TrimPrefix(object.Pkg().Path(), module+"/internal/")
	name := path + "." + object.Name()
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		of := types.TypeString(f.Signature().Recv().Type(), func(*types.Package) string { return path })
		name = strings.TrimPrefix(of, "*") + "." + object.Name()
	}
	return name
}

// actions are the functions by which code acts, keyed by the alternative.
var actions = map[string]*regexp.Regexp{
	"make it part of the work of an operation": regexp.MustCompile(
		`^[(*]*github\.com/jackc/pgx/v5(/\w+)?\.(\w+\)\.)?(Acquire\w*|Begin\w*|Connect\w*|CopyFrom|Exec|SendBatch)$|` +
			`^` + module + `/internal/postgres\.InTenant$`),
	"insert it in the work of the operation, with the same transaction": regexp.MustCompile(
		`^[(*]*github\.com/riverqueue/river.*\.Insert\w*$`),
	"insert a job in the work of the operation, and do it there": regexp.MustCompile(
		`^net/http\.(Get|Head|Post|PostForm)$|^[(*]*net/http\.(Client|Transport|RoundTripper)\)\.|` +
			`^[(*]*net\.(\w+\)\.)?Dial\w*$|^[(*]*(net/smtp|net/rpc|os/exec|syscall|golang\.org/x/sync/errgroup)\.|` +
			`^\(\*sync\.WaitGroup\)\.Go$|^time\.AfterFunc$|^` + goStatement + `$|` +
			`^[(*]*(io/ioutil|os)\.(File\)\.(Truncate|Write)\w*|WriteFile|Create\w*|OpenFile|OpenRoot|Remove\w*|Rename|Mkdir\w*|` +
			`Symlink|Link|Truncate|Chmod|Chown|CopyFS|StartProcess|TempFile)$`),
}

func TestActionsOfPagesAreFound(t *testing.T) {
	t.Parallel()
	const write, insert, job = "part of the work", "with the same transaction", "insert a job"
	cases := map[string]struct{ text, want string }{
		"a read":               {`func show() { pool.QueryRow(ctx, "SELECT 1"); pool.Query(ctx, "SELECT 1") }`, ""},
		"a write":              {`func show() { if true { pool.Exec(ctx, "DELETE FROM x") } }`, write},
		"in a method":          {`func (page) show() { pool.Exec(ctx, "") }`, write},
		"a transaction":        {`func show() { pool.Begin(ctx) }`, write},
		"with options":         {`func show() { pool.BeginTx(ctx, pgx.TxOptions{}) }`, write},
		"in a function":        {`func show() { pgx.BeginFunc(ctx, pool, func(pgx.Tx) error { return nil }) }`, write},
		"a batch":              {`func show() { pool.SendBatch(ctx, nil) }`, write},
		"a copy":               {`func show() { pool.CopyFrom(ctx, pgx.Identifier{}, nil, pgx.CopyFromRows(nil)) }`, write},
		"a connection":         {`func show() { pool.Acquire(ctx) }`, write},
		"behind an interface":  {`type db interface { pgx.Tx }; func show(d db) { d.Exec(ctx, "") }`, write},
		"as a value":           {`var write = pool.Exec`, write},
		"as a tenant":          {`func show() { postgres.InTenant(ctx, pool, uuid.Nil, nil) }`, write},
		"a store of its own":   {`func (sessionStore) CommitCtx() { pool.Exec(ctx, "") }`, ""},
		"the same, for others": {`func (page) CommitCtx() { pool.Exec(ctx, "") }`, write},

		"a write of the domain": {`func show() { text.Write(ctx, pool) }`, "package text (show → Write → inTenant)"},
		"in a hook":             {`func show() { _ = form{OnSuccess: func(int) { text.Write(ctx, pool) }} }`, write},
		"the work of one":       {`func show() { text.Archive.Do(ctx, nil, idempotency.Intent{}, 1) }`, ""},
		"its explanation": {
			`var _ = idempotency.Define(idempotency.Spec[int, int]{Name: "a", Explain: text.Explain})`, "Explain → Write → inTenant",
		},
		"a goroutine":            {`func show() { go show() }`, job},
		"a group":                {`func show() { new(sync.WaitGroup).Go(func() {}) }`, job},
		"a request":              {`func show() { http.Get("") }`, job},
		"a client":               {`func show() { new(http.Client).Do(nil) }`, job},
		"its own request":        {`func show(r *http.Request) { _ = r.Header.Get("") }`, ""},
		"a connection elsewhere": {`func show() { net.Dial("", "") }`, job},
		"a mail":                 {`func show() { smtp.SendMail("", nil, "", nil, nil) }`, job},
		"a file":                 {`func show() { os.WriteFile("", nil, 0) }`, job},
		"an open file":           {`func show(f *os.File) { f.Write(nil) }`, job},
		"a removed file":         {`func show() { os.Remove("") }`, job},
		"a read file":            {`func show() { os.ReadFile("") }`, ""},
		"a program":              {`func show() { exec.Command("").Run() }`, job},
	}
	imports := []string{
		"context", "net", "net/http", "net/smtp", "os", "os/exec", "sync", "github.com/google/uuid", "github.com/jackc/pgx/v5",
		"github.com/jackc/pgx/v5/pgxpool", module + "/internal/idempotency", module + "/internal/postgres",
	}
	s := load(t, append(imports, "github.com/jackc/pgx/v5/pgconn")...)
	importing := func(more ...string) string { return `import ("` + strings.Join(more, "\"\n\"") + `")` + "\n" }
	s.parse(t, "internal/notice", importing(append(imports, "github.com/jackc/pgx/v5/pgconn")...)+`
		func Write(ctx context.Context, pool *pgxpool.Pool) { inTenant(ctx, pool) }
		func inTenant(ctx context.Context, pool *pgxpool.Pool) { _ = postgres.InTenant(ctx, pool, uuid.Nil, nil) }
		var Archive = idempotency.Define(idempotency.Spec[int, int]{Name: "archive", Run: work})
		func work(ctx context.Context, tx pgx.Tx, i idempotency.Intent, c int) (int, error) { Write(ctx, nil); return 0, nil }
		var Explain = map[string]idempotency.Explanation[int]{"x": func(
			ctx context.Context, s *idempotency.Store, i idempotency.Intent, c int, e *pgconn.PgError,
		) error { Write(ctx, s.Pool); return nil }}
		var (
			_ net.IP; _ http.Header; _ smtp.Auth; _ os.File; _ exec.Cmd; _ sync.Once
		)`)
	loaded := len(s.packages)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		s.packages = s.packages[:loaded] // without the operations of the last case
		s.parse(t, "internal/people/peoplepages", importing(append(imports, module+"/internal/notice")...)+`
			type (
				page struct{}
				sessionStore struct{}
				form struct{ OnSuccess func(int) }
			)
			var (
				ctx context.Context
				pool *pgxpool.Pool
				_ pgx.Tx
				_ uuid.UUID
				_ postgres.SchemaError
				_ idempotency.Intent
				_ = text.Archive
				_ net.IP; _ http.Header; _ smtp.Auth; _ os.File; _ exec.Cmd; _ sync.Once
			)
			`+c.text)
		wantFound(t, name, s.acts(s.packages[len(s.packages)-1:]), c.want)
	}
	for _, use := range []string{ // an app may lack it
		"(*github.com/riverqueue/river.Client[TTx]).InsertTx", "(*github.com/riverqueue/river.Client[TTx]).InsertManyFast",
	} {
		assert.Thatf(t, actions["insert it in the work of the operation, with the same transaction"].MatchString(use),
			"%s is not found: %s", use, insert)
	}
}
