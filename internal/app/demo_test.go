package app_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres/pgtest"
)

// story is all that a person sees of the demo data, row by row, without ids and times of creation.
func (b *bundle) story() []string {
	b.Helper()
	rows, err := b.db.Admin(b.T).Query(b.Context(), `
		SELECT concat_ws(' ', t.name, i.idempotency_key, i.number, i.issue_date, i.due_date, i.currency, i.total, c.email)
		FROM invoices i JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = i.customer_id JOIN tenants t ON t.id = i.tenant_id
		UNION ALL SELECT concat_ws(' ', 'user', email) FROM users
		UNION ALL SELECT concat_ws(' ', 'customer', tenant_id, email, name) FROM customers
		UNION ALL SELECT concat_ws(' ', 'token', tenant_id, encode(token_hash, 'hex')) FROM api_tokens
		ORDER BY 1`)
	if err != nil {
		b.Fatal(err)
	}
	story, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		b.Fatal(err)
	}
	return story
}

func TestDemoDataIsTheSameHoweverOftenItIsFilledIn(t *testing.T) {
	once := setup(t)
	want := once.story()
	if len(want) != 2*24+2+9+2 {
		t.Fatalf("%d rows: %q", len(want), want)
	}
	once.start() // beside the first, with everything there
	if got := once.story(); !slices.Equal(got, want) {
		t.Errorf("filled in twice: %q\nonce: %q", got, want)
	}

	both := &bundle{T: t, db: pgtest.New(t)}
	config := both.config()
	config.MetricsAddr = "off"
	var starts sync.WaitGroup
	for range 2 {
		starts.Go(func() {
			replica, err := app.Start(context.WithoutCancel(t.Context()), config)
			if err != nil {
				t.Error(err)
				return
			}
			if err := replica.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	if got := both.story(); !slices.Equal(got, want) {
		t.Errorf("filled in by two at once: %q\nby one: %q", got, want)
	}
}

func TestNoDemoDataUnlessAskedFor(t *testing.T) {
	b := setup(t, func(c *app.Config) { c.Demo = false })
	if story := b.story(); len(story) > 0 {
		t.Errorf("%q", story)
	}
	if response := b.create(key, order); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("the demo token opens the door: %v", response.Status)
	}
}
