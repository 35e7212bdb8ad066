package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

// frozen is an app with an embedded PostgreSQL whose processes can be frozen.
type frozen struct {
	*bundle

	data    string       // the directory of the server
	admin   *pgx.Conn    // as the superuser
	session *http.Cookie // of a person
}

// The bounds of a request to a frozen app. The outcome of a statement that was sent is awaited for a separate time. The last summand is for
// a slow machine.
const (
	frozenRequest = 3 * time.Second
	frozenWait    = 500 * time.Millisecond
	frozenPage    = frozenRequest + 4*time.Second
	frozenAnswer  = frozenRequest + frozenWait + 10*time.Second + 20*time.Second
)

func startFrozen(t *testing.T) *frozen {
	t.Helper()
	b := on(t, &pgtest.Database{})
	config, dir := b.Config(), pgtest.Embedded(t)
	config.DataDir, config.Wait, config.KeepAttempts, config.ExpireEvery = dir, frozenWait, time.Hour, 100*time.Millisecond
	var err error
	if b.App, err = app.StartWithin(t.Context(), config, frozenRequest, time.Second); err != nil {
		t.Fatal(err)
	}
	f := &frozen{bundle: b, data: filepath.Join(dir, "postgres")}
	f.admin, err = pgx.Connect(t.Context(), server.URL(server.Running(t.Context(), f.data), server.Superuser, server.Database))
	must.OK(t, err)
	t.Cleanup(func() {
		_ = server.Thaw(context.Background(), f.data)
		_ = f.admin.Close(context.Background())
		must.OK(t, f.Close(context.Background()))
	})
	f.logIn()
	return f
}

func (f *frozen) logIn() {
	f.Helper()
	a := f.send(call{
		method: http.MethodPost, path: "/login", form: apptest.DemoLogin(),
	})
	for _, cookie := range (&http.Response{Header: a.header}).Cookies() {
		if strings.Contains(cookie.Name, "session") {
			f.session = cookie
			return
		}
	}
	f.Fatalf("not logged in: %+v", a)
}

// call is a request that a client sends.
type call struct {
	method, path string
	form         url.Values // of a person
	json         string     // of a program
	header       http.Header
	says         string // a part of the answer while the database is frozen
}

type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// send waits for an answer for the longest time that one may take.
func (f *frozen) send(of call) answer {
	f.Helper()
	body, contentType := of.json, "application/json"
	if of.form != nil {
		body, contentType = of.form.Encode(), "application/x-www-form-urlencoded"
	}
	ctx, cancel := context.WithTimeout(f.Context(), frozenAnswer)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, of.method, f.URL()+of.path, strings.NewReader(body))
	if err != nil {
		f.Error(err)
		return answer{}
	}
	r.Header = of.header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", contentType)
	if strings.HasPrefix(of.path, "/api/") {
		r.Header.Set("Authorization", "Bearer "+apptest.DemoToken)
	} else if f.session != nil {
		r.AddCookie(f.session)
	}
	began := time.Now()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.Errorf("%s %s: no answer after %v: %v", of.method, of.path, time.Since(began), err)
		return answer{}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	must.OK(f, err)
	return answer{response.StatusCode, response.Header, string(read), time.Since(began)}
}

// TestFrozenDatabase checks that each request is answered in time while PostgreSQL neither answers nor closes connections, and that it can
// be sent again. When PostgreSQL goes on, everything works, and nothing was created twice.
func TestFrozenDatabase(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	f := startFrozen(t)
	changed, moved := f.customer("changed"), f.customer("moved")
	form := url.Values{"email": {"form@example.com"}, "name": {"Typed by a person"}, "address": {"1 Street"}, "idempotency_key": {"form"}}
	calls := map[string]call{
		"page":            {method: http.MethodGet, path: "/customers/" + changed},
		"list":            {method: http.MethodGet, path: "/customers"},
		"form":            {method: http.MethodGet, path: "/customers/" + changed + "/edit?key=edit"},
		"API":             {method: http.MethodGet, path: "/api/v1/customers"},
		"create by form":  {method: http.MethodPost, path: "/customers", form: form, says: `value="Typed by a person"`},
		"create by API":   frozenCreate("api"),
		"change by API":   frozenChange(changed),
		"transition":      {method: http.MethodPost, path: "/api/v1/customers/" + moved + "/archive", header: keyed("archive")},
		"login":           {method: http.MethodPost, path: "/login", form: url.Values{"email": {"ada@example.com"}, "password": {"x"}}},
		"logout":          {method: http.MethodPost, path: "/logout", form: url.Values{}},
		"attempts":        {method: http.MethodGet, path: "/attempts"},
		"another session": {method: http.MethodGet, path: "/account"},
	}
	f.addInvoice(calls)
	kept := f.value(f.Metrics, "onlyonce_attempts_kept_total")
	must.OK(t, server.Freeze(t.Context(), f.data))
	var all sync.WaitGroup
	for what, of := range calls {
		all.Go(func() {
			a := f.send(of)
			if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || !strings.Contains(a.body, of.says) {
				t.Errorf("%s: after %v %d %v %.2000s", what, a.took, a.status, a.header, a.body)
			}
			assert.Thatf(t, of.method != http.MethodGet || a.took <= frozenPage, "%s: after %v", what, a.took)
		})
	}
	all.Go(func() {
		a := f.send(call{method: http.MethodGet, path: "/readyz"})
		assert.Thatf(t, a.status == http.StatusServiceUnavailable, "ready: %+v", a)
	})
	f.answersWithoutDatabase()
	// The page about the database sends its form automatically.
	foreign := call{method: http.MethodPost, path: "/customers", form: form, header: http.Header{"Sec-Fetch-Site": {"cross-site"}}}
	if a := f.send(foreign); a.status != http.StatusForbidden || strings.Contains(a.body, "data-send-when-ready") {
		t.Errorf("a form of another site: %d %.2000s", a.status, a.body)
	}
	all.Wait()
	f.flood()

	must.OK(t, server.Thaw(t.Context(), f.data))
	must.Until(f, "ready again", func() bool { return f.send(call{method: http.MethodGet, path: "/readyz"}).status == http.StatusOK })
	f.session = nil // the logout may have been carried out
	f.logIn()
	for _, what := range []string{"create by form", "create by API", "change by API", "transition"} {
		a := f.send(calls[what])
		assert.Thatf(t, a.status < http.StatusBadRequest, "%s, sent again: %d %v %.2000s", what, a.status, a.header, a.body)
	}
	for _, what := range []string{"page", "list", "form", "API"} {
		a := f.send(calls[what])
		assert.Thatf(t, a.status == http.StatusOK, "%s, asked again: %d %.2000s", what, a.status, a.body)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM customers WHERE email IN ('form@example.com', 'api@example.com')`:        2,
		`SELECT count(*) FROM intents WHERE key IN ('form', 'api', 'change', 'archive')`:               4,
		`SELECT version FROM customers WHERE email = 'changed@example.com'`:                            2,
		`SELECT count(*) FROM customers WHERE email = 'moved@example.com' AND archived_at IS NOT NULL`: 1,
		`SELECT count(*) FROM customers WHERE email = 'changed@example.com' AND name = 'Another name'`: 1,
	} {
		n := f.ask(query)
		assert.Thatf(t, n == want, "%s: %d, want %d", query, n, want)
	}
	// The background work goes on.
	must.Until(f, "attempts are written", func() bool { return f.value(f.Metrics, "onlyonce_attempts_kept_total") > kept })
	must.Exec(f, f.admin, `UPDATE intents SET expires_at = now() - interval '1 hour' WHERE key = 'api'`)
	must.Until(f, "expired", func() bool { return f.ask(`SELECT count(*) FROM intents WHERE key = 'api' AND result IS NULL`) == 1 })
	f.mailIsSentOnce(calls)
}

// flood sends more requests than may be in progress. The rest is refused at once.
func (f *frozen) flood() {
	f.Helper()
	refused := make(chan struct{}, 1)
	var all sync.WaitGroup
	for range 700 {
		all.Go(func() {
			a := f.send(call{method: http.MethodGet, path: "/api/v1/customers"})
			assert.Thatf(f, a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "",
				"%d %v %s", a.status, a.header, a.body)
			if strings.Contains(a.body, "/problems/busy") {
				select {
				case refused <- struct{}{}:
				default:
				}
			}
		})
	}
	select {
	case <-refused:
	case <-time.After(frozenAnswer):
		f.Error("nothing was refused")
	}
	f.answersWithoutDatabase()
	all.Wait()
}

func (f *frozen) answersWithoutDatabase() {
	f.Helper()
	a := f.send(call{method: http.MethodGet, path: "/healthz"})
	assert.Thatf(f, a.status == http.StatusOK, "alive: %+v", a)
	if status, _ := f.Get(f.Metrics); status != http.StatusOK {
		f.Errorf("metrics: %d", status)
	}
}

func keyed(key string) http.Header { return http.Header{"Idempotency-Key": {key}} }

func frozenCreate(name string) call {
	return call{
		method: http.MethodPost, path: "/api/v1/customers", header: keyed(name),
		json: `{"email": "` + name + `@example.com", "name": "` + name + `", "address": "1 Street"}`, says: "/problems/",
	}
}

func (f *frozen) customer(name string) string {
	f.Helper()
	a := f.send(frozenCreate(name))
	must.Thatf(f, a.status == http.StatusCreated, "%+v", a)
	return strings.TrimPrefix(a.header.Get("Location"), "/api/v1/customers/")
}

func frozenChange(id string) call {
	header := keyed("change")
	header.Set("If-Match", `"v1"`)
	return call{
		method: http.MethodPut, path: "/api/v1/customers/" + id, header: header,
		json: `{"email": "changed@example.com", "name": "Another name", "address": "1 Street"}`,
	}
}

func (f *frozen) ask(query string) (n int) {
	f.Helper()
	err := f.admin.QueryRow(f.Context(), query).Scan(&n)
	must.Thatf(f, err == nil, "%s: %v", query, err)
	return n
}

type program struct{ *apptest.Program }

// TestEndWithAFrozenDatabase stops the program while its embedded PostgreSQL is frozen and a crowd of clients has hung up. The program
// holds few of their requests, exits within its bound, and stops PostgreSQL with all acknowledged data.
func TestEndWithAFrozenDatabase(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	metrics := apptest.FreeAddress(t)
	p := program{apptest.StartProgram(t, "METRICS_ADDR="+metrics)}
	data := filepath.Join(p.Data, "postgres")
	if status := p.createCustomer(t.Context(), "before"); status != http.StatusCreated {
		t.Fatalf("%d", status)
	}
	must.OK(t, server.Freeze(t.Context(), data))
	p.crowd(t, 3000)
	b := on(t, nil)
	n := b.value("http://"+metrics+"/metrics", "go_goroutines")
	assert.Thatf(t, n <= 2000, "%v goroutines", n)

	began := time.Now()
	must.OK(t, p.Process.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- p.Process.Wait() }()
	select {
	case err := <-ended:
		t.Logf("ended after %v: %v", time.Since(began), err)
		must.OK(t, err)
	case <-time.After(45 * time.Second): // it should need 25
		_ = p.Process.Process.Kill()
		<-ended
		t.Fatal("it does not end")
	}
	log := p.Log.String()
	if !strings.Contains(log, "did not end in time") {
		t.Errorf("the log ends with %s", log[max(0, len(log)-4000):])
	}
	for line := range strings.Lines(log) { // of an abandoned job
		assert.Thatf(t, !strings.Contains(line, "request failed") || !strings.Contains(line, "closed pool"), "%v", line)
	}
	p.Start(t) // its guard kills the frozen server first
	if status := p.createCustomer(t.Context(), "before"); status != http.StatusCreated {
		t.Errorf("what was acknowledged: %d", status)
	}
}

// crowd sends n requests that need the database, and does not wait.
func (p program) crowd(t *testing.T, n int64) {
	t.Helper()
	var asked atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := asked.Add(1); i <= n && t.Context().Err() == nil; i = asked.Add(1) {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				p.createCustomer(ctx, fmt.Sprint("crowd-", i))
				cancel()
			}
		})
	}
	all.Wait()
}

// createCustomer returns the status of the answer, or 0 if there was none.
func (p program) createCustomer(ctx context.Context, key string) int {
	response, err := http.DefaultClient.Do(request("http://"+p.Addr, key, ada).WithContext(ctx))
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}
