package credit_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/credit"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/payment"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

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
	b := &bundle{T: t, db: pgtest.New(t), tenant: uuid.New()}
	b.store = &idempotency.Store{Pool: b.db.Pool, Wait: 20 * time.Second, Timeout: 30 * time.Second}
	if _, err := b.db.Pool.Exec(t.Context(), `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.tenant); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle) of(k string, id uuid.UUID) idempotency.Intent {
	b.Helper()
	parsed, err := idempotency.ParseKey(k)
	if err != nil {
		b.Fatal(err)
	}
	return idempotency.Intent{Tenant: b.tenant, Key: parsed, Actor: "test", Record: id}
}

// issued is an issued invoice; of 3 at 33.33 and 23 % and 1.5 at 7.99 and 6.5 % if there are no lines.
func (b *bundle) issued(k string, lines ...invoice.LineInput) invoice.Invoice {
	b.Helper()
	if len(lines) == 0 {
		lines = []invoice.LineInput{
			{Description: "Design", Quantity: "3", UnitPrice: "33.33", TaxRate: "23"},
			{Description: "Printing", Quantity: "1.5", UnitPrice: "7.99", TaxRate: "6.5"},
		}
	}
	d, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", AllowRepeat: true, Lines: lines,
	}.Draft()
	if err != nil {
		b.Fatal(err)
	}
	made, err := invoice.Create.Do(b.Context(), b.store, b.of(k, uuid.Nil), d)
	if err != nil {
		b.Fatal(err)
	}
	done, err := invoice.Issue.Do(b.Context(), b.store, b.of(k, made.Value.ID), struct{}{})
	if err != nil {
		b.Fatal(err)
	}
	return done.Value
}

// credit credits quantities of the lines, from the first on; all that is left without any.
func (b *bundle) credit(k string, inv invoice.Invoice, quantities ...string) (idempotency.Done[credit.Note], error) {
	b.Helper()
	var in credit.Input
	for i, quantity := range quantities {
		in.Lines = append(in.Lines, credit.LineInput{Position: i + 1, Quantity: quantity})
	}
	d, err := in.Draft(inv)
	if err != nil {
		b.Fatal(err)
	}
	return credit.Create.Do(context.Background(), b.store, b.of(k, uuid.Nil), d)
}

func (b *bundle) pay(k string, inv invoice.Invoice, amount string) error {
	b.Helper()
	d, err := payment.Input{Amount: amount, Date: "2026-11-22", Method: "cash"}.Draft(inv.ID, inv.Currency)
	if err != nil {
		b.Fatal(err)
	}
	_, err = payment.Create.Do(context.Background(), b.store, b.of(k, uuid.Nil), d)
	return err
}

func (b *bundle) void(k string, inv invoice.Invoice) error {
	_, err := invoice.Void.Do(context.Background(), b.store, b.of(k, inv.ID), struct{}{})
	return err
}

func (b *bundle) find(inv invoice.Invoice) invoice.Invoice {
	b.Helper()
	found, err := invoice.Table.Find(b.Context(), b.store.Pool, b.tenant, inv.ID)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

func isConflict(err error, kind *conflict.Kind) bool {
	refused, ok := errors.AsType[*conflict.Error](err)
	return ok && refused.Kind == kind
}

// together does something so many times at once.
func together(times int, do func(i int)) {
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			<-gate
			do(i)
		})
	}
	close(gate)
	all.Wait()
}
