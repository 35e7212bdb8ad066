package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
)

// TestWorkIsPure: the work of an operation may be run again after a lost connection, so it may depend on its arguments and the
// database only. The test follows the calls of the work through the module. It doesn't see functions that only a library calls,
// such as a MarshalJSON.
func TestWorkIsPure(t *testing.T) {
	t.Parallel()
	s := whole(t)
	all := s.operations(module)
	assert.Thatf(t, len(all) >= 2, "found %d operations", len(all))
	for _, o := range all {
		for _, broken := range s.impure(o) {
			t.Error(broken)
		}
	}
}

// notWork are the fields of a Spec whose functions are not run in the transaction.
var notWork = []string{"Explain", "Fields"}

// impure returns a sentence for each function or variable that the work of an operation uses and may not.
func (s *source) impure(o operation) (found []string) {
	r := reach{source: s, seen: map[ast.Node]bool{}, report: func(n ast.Node, path, use string) {
		for instead, uses := range forbidden {
			if uses.MatchString(use) {
				found = append(found, fmt.Sprintf("%s: the work of %q (%s) uses %s, and may be run again: %s",
					s.position(n), o.name, path, use, instead))
			}
		}
	}}
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !slices.Contains(notWork, name) {
			r.walk(o.fields[name], name)
		}
	}
	if r.functions == 0 {
		found = append(found, o.at+": the work of the operation is not found: it must be a function or come from one")
	}
	return found
}

// reach follows calls through the module.
type reach struct {
	*source

	seen map[ast.Node]bool
	// report is called with each function and package variable that is used, and with each go statement.
	report func(n ast.Node, path, use string)
	// stops reports whether a function isn't followed; nil if each is.
	stops     func(types.Object) bool
	functions int // that were followed
}

const goStatement = "a go statement"

func (r *reach) walk(root ast.Node, path string) {
	if r.seen[root] {
		return
	}
	r.seen[root] = true
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			r.functions++
		case *ast.GoStmt:
			r.report(n, path, goStatement)
		case *ast.Ident:
			object := origin(r.uses[n])
			r.report(n, path, fullName(object))
			if object == nil || r.stops != nil && r.stops(object) {
				return true
			}
			for _, next := range r.follow(object) {
				r.walk(next, path+" → "+object.Name())
			}
		}
		return true
	})
}

const aJob = "insert a job in the same transaction, and do it there"

// forbidden are the functions that work may not use, keyed by the alternative.
var forbidden = map[string]*regexp.Regexp{
	"use now() in SQL, or take the time as a part of the command": regexp.MustCompile(
		`^time\.(Now|Since|Until|After|AfterFunc|NewTimer|NewTicker|Tick|Sleep)$`),
	"use tx.ID(n) or Intent.ID(n), which are the same each time": regexp.MustCompile(
		`^github\.com/google/uuid\.(New|NewDCE\w+|NewRandom\w*|NewString|NewUUID|NewV[67]\w*)$`),
	"take what was chosen as a part of the command, or derive it from tx.ID(n) or Intent.ID(n)": regexp.MustCompile(
		`^[(*]*(math/rand|math/rand/v2|crypto/rand|hash/maphash)\.`),
	"use the transaction that the work was given": regexp.MustCompile(
		`^[(*]*github\.com/jackc/pgx/v5(/pgconn\.Connect|\.Connect|/pgxpool\.|/stdlib\.)`),
	aJob: regexp.MustCompile(
		`^[(*]*(net|net/http[/\w]*|net/rpc[/\w]*|net/smtp|os|os/\w+|syscall|golang\.org/x/sync/errgroup)\.|` +
			`^\(\*sync\.WaitGroup\)\.Go$|^` + goStatement + `$`),
}

// fullName returns a function or a variable of a package with its import path, and "" for types, constants and fields.
func fullName(object types.Object) string {
	switch object := object.(type) {
	case *types.Func:
		return object.FullName()
	case *types.Var:
		if ofPackage(object) {
			return object.Pkg().Path() + "." + object.Name()
		}
	}
	return ""
}

// ofPackage reports whether a variable belongs to a package, and not to a function or a struct.
func ofPackage(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

func TestImpureWorkIsFound(t *testing.T) {
	t.Parallel()
	const clock, ids, chance, ownTx, job = "now() in SQL", "tx.ID(n)", "part of the command", "work was given", "insert a job"
	cases := map[string]struct {
		imports string
		work    string // the arguments of run, or the fields of the Spec
		more    string
		want    string
	}{
		"nothing":          {"", `func() {}`, "", ""},
		"the time of now":  {"time", `func() { _ = time.Now() }`, "", clock},
		"time since":       {"time", `func() { _ = time.Since(time.Time{}) }`, "", clock},
		"time until":       {"time", `func() { _ = time.Until(time.Time{}) }`, "", clock},
		"after":            {"time", `func() { <-time.After(1) }`, "", clock},
		"after func":       {"time", `func() { time.AfterFunc(1, nil) }`, "", clock},
		"timer":            {"time", `func() { time.NewTimer(1) }`, "", clock},
		"ticker":           {"time", `func() { time.NewTicker(1) }`, "", clock},
		"tick":             {"time", `func() { <-time.Tick(1) }`, "", clock},
		"sleep":            {"time", `func() { time.Sleep(1) }`, "", clock},
		"other use of now": {"time", `time.Now`, "", clock},
		"duration":         {"time", `func() { _ = 2 * time.Second; _ = time.Time{}.Add(1); _ = time.UnixMilli(1) }`, "", ""},
		"uuid":             {"github.com/google/uuid", `func() { _ = uuid.New() }`, "", ids},
		"uuid string":      {"github.com/google/uuid", `func() { _ = uuid.NewString() }`, "", ids},
		"uuid version 7":   {"github.com/google/uuid", `func() { _, _ = uuid.NewV7() }`, "", ids},
		"uuid version 4":   {"github.com/google/uuid", `func() { _, _ = uuid.NewRandom() }`, "", ids},
		"uuid of a text":   {"github.com/google/uuid", `func() { _ = uuid.NewSHA1(uuid.Nil, nil); _, _ = uuid.Parse("") }`, "", ""},
		"rand":             {"math/rand", `func() { _ = rand.Int() }`, "", chance},
		"rand source":      {"math/rand", `func() { var r *rand.Rand; _ = r.Int() }`, "", chance},
		"rand version 2":   {"math/rand/v2", `func() { _ = rand.N(6) }`, "", chance},
		"crypto rand":      {"crypto/rand", `func() { _, _ = rand.Read(nil) }`, "", chance},
		"crypto reader":    {"crypto/rand", `func() { _, _ = rand.Reader.Read(nil) }`, "", chance},
		"dial":             {"net", `func() { _, _ = net.Dial("tcp", "") }`, "", job},
		"write to a conn":  {"net", `func() { var c net.Conn; _, _ = c.Write(nil) }`, "", job},
		"HTTP":             {"net/http", `func() { _, _ = http.Get("") }`, "", job},
		"HTTP client":      {"net/http", `func() { _, _ = http.DefaultClient.Get("") }`, "", job},
		"HTTP constant":    {"net/http", `func() { _ = http.StatusOK }`, "", ""},
		"mail":             {"net/smtp", `func() { _ = smtp.SendMail("", nil, "", nil, nil) }`, "", job},
		"address of a page": {
			"net/url", `func() { _, _ = url.Parse("") }`, "", "",
		},
		"file":             {"os", `func() { _, _ = os.ReadFile("") }`, "", job},
		"environment":      {"os", `func() { _ = os.Getenv("") }`, "", job},
		"program":          {"os/exec", `func() { _ = exec.Command("").Run() }`, "", job},
		"system call":      {"syscall", `func() { _ = syscall.Getpid() }`, "", job},
		"go statement":     {"", `func() { go func() {}() }`, "", job},
		"wait group":       {"sync", `func() { new(sync.WaitGroup).Go(func() {}) }`, "", job},
		"mutex":            {"sync", `func() { new(sync.Mutex).Lock() }`, "", ""},
		"other connection": {"github.com/jackc/pgx/v5/pgxpool", `func() { _, _ = pool.Exec(nil, "") }`, `var pool *pgxpool.Pool`, ownTx},
		"new connection":   {"", `func() { _, _ = pgx.Connect(nil, "") }`, "", ownTx},

		"other operation": {"", `func() { _, _ = Other.Do(nil, nil, idempotency.Intent{}, 1) }`,
			`var Other = idempotency.Define(idempotency.Spec[int, int]{Name: "other", Run: run(func() {})})`, clock},
		"other package": {"", `func() { _ = idempotency.NewKey() }`, "", ids},
		"named function": {"time", `named`,
			`func named() { deeper() }; func deeper() { _ = time.Now() }`, clock},
		"in a circle": {"time", `a`, `func a() { b() }; func b() { a(); _ = time.Now() }`, clock},
		"method":      {"time", `func() { clock{}.read() }`, `type clock struct{}; func (clock) read() { _ = time.Now() }`, clock},
		"method of a generic": {"time", `func() { clock[int]{}.read() }`,
			`type clock[T any] struct{}; func (clock[T]) read() { _ = time.Now() }`, clock},
		"method of an interface": {"time", `func() { c.read() }`,
			`type clock struct{}; func (*clock) read() { _ = time.Now() }; var c interface{ read() } = &clock{}`, clock},
		"method value": {"time", `func() { f := clock{}.read; f() }`,
			`type clock struct{}; func (clock) read() { _ = time.Now() }`, clock},
		"package variable":  {"time", `func() { now() }`, `var now = time.Now`, clock},
		"assigned variable": {"time", `func() { now() }`, `var now func() time.Time; func set() { now = time.Now }`, clock},
		"start of program":  {"time", `func() { _ = started }`, `var started = time.Now()`, clock},
		"field": {"time", `func() { c.now() }`,
			`type clock struct{ now func() time.Time }; var c clock; func set() { c.now = time.Now }`, clock},
		"field of literal": {"time", `func() { c.now() }`,
			`type clock struct{ now func() time.Time }; var c = clock{now: time.Now}`, clock},
		"unused function": {"time", `func() {}`, `func unused() { _ = time.Now() }`, ""},
		"field with a time": {"time", `func() { _ = d.at }`,
			`type draft struct{ at time.Time }; var d draft; func set() { d.at = time.Now() }`, ""},
		"statements": {"time", `Statements: statements`, `func statements(tx *idempotency.Tx, c int) idempotency.Result {
			return tx.Return("", pgx.NamedArgs{"at": time.Now()})
		}`, clock},
		"pure statements": {"", `Statements: statements`, `func statements(tx *idempotency.Tx, c int) idempotency.Result {
			tx.Exec("", nil)
			tx.Require(1, nil, "", nil)
			return tx.Return("", pgx.NamedArgs{"other": tx.ID(1)})
		}`, ""},
		"explanation": {"time", `Run: run(func() {}), Explain: map[string]idempotency.Explanation[int]{"unique": explain}`,
			`func explain(context.Context, *idempotency.Store, idempotency.Intent, int, *pgconn.PgError) error {
				_ = time.Now()
				return nil
			}`, ""},
		"no function": {"", `Run: nil`, "", "is not found"},
	}
	needed := []string{"context", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn", module + "/internal/idempotency"}
	patterns := slices.Clone(needed)
	for _, c := range cases {
		if c.imports != "" && !slices.Contains(patterns, c.imports) {
			patterns = append(patterns, c.imports)
		}
	}
	s := load(t, patterns...)
	for name, c := range cases {
		imports := `"` + strings.Join(needed, "\"\n\"") + `"`
		if c.imports != "" {
			imports += "\n" + strconv.Quote(c.imports)
		}
		fields := c.work
		if !regexp.MustCompile(`^[A-Z]\w+: `).MatchString(fields) {
			fields = "Run: run(" + c.work + ")"
		}
		s.parse(t, name, `import (`+imports+`)
			var Create = idempotency.Define(idempotency.Spec[int, int]{Name: "create", `+fields+`})
			var _ pgconn.PgError
			func run(work any) func(context.Context, pgx.Tx, idempotency.Intent, int) (int, error) { return nil }
			`+c.more)
		var found []string
		for _, o := range s.operations(module + "/" + name) {
			if o.name == "create" {
				found = s.impure(o)
			}
		}
		wantFound(t, name, found, c.want)
	}
}
