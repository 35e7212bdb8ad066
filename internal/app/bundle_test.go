package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/proof/replica"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a running app with its database.
type bundle struct {
	*testing.T
	*app.App

	db      *pgtest.Database
	log     *buffer
	metrics string // URL
}

// setup starts an app on a database that has the demo data.
func setup(t *testing.T, settings ...func(*app.Config)) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: apptest.Demo.New(t)}
	b.App = b.start(settings...)
	return b
}

// config returns the configuration of an app with demo data.
func (b *bundle) config() app.Config {
	b.Helper()
	b.log = &buffer{}
	metrics := freeAddress(b.T)
	b.metrics = "http://" + metrics + "/metrics"
	return app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: metrics, DatabaseURL: b.db.URL, Demo: true,
		Wait: 10 * time.Second, ExpireEvery: time.Minute,
		Log: slog.New(slog.NewJSONHandler(b.log, nil)),
	}
}

func (b *bundle) start(settings ...func(*app.Config)) *app.App {
	b.Helper()
	config := b.config()
	for _, set := range settings {
		set(&config)
	}
	started, err := app.Start(b.Context(), config)
	must.OK(b, err)
	b.Cleanup(func() {
		if err := started.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return started
}

// freeAddress returns an address without a listener.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := replica.FreePort(t.Context())
	must.OK(t, err)
	return address
}

// demoPassword is the password of the demo's users.
const demoPassword = "only-once-demo"

// demoToken is a token of acme.
const demoToken = "oo_demo_acme"

const key = "6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"

// ada is a new customer.
const ada = `{"email": "ada@example.com", "name": "Ada", "address": "12 St James's Square"}`

// create sends a request for a new customer to the API of an app.
func create(url, key, body string) (*http.Response, error) {
	return http.DefaultClient.Do(request(url, key, body))
}

// request returns a request that creates a customer.
func request(url, key, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, url+"/api/v1/customers", strings.NewReader(body))
	r.RequestURI = "" // only for servers
	r.Header.Set("Authorization", "Bearer "+demoToken)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	return r
}

func (b *bundle) create(key, body string) *http.Response {
	b.Helper()
	response, err := create(b.URL(), key, body)
	must.OK(b, err)
	_ = response.Body.Close()
	return response
}

func (b *bundle) get(url string) (status int, body string) {
	b.Helper()
	response, err := http.Get(url)
	must.OK(b, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	must.OK(b, err)
	return response.StatusCode, string(read)
}

// buffer collects output of several goroutines.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *buffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *buffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// lines returns the log's lines with a message.
func (b *bundle) lines(message string) []map[string]any {
	b.Helper()
	var found []map[string]any
	for line := range strings.Lines(b.log.String()) {
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
