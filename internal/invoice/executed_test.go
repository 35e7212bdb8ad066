package invoice_test

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

var update = flag.Bool("update", false, "write what PostgreSQL executes to testdata, instead of comparing with it")

// TestExecutedCreate compares testdata/create.sql with the statements that PostgreSQL logs for an invoice of a new customer, from BEGIN
// to COMMIT, with other indentation and without the values that differ each time.
func TestExecutedCreate(t *testing.T) {
	const golden = "testdata/create.sql"
	b := setup(t)
	said := b.logsStatements()
	if _, err := b.create("first", draft(t, input("2026-0001"))); err != nil { // prepares the statements
		t.Fatal(err)
	}
	said.forget()
	in := input("2026-0002")
	in.Customer.Email = "grace@example.com"
	d := draft(t, in)
	done, err := b.create("k", d)
	must.OK(t, err)
	id := done.Value.ID
	got := strings.NewReplacer(
		b.Tenant.String(), "the tenant", id.String(), "the invoice", done.Value.Customer.ID.String(), "the customer",
	).Replace("-- Written by: go test ./internal/invoice -run TestExecutedCreate -update\n" + said.text())
	got = regexp.MustCompile(`'\\x[0-9a-f]+'`).ReplaceAllString(got, "'bytes'")

	if *update {
		must.OK(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	diff := exec.CommandContext(t.Context(), "diff", "-u", golden, "-")
	diff.Stdin = strings.NewReader(got)
	if differs, err := diff.CombinedOutput(); err != nil {
		t.Errorf("PostgreSQL executes something else than %s says. If it is meant, run go test ./internal/invoice -run %s -update.\n%s%v",
			golden, t.Name(), differs, err)
	}
}

// serverLog collects the statements that the server logs.
type serverLog struct {
	mu         sync.Mutex
	statements []string
}

// logsStatements makes the server log every statement, and send its log to the store's connections.
func (b *bundle) logsStatements() *serverLog {
	b.Helper()
	b.DB.Spoil(b.T)
	config := b.DB.Pool.Config()
	must.Exec(b, b.Admin, `ALTER ROLE onlyonce IN DATABASE `+config.ConnConfig.Database+` SET log_statement = 'all'`)
	var s serverLog
	config.MaxConns = 1
	config.ConnConfig.RuntimeParams["client_min_messages"] = "log"
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, sql, ok := strings.Cut(n.Message, ": "); ok && strings.HasPrefix(n.Message, "execute ") {
			s.statements = append(s.statements, indent(sql)+";\n"+values(n.Detail))
		}
	}
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	must.OK(b, err)
	b.Cleanup(pool.Close)
	b.Store = &idempotency.Store{Pool: pool, Wait: b.Store.Wait, Timeout: b.Store.Timeout}
	return &s
}

func (s *serverLog) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statements = nil
}

func (s *serverLog) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "\n" + strings.Join(s.statements, "\n")
}

// indent indents each line by the number of open parentheses around it.
func indent(sql string) string {
	var lines []string
	depth, list := 0, 0
	for line := range strings.Lines(strings.TrimSpace(sql)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "FROM") {
			list = 0
		}
		closed := len(line) - len(strings.TrimLeft(line, ")"))
		lines = append(lines, strings.Repeat("\t", depth+list-closed)+line)
		depth += strings.Count(line, "(") - strings.Count(line, ")")
		if line == "SELECT" { // the selected expressions follow on the lines until FROM
			list = 1
		}
	}
	return strings.Join(lines, "\n")
}

// values returns the parameters as comments, one per line.
func values(detail string) string {
	_, detail, ok := strings.Cut(detail, ": ") // "parameters: $1 = …"
	if !ok {
		return ""
	}
	return "-- " + regexp.MustCompile(`, (\$\d+ = )`).ReplaceAllString(detail, "\n-- $1") + "\n"
}
