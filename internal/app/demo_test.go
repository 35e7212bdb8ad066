package app_test

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// story selects the demo data.
func story() []string {
	return []string{
		`SELECT concat_ws(' ', 'user', email) FROM users`,
		`SELECT concat_ws(' ', 'customer', tenant_id, email, name, address, country, tax_id, payment_days) FROM customers`,
		`SELECT concat_ws(' ', 'settings', to_jsonb(settings) - 'created_at') FROM settings`,
		`SELECT concat_ws(' ', 'token', tenant_id, encode(token_hash, 'hex')) FROM api_tokens`,
		invoicetest.DemoStory,
	}
}

const demoCustomers = 5 + 4 + 1 // the last one is a duplicate

func TestDemoDataIsTheSameHoweverOftenItIsFilledIn(t *testing.T) {
	pgtest.Long(t)
	once := setup(t)
	want := once.Story(story()...)
	records := demoCustomers + 3 + 2 + 2 // and users, tokens, settings
	records += invoicetest.DemoRows
	must.Thatf(t, len(want) == records, "%d rows: %q", len(want), want)
	once.Start() // beside the first, with complete data
	if got := once.Story(story()...); !slices.Equal(got, want) {
		t.Errorf("filled in twice: %q\nonce: %q", got, want)
	}

	both := on(t, pgtest.New(t))
	config := both.Config()
	config.MetricsAddr = "off"
	var starts sync.WaitGroup
	for range 2 {
		starts.Go(func() {
			err := apptest.TryStart(context.WithoutCancel(t.Context()), config)
			assert.Thatf(t, err == nil, "%v", err)
		})
	}
	starts.Wait()
	if got := both.Story(story()...); !slices.Equal(got, want) {
		t.Errorf("filled in by two at once: %q\nby one: %q", got, want)
	}
}

// TestInterruptedDemoDataIsCompleted: each start gets a bit further than the one before.
func TestInterruptedDemoDataIsCompleted(t *testing.T) {
	pgtest.Long(t)
	apptest.WantCompleted(t, story(), "customers", []apptest.Interruption{
		{AcmeKey: "demo-customer-1", GlobexKey: "demo-customer-2", Acme: 0, Globex: 1},
		{AcmeKey: "demo-customer-3", GlobexKey: "demo-customer-2", Acme: 2, Globex: 1},
		{AcmeKey: "demo-customer-3", GlobexKey: "demo-customer-4", Acme: 2, Globex: 3},
	})
}

// TestInterruptedDemoDataIsAnalyzed: a start ends when all customers exist, but no statistics.
func TestInterruptedDemoDataIsAnalyzed(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	b := on(t, pgtest.New(t))
	const planned = `SELECT reltuples::int FROM pg_class WHERE oid = 'customers'::regclass`
	release := b.lock(`LOCK TABLE customers IN SHARE UPDATE EXCLUSIVE MODE`) // allows INSERT, blocks ANALYZE
	ended := make(chan error, 1)
	config := b.Config()
	go func() { ended <- apptest.TryStart(t.Context(), config) }()
	b.waiting("relation") // tenants that are filled in parallel also wait for each other, for a moment
	b.admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'relation'`)
	err := <-ended
	must.Thatf(t, err != nil, "the start succeeded without its connection")
	release()
	if created, known := b.Number(`SELECT count(*) FROM customers`), b.Number(planned); created < demoCustomers || known > 0 {
		t.Fatalf("interrupted with %d customers, of which the planner knows %d", created, known)
	}
	must.OK(t, apptest.TryStart(t.Context(), b.Config()))
	if known := b.Number(planned); known < demoCustomers {
		t.Errorf("the planner knows %d customers", known)
	}
}

// TestCompleteDemoDataIsOnlyRead checks that the app starts while its tables can neither be written nor analyzed.
func TestCompleteDemoDataIsOnlyRead(t *testing.T) {
	b := setup(t)
	b.admin(`UPDATE intents SET result = NULL`) // as on the next day
	tables := []string{
		"tenants, users, api_tokens, customers, settings, intents, intent_effects",
		invoicetest.DemoTables,
	}
	release := b.lock("LOCK TABLE " + strings.Join(tables, ", ") + " IN SHARE MODE")
	defer release()
	patience, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	must.OK(t, apptest.TryStart(patience, b.Config()))
}

// lock takes the locks of a statement, and holds them until the release.
func (b *bundle) lock(sql string) (release func()) {
	b.Helper()
	tx, err := b.DB.Admin().Begin(b.Context())
	must.OK(b, err)
	release = func() { _ = tx.Rollback(context.Background()) }
	b.Cleanup(release)
	must.Exec(b, tx, sql)
	return release
}

func (b *bundle) admin(sql string) {
	b.Helper()
	must.Exec(b, b.DB.Admin(), sql)
}

func TestNoDemoDataUnlessAskedFor(t *testing.T) {
	t.Parallel()
	b := on(t, pgtest.New(t))
	b.App = b.Start(withoutDemo)
	story := b.Story(story()...)
	assert.Thatf(t, len(story) == 0, "%q", story)
	response := b.create(key, ada)
	assert.Thatf(t, response.StatusCode == http.StatusUnauthorized, "the demo token opens the door: %v", response.Status)
}

func withoutDemo(c *app.Config) { c.Demo = false }

// visitor returns a client with cookies that doesn't follow redirects.
func (b *bundle) visitor() *http.Client {
	b.Helper()
	jar, err := cookiejar.New(nil)
	must.OK(b, err)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// accepted tries every demo credential: the password with a new browser, the token, and a session that may exist already. It
// returns whether each was accepted.
func (b *bundle) accepted(at string, session *http.Client) (password, token, running bool) {
	b.Helper()
	status := func(response *http.Response, err error) int {
		b.Helper()
		must.OK(b, err)
		_ = response.Body.Close()
		return response.StatusCode
	}
	login := apptest.DemoLogin()
	password = status(b.visitor().PostForm(at+"/login", login)) == http.StatusSeeOther
	ask, err := http.NewRequestWithContext(b.Context(), http.MethodGet, at+"/api/v1/customers", nil)
	must.OK(b, err)
	ask.Header.Set("Authorization", "Bearer "+apptest.DemoToken)
	token = status(http.DefaultClient.Do(ask)) == http.StatusOK
	running = status(session.Get(at+"/customers")) == http.StatusOK
	return password, token, running
}

// TestDemoLoginsAreRefusedWithoutTheDemo checks that an app without the demo refuses the credentials that an earlier start with it has
// created, at any address. A replica with the demo still accepts them.
func TestDemoLoginsAreRefusedWithoutTheDemo(t *testing.T) {
	b := setup(t)
	session := b.visitor()
	response, err := session.PostForm(b.URL()+"/login", apptest.DemoLogin())
	must.OK(t, err)
	_ = response.Body.Close()
	check := func(name, at string, want bool) {
		t.Helper()
		for range 2 { // the second token comes from the cache
			password, token, running := b.accepted(at, session)
			assert.Thatf(t, password == want && token == want && running == want,
				"%s: password %v, token %v, running session %v, want %v", name, password, token, running, want)
		}
	}
	check("with the demo", b.URL(), true)

	// Cookies are shared by all ports, so the session is sent to the other replica too.
	beside := b.Start(withoutDemo)
	check("a replica without the demo", beside.URL(), false)
	check("the one with the demo, still", b.URL(), true)

	public := b.Start(withoutDemo, func(c *app.Config) { c.Addr = "0.0.0.0:0" })
	check("on a public address", public.URL(), false)

	must.OK(t, b.Close(t.Context()))
	check("restarted without the demo", b.Start(withoutDemo).URL(), false)
	check("restarted with the demo", b.Start().URL(), true)
}
