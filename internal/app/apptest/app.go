// Package apptest starts the app for tests: in process, or as a program.
package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/site"
)

// Bundle is a running app with its database.
type Bundle struct {
	*testing.T
	*app.App

	DB      *pgtest.Database
	Logs    *Buffer
	Metrics string // URL
}

// New starts an app on a database that has the demo data.
func New(t *testing.T, settings ...func(*app.Config)) *Bundle {
	t.Helper()
	t.Parallel()
	b := On(t, Demo.New(t))
	b.App = b.Start(settings...)
	return b
}

// On returns a bundle without an app.
func On(t *testing.T, db *pgtest.Database) *Bundle {
	t.Helper()
	return &Bundle{T: t, DB: db}
}

// Site returns the site of the released program.
func Site() app.Site { return app.Site{Mount: site.Mount, Rooms: site.Rooms()} }

// Config returns the configuration of an app with demo data.
func (b *Bundle) Config() app.Config {
	b.Helper()
	b.Logs = &Buffer{}
	metrics := FreeAddress(b.T)
	b.Metrics = "http://" + metrics + "/metrics"
	return app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: metrics, DatabaseURL: b.DB.URL, Demo: true, Site: Site(),
		Wait: 10 * time.Second, ExpireEvery: time.Minute,
		Log: slog.New(slog.NewJSONHandler(b.Logs, nil)),
	}
}

// Start starts an app, which is closed at the end of the test.
func (b *Bundle) Start(settings ...func(*app.Config)) *app.App {
	b.Helper()
	config := b.Config()
	for _, set := range settings {
		set(&config)
	}
	started, err := app.Start(b.Context(), config)
	must.OK(b, err)
	b.Cleanup(func() {
		must.OK(b, started.Close(context.Background()))
	})
	return started
}

// TryStart starts an app and stops it.
func TryStart(ctx context.Context, config app.Config) error {
	started, err := app.Start(ctx, config)
	if err != nil {
		return err
	}
	return started.Close(context.Background())
}

// FreeAddress returns an address without a listener.
func FreeAddress(t *testing.T) string {
	t.Helper()
	address, err := replica.FreePort(t.Context())
	must.OK(t, err)
	return address
}

// The credentials of the owner of the first tenant of the demo.
const (
	DemoPassword = "only-once-demo"
	DemoToken    = "oo_demo_acme"
)

// DemoLogin returns the fields of the owner's login.
func DemoLogin() url.Values {
	return url.Values{"email": {"acme@onlyonce.test"}, "password": {DemoPassword}}
}

// Ask sends a request to the API of an app.
func Ask(token, method, url, key, body string) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, errors.Join(err, response.Body.Close())
}

// Get requests a URL.
func (b *Bundle) Get(url string) (status int, body string) {
	b.Helper()
	response, err := http.Get(url)
	must.OK(b, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	must.OK(b, err)
	return response.StatusCode, string(read)
}

// Number returns the result of a query of all tenants.
func (b *Bundle) Number(sql string) (n int) {
	b.Helper()
	must.OK(b, b.DB.Admin().QueryRow(b.Context(), sql).Scan(&n))
	return n
}

// Buffer collects output of several goroutines.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *Buffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *Buffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// Lines returns the log's lines with a message.
func (b *Bundle) Lines(message string) []map[string]any {
	b.Helper()
	var found []map[string]any
	for line := range strings.Lines(b.Logs.String()) {
		var entry map[string]any
		err := json.Unmarshal([]byte(line), &entry)
		must.Thatf(b, err == nil, "%v in %q", err, line)
		if entry["msg"] == message {
			found = append(found, entry)
		}
	}
	return found
}

// Company is a tenant outside the demo, so its mails are sent.
const Company = "0190a000-0000-7000-8000-000000000001"

// CompanyToken is a token of the company.
const CompanyToken = "oo_company"

// Mailing returns a bundle whose app sends mails of a company to a mail server.
func Mailing(t *testing.T, url string, settings ...func(*app.Config)) *Bundle {
	t.Helper()
	t.Parallel()
	b := On(t, pgtest.New(t))
	b.FoundCompany("Acme Studio")
	b.App = b.Start(append([]func(*app.Config){b.sendingTo(url)}, settings...)...)
	return b
}

func (b *Bundle) sendingTo(url string) func(*app.Config) {
	b.Helper()
	server, err := mailer.ParseServer(url)
	must.OK(b, err)
	return func(c *app.Config) {
		c.Demo, c.MailServer, c.MailSender = false, &server, "app@example.com"
		c.MailTimeout, c.MailRetry = 5*time.Second, 10*time.Millisecond
	}
}

// FoundCompany creates the company.
func (b *Bundle) FoundCompany(name string) {
	b.Helper()
	admin := b.DB.Admin()
	must.Exec(b, admin, `INSERT INTO tenants (id, name) VALUES ($1, $2)`, Company, name)
	must.Exec(b, admin, `INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($1, $2, 'test')`,
		account.HashToken(CompanyToken), Company)
}

// LogsNothingPersonal fails if the address of Ada is in the log, or in River's tables.
func (b *Bundle) LogsNothingPersonal() {
	b.Helper()
	jobs, err := b.DB.Admin().Query(b.Context(), `SELECT to_jsonb(j)::text FROM river.river_job j`)
	must.OK(b, err)
	rows, err := pgx.CollectRows(jobs, pgx.RowTo[string])
	must.Thatf(b, err == nil && len(rows) != 0, "%d jobs, %v", len(rows), err)
	told := b.Logs.String() + strings.Join(rows, "\n")
	assert.Thatf(b, !strings.Contains(told, "ada@example.com"), "an address is in the log or in a job:\n%s", told)
}

// Program is the built program with its data directory.
type Program struct {
	Data, Addr string
	Process    *exec.Cmd
	Log        *Buffer

	binary string
	env    []string // in addition to the common variables
}

// StartProgram starts the program with an embedded PostgreSQL. It is stopped at the end of the test.
func StartProgram(t *testing.T, env ...string) *Program {
	t.Helper()
	p := &Program{binary: BuildServer(t), Data: pgtest.Embedded(t), Addr: FreeAddress(t), env: env, Log: &Buffer{}}
	p.Start(t)
	t.Cleanup(func() {
		p.Process.Process.Signal(os.Interrupt)
		p.Process.Wait()
	})
	return p
}

// BuildServer returns the path of the program.
func BuildServer(t *testing.T) (path string) {
	t.Helper()
	path, err := replica.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
	must.OK(t, err)
	return path
}

// Start returns when the program serves.
func (p *Program) Start(t *testing.T) {
	t.Helper()
	p.Process = exec.Command(p.binary)
	p.Process.Env = append(os.Environ(), "ADDR="+p.Addr, "DATA_DIR="+p.Data, "METRICS_ADDR=off", "RATE_LIMIT=0", "DATABASE_URL=")
	p.Process.Env = append(p.Process.Env, p.env...)
	p.Process.Stderr = p.Log
	ready, serving := io.Pipe()
	p.Process.Stdout = serving
	must.OK(t, p.Process.Start())
	banner := make(chan bool, 1)
	go func() {
		buffer := make([]byte, 4096)
		n, _ := ready.Read(buffer)
		banner <- strings.Contains(string(buffer[:n]), "ready")
		io.Copy(io.Discard, ready)
	}()
	select {
	case ok := <-banner:
		must.Thatf(t, ok, "the program did not start")
	case <-time.After(time.Minute):
		t.Fatal("the program did not start in a minute")
	}
}

// Demo is a database filled by [Fill]. It is a package variable because TestMain and the tests can't share anything else.
var Demo = pgtest.Template{Fill: Fill}

// Fill starts the app on an empty database, and stops it when the demo data exists and its emails are sent: most of the work of
// a first start.
func Fill(ctx context.Context, db *pgtest.Database) error {
	a, err := app.Start(ctx, app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: db.URL, Demo: true, Site: Site(),
		Wait: 10 * time.Second, ExpireEvery: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := true; left && err == nil; <-tick.C {
		err = db.Pool.QueryRow(patience, `SELECT EXISTS (SELECT FROM river.river_job WHERE finalized_at IS NULL)`).Scan(&left)
	}
	return errors.Join(err, a.Close(ctx))
}

// The demo tenants.
const (
	Acme   = "0a3e0000-0000-4000-8000-00000000ac3e"
	Globex = "610be000-0000-4000-8000-0000000610be"
)

// Story returns the rows of queries that select the demo data as shown on pages, without ids and times of creation.
func (b *Bundle) Story(queries ...string) []string {
	b.Helper()
	rows, err := b.DB.Admin().Query(b.Context(), strings.Join(queries, " UNION ALL ")+" ORDER BY 1")
	must.OK(b, err)
	story, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must.OK(b, err)
	return story
}

// Interruption is the point where a start is killed, by the key that each of two tenants does not get past.
type Interruption struct {
	AcmeKey, GlobexKey string
	Acme, Globex       int // records before that
}

// WantCompleted checks that interrupted starts leave the same data as an uninterrupted one.
func WantCompleted(t *testing.T, story []string, table string, interrupted []Interruption) {
	t.Helper()
	want := New(t).Story(story...)
	b := On(t, pgtest.New(t))
	b.DB.Spoil(t)
	for _, next := range interrupted {
		must.Exec(t, b.DB.Admin(), `ALTER TABLE intents ADD CONSTRAINT not_yet
			CHECK ((tenant_id, key) NOT IN (('`+Acme+`', '`+next.AcmeKey+`'), ('`+Globex+`', '`+next.GlobexKey+`')))`)
		err := TryStart(t.Context(), b.Config())
		must.Thatf(t, err != nil, "%s and %s cannot be done, and the start succeeded", next.AcmeKey, next.GlobexKey)
		must.Exec(t, b.DB.Admin(), `ALTER TABLE intents DROP CONSTRAINT not_yet`)
		ofAcme := b.Number(`SELECT count(*) FROM ` + table + ` WHERE tenant_id = '` + Acme + `'`)
		ofGlobex := b.Number(`SELECT count(*) FROM ` + table + ` WHERE tenant_id = '` + Globex + `'`)
		must.Thatf(t, ofAcme == next.Acme && ofGlobex == next.Globex, "%d and %d records before %+v", ofAcme, ofGlobex, next)
	}
	must.OK(t, TryStart(t.Context(), b.Config()))
	got := b.Story(story...)
	assert.Thatf(t, slices.Equal(got, want), "with interruptions: %q\nat once: %q", got, want)
}
