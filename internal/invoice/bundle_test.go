package invoice_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/postgres/pgtest"
)

// bundle is a store of its own with one tenant.
type bundle struct {
	*testing.T

	db     *pgtest.Database
	store  *idempotency.Store
	tenant uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	b := &bundle{T: t, db: db, tenant: uuid.New()}
	b.store = &idempotency.Store{Pool: db.Pool, Wait: 5 * time.Second, Timeout: 20 * time.Second}
	if _, err := db.Pool.Exec(t.Context(), `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.tenant); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle) intent(key string) idempotency.Intent {
	k, err := idempotency.ParseKey(key)
	if err != nil {
		b.Fatal(err)
	}
	return idempotency.Intent{Tenant: b.tenant, Key: k, Actor: "test"}
}

func (b *bundle) create(key string, d invoice.Draft) (idempotency.Done[invoice.Invoice], error) {
	return invoice.Create.Do(context.Background(), b.store, b.intent(key), d)
}

// count runs a query of one number with row-level security out of the way.
func (b *bundle) count(sql string, args ...any) int {
	b.Helper()
	var n int
	if err := b.db.Admin(b.T).QueryRow(b.Context(), sql, args...).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// input is a valid invoice of 123.00 EUR.
func input(number string) invoice.Input {
	return invoice.Input{
		Number:    number,
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines:       []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
		AllowRepeat: true,
	}
}

func draft(t testing.TB, in invoice.Input) invoice.Draft {
	t.Helper()
	d, err := in.Draft()
	if err != nil {
		t.Fatal(err)
	}
	return d
}
