package torture

import (
	"context"
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
			UPDATE invoices SET number = '2026-0001';
			UPDATE invoice_number_runs SET last = 1`},
		{"no gap in a run of numbers", `UPDATE invoice_number_runs SET last = 4`},
		{"no number of a series outside of its runs", `UPDATE invoice_number_runs SET last = 1`},
		{"every line is quantity times price", `UPDATE invoice_lines SET quantity = quantity + 1 WHERE position = 1`},
		{"the lines add up to the header", `UPDATE invoices SET subtotal = subtotal + 1, total = total + 1 WHERE number = '2026-0001'`},
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
			SELECT tenant_id, operation, key, fingerprint, attempt_id, record_id, 'reused', actor, at, changes, result, expires_at FROM intents`},
		{"no intent without its record", `UPDATE intents SET result = '{"id": ""}' WHERE key = 'k1'`},
		{"no intent without its record", `
			UPDATE intents SET record_id = '00000000-0000-4000-8000-000000000001', outcome = 'reused', result = NULL WHERE key = 'k2';
			DELETE FROM invoice_lines WHERE invoice_id IN (SELECT id FROM invoices WHERE number = '2026-0002');
			DELETE FROM invoices WHERE number = '2026-0002';
			UPDATE invoice_number_runs SET last = 1`},
		{"one intent for each creation", `DELETE FROM intents WHERE key = 'k2'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused'`},
		{"one intent for each creation", `DELETE FROM intent_effects`},
	} {
		t.Run(c.broken, func(t *testing.T) {
			t.Parallel()
			conn := twoInvoices(t)
			if _, err := conn.Exec(t.Context(), c.sql); err != nil {
				t.Fatal(err)
			}
			found, err := broken(t.Context(), conn, rules())
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

// twoInvoices connects as the superuser to a database with two invoices of one tenant.
func twoInvoices(t *testing.T) *pgx.Conn {
	t.Helper()
	db := pgtest.New(t)
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
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
	for _, text := range []string{"k1", "k2"} {
		key, err := idempotency.ParseKey(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := invoice.Create.Do(t.Context(), store, idempotency.Intent{Tenant: tenant, Key: key}, draft); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}
