package app_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// story returns the demo data as shown on pages, row by row, without ids and times of creation.
func (b *bundle) story() []string {
	b.Helper()
	parts := []string{
		`SELECT concat_ws(' ', 'user', email) FROM users`,
		`SELECT concat_ws(' ', 'customer', tenant_id, email, name, address, country, tax_id, payment_days) FROM customers`,
		`SELECT concat_ws(' ', 'settings', to_jsonb(settings) - 'created_at') FROM settings`,
		`SELECT concat_ws(' ', 'token', tenant_id, encode(token_hash, 'hex')) FROM api_tokens`,
		invoiceStory,
	}
	rows, err := b.db.Admin().Query(b.Context(), strings.Join(parts, " UNION ALL ")+" ORDER BY 1")
	must.OK(b, err)
	story, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must.OK(b, err)
	return story
}

// The demo tenants, and the number of their customers.
const (
	acme, globex  = "0a3e0000-0000-4000-8000-00000000ac3e", "610be000-0000-4000-8000-0000000610be"
	demoCustomers = 5 + 4 + 1 // the last one is a duplicate
)

func TestDemoDataIsTheSameHoweverOftenItIsFilledIn(t *testing.T) {
	once := setup(t)
	want := once.story()
	records := demoCustomers + 3 + 2 + 2 // and users, tokens, settings
	records += demoInvoices + 4 + 7 + 2  // and refunds, credit notes, customers abroad
	if len(want) != records {
		t.Fatalf("%d rows: %q", len(want), want)
	}
	once.start() // beside the first, with complete data
	if got := once.story(); !slices.Equal(got, want) {
		t.Errorf("filled in twice: %q\nonce: %q", got, want)
	}

	both := &bundle{T: t, db: pgtest.New(t)}
	config := both.config()
	config.MetricsAddr = "off"
	var starts sync.WaitGroup
	for range 2 {
		starts.Go(func() {
			if err := tryStart(context.WithoutCancel(t.Context()), config); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	if got := both.story(); !slices.Equal(got, want) {
		t.Errorf("filled in by two at once: %q\nby one: %q", got, want)
	}
}

// TestInterruptedDemoDataIsCompleted: each start gets a bit further than the one before.
func TestInterruptedDemoDataIsCompleted(t *testing.T) {
	pgtest.Long(t)
	wantCompleted(t, "customers", []interruption{
		{"demo-customer-1", "demo-customer-2", 0, 1}, {"demo-customer-3", "demo-customer-2", 2, 1},
		{"demo-customer-3", "demo-customer-4", 2, 3},
	})
}

// interruption is the point where a start is killed, by the key that each of two tenants does not get past.
type interruption struct {
	acmeKey, globexKey string
	acme, globex       int // records before that
}

// wantCompleted checks that interrupted starts leave the same data as an uninterrupted one.
func wantCompleted(t *testing.T, table string, interrupted []interruption) {
	t.Helper()
	want := setup(t).story()
	b := &bundle{T: t, db: pgtest.New(t)}
	b.db.Spoil(t)
	for _, next := range interrupted {
		b.admin(`ALTER TABLE intents ADD CONSTRAINT not_yet
			CHECK ((tenant_id, key) NOT IN (('` + acme + `', '` + next.acmeKey + `'), ('` + globex + `', '` + next.globexKey + `')))`)
		if err := tryStart(t.Context(), b.config()); err == nil {
			t.Fatalf("%s and %s cannot be done, and the start succeeded", next.acmeKey, next.globexKey)
		}
		b.admin(`ALTER TABLE intents DROP CONSTRAINT not_yet`)
		ofAcme := b.number(`SELECT count(*) FROM ` + table + ` WHERE tenant_id = '` + acme + `'`)
		ofGlobex := b.number(`SELECT count(*) FROM ` + table + ` WHERE tenant_id = '` + globex + `'`)
		if ofAcme != next.acme || ofGlobex != next.globex {
			t.Fatalf("%d and %d records before %+v", ofAcme, ofGlobex, next)
		}
	}
	must.OK(t, tryStart(t.Context(), b.config()))
	if got := b.story(); !slices.Equal(got, want) {
		t.Errorf("with interruptions: %q\nat once: %q", got, want)
	}
}

// TestInterruptedDemoDataIsAnalyzed: a start ends when all customers exist, but no statistics.
func TestInterruptedDemoDataIsAnalyzed(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t)}
	const planned = `SELECT reltuples::int FROM pg_class WHERE oid = 'customers'::regclass`
	release := b.lock(`LOCK TABLE customers IN SHARE UPDATE EXCLUSIVE MODE`) // allows INSERT, blocks ANALYZE
	ended := make(chan error, 1)
	config := b.config()
	go func() { ended <- tryStart(t.Context(), config) }()
	b.waiting("relation") // tenants that are filled in parallel also wait for each other, for a moment
	b.admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'relation'`)
	if err := <-ended; err == nil {
		t.Fatal("the start succeeded without its connection")
	}
	release()
	if created, known := b.number(`SELECT count(*) FROM customers`), b.number(planned); created < demoCustomers || known > 0 {
		t.Fatalf("interrupted with %d customers, of which the planner knows %d", created, known)
	}
	must.OK(t, tryStart(t.Context(), b.config()))
	if known := b.number(planned); known < demoCustomers {
		t.Errorf("the planner knows %d customers", known)
	}
}

// TestCompleteDemoDataIsOnlyRead checks that the app starts while its tables can neither be written nor analyzed.
func TestCompleteDemoDataIsOnlyRead(t *testing.T) {
	b := setup(t)
	b.admin(`UPDATE intents SET result = NULL`) // as on the next day
	tables := []string{
		"tenants, users, api_tokens, customers, settings, intents, intent_effects",
		invoiceTables,
	}
	release := b.lock("LOCK TABLE " + strings.Join(tables, ", ") + " IN SHARE MODE")
	defer release()
	patience, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := tryStart(patience, b.config()); err != nil {
		t.Error(err)
	}
}

// tryStart starts an app and stops it.
func tryStart(ctx context.Context, config app.Config) error {
	started, err := app.Start(ctx, config)
	if err != nil {
		return err
	}
	return started.Close(context.Background())
}

// lock takes the locks of a statement, and holds them until the release.
func (b *bundle) lock(sql string) (release func()) {
	b.Helper()
	tx, err := b.db.Admin().Begin(b.Context())
	must.OK(b, err)
	release = func() { _ = tx.Rollback(context.Background()) }
	b.Cleanup(release)
	must.Exec(b, tx, sql)
	return release
}

func (b *bundle) admin(sql string) {
	b.Helper()
	must.Exec(b, b.db.Admin(), sql)
}

func (b *bundle) number(sql string) (n int) {
	b.Helper()
	must.OK(b, b.db.Admin().QueryRow(b.Context(), sql).Scan(&n))
	return n
}

func TestNoDemoDataUnlessAskedFor(t *testing.T) {
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t)}
	b.App = b.start(withoutDemo)
	if story := b.story(); len(story) > 0 {
		t.Errorf("%q", story)
	}
	if response := b.create(key, ada); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("the demo token opens the door: %v", response.Status)
	}
}
