package torture

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Each rule finds what breaks it. What would prevent that in the first place is taken away before.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ broken, sql string }{
		{"", `SELECT`},
		{"no number twice", `
			ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year;
			ALTER TABLE invoices DISABLE TRIGGER next_version;
			UPDATE invoices SET number = '2026-0001';
			UPDATE invoice_number_runs SET last = 1`},
		{"no gap in a run of numbers", `UPDATE invoice_number_runs SET last = 4`},
		{"no number of a series outside of its runs", `UPDATE invoice_number_runs SET last = 1`},
		{"every line is quantity times price", `UPDATE invoice_lines SET quantity = quantity + 1 WHERE position = 1`},
		{"the lines add up to the header", `
			ALTER TABLE invoices DISABLE TRIGGER next_version;
			UPDATE invoices SET subtotal = subtotal + 1, total = total + 1 WHERE number = '2026-0001'`},
		{"the lines add up to the header", `DELETE FROM invoice_lines WHERE ctid = (SELECT max(ctid) FROM invoice_lines)`},
		{"no customer twice", `
			ALTER TABLE customers DROP CONSTRAINT customers_email_once;
			INSERT INTO customers (tenant_id, id, email, name)
			SELECT tenant_id, '00000000-0000-4000-8000-000000000001', upper(email), name FROM customers;
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT tenant_id, '00000000-0000-4000-8000-000000000001', operation, key, effect FROM intent_effects`},
		{"no intent twice", `
			ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent;
			ALTER TABLE intents DROP CONSTRAINT intents_pkey;
			INSERT INTO intents
			SELECT tenant_id, operation, key, fingerprint, attempt_id, record_id, 'reused', actor, at, changes, result, expires_at
			FROM intents WHERE outcome = 'created'`},
		{"no intent without its record", `UPDATE intents SET result = '{"id": ""}' WHERE key = 'k1'`},
		{"no intent without its record", `
			UPDATE intents SET record_id = '00000000-0000-4000-8000-000000000001', outcome = 'reused', result = NULL WHERE key = 'k2';
			DELETE FROM invoice_lines WHERE invoice_id IN (SELECT id FROM invoices WHERE number = '2026-0002');
			DELETE FROM invoices WHERE number = '2026-0002';
			UPDATE invoice_number_runs SET last = 1`},
		{"one intent for each creation", `DELETE FROM intents WHERE key = 'k2'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE outcome = 'created'`},
		{"one intent for each creation", `DELETE FROM intent_effects`},
		{"a version for each change", `UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE key = 'k5'`},
		{"a version for each change", `
			INSERT INTO intents
			SELECT tenant_id, operation, 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
			FROM intents WHERE key = 'k3'`},
		{"a version for each change", `UPDATE customers SET name = name`},
		{"a version for each change", `UPDATE invoices SET notes = 'another' WHERE number = '2026-0001'`},
		{"what was changed is said", `UPDATE intents SET changes = NULL WHERE key = 'k3'`},
		{"what was changed is said", `UPDATE intents SET changes = '{}' WHERE key = 'k6'`},
		{"each change begins where another one ended", `
			UPDATE intents SET changes = '{"name": ["Ada", "Ada Byron"]}' WHERE key = 'k4'`},
		{"each change begins where another one ended", `
			ALTER TABLE customers DISABLE TRIGGER next_version;
			UPDATE customers SET name = 'Ada King'`},
		{"a transition changes what was not so", `
			ALTER TABLE customers DISABLE TRIGGER next_version;
			UPDATE customers SET archived_at = NULL;
			UPDATE intents SET changes = '{"archived_at": ["2026-11-21T00:00:00+00:00", null]}' WHERE key = 'k5'`},
	} {
		t.Run(c.broken, func(t *testing.T) {
			t.Parallel()
			conn := someRecords(t)
			if _, err := conn.Exec(t.Context(), c.sql); err != nil {
				t.Fatal(err)
			}
			found, err := broken(t.Context(), conn, slices.Concat(rules(), ledgerRules()))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range found {
				if v.Rule != c.broken {
					t.Errorf("unexpected: %v", v)
				}
			}
			if c.broken != "" && len(found) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

// someRecords connects as the superuser to a database with two invoices of one tenant, whose customer was renamed
// twice and archived twice.
func someRecords(t *testing.T) *pgx.Conn {
	t.Helper()
	db := pgtest.New(t)
	conn, err := pgx.Connect(t.Context(), db.AdminURL+"&timezone=UTC")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tenant := uuid.New()
	if _, err := conn.Exec(t.Context(), `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, tenant); err != nil {
		t.Fatal(err)
	}
	draft, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", AllowRepeat: true,
		Lines: []invoice.LineInput{
			{Description: "Design", Quantity: "1.5", UnitPrice: "33.33", TaxRate: "23"},
			{Description: "Paper", Quantity: "3", UnitPrice: "0.05", TaxRate: "7.5"},
		},
	}.Draft()
	if err != nil {
		t.Fatal(err)
	}
	store := &idempotency.Store{Pool: db.Pool, Wait: 5 * time.Second, Timeout: 10 * time.Second}
	intent := func(text string, record uuid.UUID, seen int) idempotency.Intent {
		key, err := idempotency.ParseKey(text)
		if err != nil {
			t.Fatal(err)
		}
		return idempotency.Intent{Tenant: tenant, Key: key, Record: record, Seen: seen}
	}
	var ada uuid.UUID
	for _, text := range []string{"k1", "k2"} {
		done, err := invoice.Create.Do(t.Context(), store, intent(text, uuid.Nil, 0), draft)
		if err != nil {
			t.Fatal(err)
		}
		ada = done.Value.Customer.ID
	}
	for seen, text := range []string{"k3", "k4"} {
		named := customer.Draft{Email: "ada@example.com", Name: []string{"Ada King", "Ada Lovelace"}[seen]}
		if _, err := customer.Edit.Do(t.Context(), store, intent(text, ada, 1+seen), named); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"k5", "k6"} {
		if _, err := customer.Archive.Do(t.Context(), store, intent(text, ada, 0), struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}
