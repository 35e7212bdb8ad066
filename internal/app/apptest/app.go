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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
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
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			b.Fatalf("%v in %q", err, line)
		}
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
	if err != nil || len(rows) == 0 {
		b.Fatalf("%d jobs, %v", len(rows), err)
	}
	if told := b.Logs.String() + strings.Join(rows, "\n"); strings.Contains(told, "ada@example.com") {
		b.Errorf("an address is in the log or in a job:\n%s", told)
	}
}
