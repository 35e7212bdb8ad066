package app_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/app/apptest"
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

// demoCustomers is the number of customers in the demo.
const demoCustomers = 5 + 4 + 1 // the last one is a duplicate

func TestDemoDataIsTheSameHoweverOftenItIsFilledIn(t *testing.T) {
	pgtest.Long(t)
	once := setup(t)
	want := once.Story(story()...)
	records := demoCustomers + 3 + 2 + 2 // and users, tokens, settings
	records += invoicetest.DemoRows
	if len(want) != records {
		t.Fatalf("%d rows: %q", len(want), want)
	}
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
			if err := apptest.TryStart(context.WithoutCancel(t.Context()), config); err != nil {
				t.Error(err)
			}
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
	if err := <-ended; err == nil {
		t.Fatal("the start succeeded without its connection")
	}
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
	if err := apptest.TryStart(patience, b.Config()); err != nil {
		t.Error(err)
	}
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
	if story := b.Story(story()...); len(story) > 0 {
		t.Errorf("%q", story)
	}
	if response := b.create(key, ada); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("the demo token opens the door: %v", response.Status)
	}
}
