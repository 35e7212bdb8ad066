package pgtest

import (
	"cmp"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// Executed records the statements that PostgreSQL executes, and compares them with files in testdata when the test ends. With the flag
// -update it writes these files instead. Comments have the constraint that a statement breaks, and whether COMMIT rolls back.
type Executed struct {
	Pool *pgxpool.Pool // with one connection, whose statements are recorded

	t          testing.TB
	mu         sync.Mutex
	statements []string
	failed     bool              // whether COMMIT will roll back
	files      map[string]string // the text of each file in testdata, by its name without ".sql"
}

// Executed returns a recorder. It makes the server log all statements, also to the client that sends them, and spoils the database.
func (d *Database) Executed(t testing.TB) *Executed {
	t.Helper()
	d.Spoil(t)
	config := d.Pool.Config()
	logs := `ALTER ROLE onlyonce IN DATABASE ` + config.ConnConfig.Database + ` SET log_statement = 'all'`
	_, err := d.admin.Exec(t.Context(), logs)
	must.Thatf(t, err == nil, "pgtest: %v", err)
	e := &Executed{t: t, files: map[string]string{}}
	config.MaxConns = 1
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // prepares nothing, so all runs execute the same
	config.ConnConfig.RuntimeParams["client_min_messages"] = "log"
	config.ConnConfig.OnNotice = e.record
	ends := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(conn *pgconn.PgConn, failed *pgconn.PgError) bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		if last := len(e.statements) - 1; last >= 0 {
			e.statements[last] += " -- fails: " + cmp.Or(failed.ConstraintName, failed.Message)
		}
		e.failed = true
		return ends(conn, failed)
	}
	if e.Pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		e.Pool.Close()
		e.compare()
	})
	return e
}

// record records a message such as "execute <unnamed>: SELECT 1" or "statement: begin".
func (e *Executed) record(_ *pgconn.PgConn, n *pgconn.Notice) {
	kind, sql, ok := strings.Cut(n.Message, ": ")
	if !ok || kind != "statement" && !strings.HasPrefix(kind, "execute ") {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	text := indent(sql) + ";"
	switch {
	case strings.HasPrefix(text, "BEGIN"):
		e.failed = false
	case e.failed && text == "COMMIT;":
		text += " -- rolls back"
	}
	e.statements = append(e.statements, text)
}

// Section adds the statements of work to a file, below its name. It ends the test if work fails.
func (e *Executed) Section(file, name string, work func() error) {
	e.t.Helper()
	e.mu.Lock()
	e.statements = nil
	e.mu.Unlock()
	err := work()
	must.Thatf(e.t, err == nil, "%s: %v", name, err)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.files[file] == "" {
		e.files[file] = "-- Written by: make sql\n"
	}
	e.files[file] += "\n-- " + name + "\n\n" + strings.Join(e.statements, "\n\n") + "\n"
}

// compare reports an error for each file with other statements, and for each file of no section.
func (e *Executed) compare() {
	if e.t.Failed() {
		return
	}
	written, err := filepath.Glob("testdata/*.sql")
	for _, file := range written {
		if _, ok := e.files[strings.TrimSuffix(filepath.Base(file), ".sql")]; !ok {
			e.t.Errorf("%s has statements that %s does not execute", file, e.t.Name())
		}
	}
	for name, text := range e.files {
		file := filepath.Join("testdata", name+".sql")
		if flag.Lookup("update").Value.String() == "true" {
			if err = os.MkdirAll("testdata", 0o755); err == nil {
				err = os.WriteFile(file, []byte(text), 0o644)
			}
		}
		diff := exec.Command("diff", "-u", file, "-")
		diff.Stdin = strings.NewReader(text)
		differs, failed := diff.CombinedOutput()
		assert.Thatf(e.t, failed == nil,
			"PostgreSQL executes other statements than those in %s. If that is intended, run make sql.\n%s%v", file, differs, failed)
	}
	assert.Thatf(e.t, err == nil, "%v", err)
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
		lines = append(lines, strings.Repeat("\t", max(0, depth+list-closed))+line)
		depth += strings.Count(line, "(") - strings.Count(line, ")")
		if line == "SELECT" { // the selected expressions follow on the lines until FROM
			list = 1
		}
	}
	return strings.Join(lines, "\n")
}
