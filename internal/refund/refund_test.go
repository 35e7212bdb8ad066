package refund_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/payment"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/internal/refund"
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

// issued is an issued invoice of 100.00 EUR.
func (b *bundle) issued(k string) invoice.Invoice {
	b.Helper()
	d, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", AllowRepeat: true,
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
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

func (b *bundle) pay(k string, inv invoice.Invoice, amount string) (payment.Payment, error) {
	b.Helper()
	d, err := payment.Input{Amount: amount, Date: "2026-11-22", Method: "cash"}.Draft(inv.ID, inv.Currency)
	if err != nil {
		b.Fatal(err)
	}
	done, err := payment.Create.Do(context.Background(), b.store, b.of(k, uuid.Nil), d)
	return done.Value, err
}

// paid is a payment of an invoice of its own.
func (b *bundle) paid(k, amount string) (invoice.Invoice, payment.Payment) {
	b.Helper()
	inv := b.issued(k)
	p, err := b.pay(k, inv, amount)
	if err != nil {
		b.Fatal(err)
	}
	return inv, p
}

func (b *bundle) refund(k string, of payment.Payment, in refund.Input) (idempotency.Done[refund.Refund], error) {
	b.Helper()
	in.Date = "2026-11-23"
	d, err := in.Draft(of)
	if err != nil {
		b.Fatal(err)
	}
	return refund.Create.Do(context.Background(), b.store, b.of(k, uuid.Nil), d)
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

func TestInParts(t *testing.T) {
	b := setup(t)
	inv, p := b.paid("i", "100")
	for _, step := range []struct {
		amount, status string
		paid           int64
	}{{"40", invoice.StatusPartly, 6000}, {"60.00", invoice.StatusIssued, 0}} {
		done, err := b.refund(step.amount, p, refund.Input{Amount: step.amount})
		if err != nil || done.Value.InvoiceID != inv.ID || done.Value.PaymentID != p.ID || done.Value.Currency != inv.Currency {
			t.Fatalf("%+v, %v", done, err)
		}
		again, err := b.refund(step.amount, p, refund.Input{Amount: step.amount})
		if err != nil || !again.Replayed || again.Value != done.Value {
			t.Errorf("again: %+v, %v", again, err)
		}
		if found := b.find(inv); found.Status != step.status || found.Paid != step.paid || found.Open != 10000-step.paid {
			t.Errorf("%+v", found)
		}
		of, err := payment.Table.Find(t.Context(), b.store.Pool, b.tenant, p.ID)
		if err != nil || of.Left != step.paid || of.Refunded != 10000-step.paid {
			t.Errorf("%+v, %v", of, err)
		}
	}
	_, err := b.refund("more", p, refund.Input{Amount: "0.01"})
	if !isConflict(err, &refund.ExceedsPayment) {
		t.Errorf("more than is left: %v", err)
	}
	if _, err := b.pay("again", inv, "100"); err != nil { // what was refunded is open again
		t.Error(err)
	}
}

// TestVoidAfterRefund: what was given back does not stand in the way.
func TestVoidAfterRefund(t *testing.T) {
	b := setup(t)
	inv, p := b.paid("i", "100")
	void := func(k string) error {
		_, err := invoice.Void.Do(t.Context(), b.store, b.of(k, inv.ID), struct{}{})
		return err
	}
	if err := void("paid"); !isConflict(err, &invoice.HasPayments) {
		t.Errorf("voided what was paid: %v", err)
	}
	if _, err := b.refund("k", p, refund.Input{Amount: "100"}); err != nil {
		t.Fatal(err)
	}
	if err := void("refunded"); err != nil {
		t.Error(err)
	}
}

// TestFiftyAtOnce: no more is given back than was paid, and no refund is lost.
func TestFiftyAtOnce(t *testing.T) {
	b := setup(t)
	inv, p := b.paid("i", "100")
	const crowd = 50
	errs := make([]error, crowd)
	together(crowd, func(i int) { _, errs[i] = b.refund(fmt.Sprint(i), p, refund.Input{Amount: "3.00"}) })
	refunded := 0
	for _, err := range errs {
		switch {
		case err == nil:
			refunded++
		case !isConflict(err, &refund.ExceedsPayment):
			t.Error(err)
		}
	}
	if found := b.find(inv); refunded != 33 || found.Paid != 100 || found.Open != 9900 {
		t.Errorf("%d refunds, %d paid, %d open", refunded, found.Paid, found.Open)
	}
}

// TestPayAndRefund: while 60.00 of the one payment is given back, another one of 50.00 is within what is open only
// behind the refund. Each outcome has its own books.
func TestPayAndRefund(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv, p := b.paid(fmt.Sprint(round), "100")
		var paid, refunded error
		together(2, func(i int) {
			if i == 0 {
				_, paid = b.pay(fmt.Sprint("pay", round), inv, "50")
			} else {
				_, refunded = b.refund(fmt.Sprint("refund", round), p, refund.Input{Amount: "60"})
			}
		})
		found := b.find(inv)
		switch {
		case refunded == nil && paid == nil && found.Paid == 9000 && found.Open == 1000:
		case refunded == nil && isConflict(paid, &payment.ExceedsOpen) && found.Paid == 4000 && found.Open == 6000:
		default:
			t.Errorf("paid: %v, refunded: %v, %+v", paid, refunded, found)
		}
	}
}

// TestLeftChanged: who saw more left is asked.
func TestLeftChanged(t *testing.T) {
	b := setup(t)
	_, p := b.paid("i", "100")
	if _, err := b.refund("1", p, refund.Input{Amount: "40", SeenLeft: "100.00"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.refund("2", p, refund.Input{Amount: "40", SeenLeft: "100.00"}); !isConflict(err, &invoice.OpenChanged) {
		t.Errorf("%v", err)
	}
	if _, err := b.refund("2", p, refund.Input{Amount: "40", SeenLeft: "60.00"}); err != nil {
		t.Error(err)
	}
	nothing := payment.Payment{Header: record.Header{ID: uuid.New()}, Currency: p.Currency}
	if _, err := b.refund("3", nothing, refund.Input{Amount: "1"}); !errors.Is(err, record.ErrNotFound) {
		t.Errorf("refunded no payment: %v", err)
	}
}

// TestDatabaseKeepsTheRefunds: whoever sends the statement.
func TestDatabaseKeepsTheRefunds(t *testing.T) {
	b := setup(t)
	_, p := b.paid("i", "100")
	if _, err := b.refund("k", p, refund.Input{Amount: "40"}); err != nil {
		t.Fatal(err)
	}
	const another = `INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
		SELECT tenant_id, gen_random_uuid(), id, %s, '2026-11-22' FROM payments`
	for constraint, statements := range map[string][]string{
		"refunds_append_only":    {`UPDATE refunds SET amount = 1`, `DELETE FROM refunds`, `TRUNCATE refunds`},
		"payments_append_only":   {`UPDATE payments SET amount = 1`, `UPDATE payments SET paid_on = '2026-11-01'`, `DELETE FROM payments`},
		"payments_balanced":      {`UPDATE payments SET refunded = 0`, `UPDATE payments SET refunded = 4001`},
		"refunds_within_payment": {fmt.Sprintf(another, "6001")},
		"refunds_amount_check":   {fmt.Sprintf(another, "0")},
		"refunds_payment": {`INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
			SELECT tenant_id, id, gen_random_uuid(), 1, '2026-11-22' FROM payments`},
		"minor_units_check": {
			`UPDATE payments SET refunded = 10001`, `UPDATE invoices SET paid = -1`, fmt.Sprintf(another, "-1"),
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'refund', -6001 FROM invoices`,
		},
		"invoices_balanced": {
			`UPDATE invoices SET paid = 0`,
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'refund', -1 FROM invoices`,
		},
	} {
		for _, sql := range statements {
			var broken *pgconn.PgError
			if _, err := b.db.Admin(t).Exec(t.Context(), sql); !errors.As(err, &broken) || broken.ConstraintName != constraint {
				t.Errorf("%s, not %s: %v", sql, constraint, err)
			}
		}
	}
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
