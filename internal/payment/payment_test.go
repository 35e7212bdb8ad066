package payment_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/payment"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
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
	b.store = &idempotency.Store{Pool: b.db.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
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

// pay records a payment that a change has made special.
func (b *bundle) pay(k string, inv invoice.Invoice, amount string, change func(*payment.Input)) (idempotency.Done[payment.Payment], error) {
	b.Helper()
	in := payment.Input{Amount: amount, Date: "2026-11-22", Method: "bank_transfer"}
	if change != nil {
		change(&in)
	}
	d, err := in.Draft(inv.ID, inv.Currency)
	if err != nil {
		b.Fatal(err)
	}
	return payment.Create.Do(context.Background(), b.store, b.of(k, uuid.Nil), d)
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
	inv := b.issued("i")
	for _, step := range []struct {
		amount, status string
		open           int64
	}{{"40", invoice.StatusPartly, 6000}, {"60.00", invoice.StatusPaid, 0}} {
		done, err := b.pay(step.amount, inv, step.amount, nil)
		if err != nil || done.Value.InvoiceID != inv.ID || done.Value.Currency != inv.Currency {
			t.Fatalf("%+v, %v", done, err)
		}
		again, err := b.pay(step.amount, inv, step.amount, nil)
		if err != nil || !again.Replayed || again.Value != done.Value {
			t.Errorf("again: %+v, %v", again, err)
		}
		if found := b.find(inv); found.Status != step.status || found.Open != step.open || found.Paid != 10000-step.open {
			t.Errorf("%+v", found)
		}
	}
	if _, err := b.pay("more", inv, "0.01", nil); !isConflict(err, &payment.ExceedsOpen) {
		t.Errorf("more than is open: %v", err)
	}
	if _, err := invoice.Void.Do(t.Context(), b.store, b.of("void", inv.ID), struct{}{}); !isConflict(err, &invoice.HasPayments) {
		t.Errorf("voided what was paid: %v", err)
	}
}

// TestFiftyAtOnce: whatever is asked for at once, no more than the open amount is paid, and no payment is lost.
func TestFiftyAtOnce(t *testing.T) {
	b := setup(t)
	inv := b.issued("i")
	const crowd = 50
	errs := make([]error, crowd)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() {
			<-gate
			_, errs[i] = b.pay(fmt.Sprint(i), inv, "3.00", nil)
		})
	}
	close(gate)
	all.Wait()
	paid := 0
	for _, err := range errs {
		switch {
		case err == nil:
			paid++
		case !isConflict(err, &payment.ExceedsOpen):
			t.Error(err)
		}
	}
	if found := b.find(inv); paid != 33 || found.Paid != 9900 || found.Open != 100 {
		t.Errorf("%d payments, %d paid, %d open", paid, found.Paid, found.Open)
	}
}

// TestPayOrVoid: an invoice is either paid or voided.
func TestPayOrVoid(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv := b.issued(fmt.Sprint(round))
		var paid, voided error
		gate := make(chan struct{})
		var both sync.WaitGroup
		both.Go(func() { <-gate; _, paid = b.pay(fmt.Sprint("pay", round), inv, "100", nil) })
		both.Go(func() {
			<-gate
			_, voided = invoice.Void.Do(context.Background(), b.store, b.of(fmt.Sprint("void", round), inv.ID), struct{}{})
		})
		close(gate)
		both.Wait()
		found := b.find(inv)
		switch {
		case paid == nil && isConflict(voided, &invoice.HasPayments) && found.Status == invoice.StatusPaid:
		case voided == nil && isConflict(paid, &invoice.NotIssued) && found.Status == invoice.StatusVoid && found.Paid == 0:
		default:
			t.Errorf("paid: %v, voided: %v, %+v", paid, voided, found)
		}
	}
}

// TestReferenceOnce: whatever the keys, and only where there is a reference.
func TestReferenceOnce(t *testing.T) {
	b := setup(t)
	inv := b.issued("i")
	referenced := func(in *payment.Input) { in.Provider, in.Reference = "Bank", "TX 1" }
	first, err := b.pay("1", inv, "1", referenced)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.pay("2", inv, "1", referenced)
	if refused, ok := errors.AsType[*conflict.Error](err); !ok || refused.Kind != &payment.Taken || refused.Existing != first.Value.ID {
		t.Errorf("%v", err)
	}
	for _, k := range []string{"3", "4"} {
		if _, err := b.pay(k, inv, "1", nil); err != nil {
			t.Error(err)
		}
	}
	if found := b.find(inv); found.Paid != 300 {
		t.Errorf("paid %d", found.Paid)
	}
}

// TestOpenAmountChanged: who saw another open amount is asked.
func TestOpenAmountChanged(t *testing.T) {
	b := setup(t)
	inv := b.issued("i")
	seen := func(open string) func(*payment.Input) { return func(in *payment.Input) { in.SeenOpen = open } }
	if _, err := b.pay("1", inv, "40", seen("100.00")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pay("2", inv, "40", seen("100.00")); !isConflict(err, &payment.OpenChanged) {
		t.Errorf("%v", err)
	}
	if _, err := b.pay("2", inv, "40", seen("60.00")); err != nil {
		t.Errorf("%v", err)
	}
}

func TestNotPayable(t *testing.T) {
	b := setup(t)
	inv := b.issued("i")
	if _, err := invoice.Void.Do(t.Context(), b.store, b.of("void", inv.ID), struct{}{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pay("k", inv, "1", nil); !isConflict(err, &invoice.NotIssued) {
		t.Errorf("paid a void invoice: %v", err)
	}
	nothing := invoice.Invoice{Header: record.Header{ID: uuid.New()}, Currency: inv.Currency}
	if _, err := b.pay("k", nothing, "1", nil); !errors.Is(err, record.ErrNotFound) {
		t.Errorf("paid no invoice: %v", err)
	}
}

// TestDatabaseKeepsTheLedger: whoever sends the statement.
func TestDatabaseKeepsTheLedger(t *testing.T) {
	b := setup(t)
	inv := b.issued("i")
	if _, err := b.pay("k", inv, "40", nil); err != nil {
		t.Fatal(err)
	}
	for constraint, statements := range map[string][]string{
		"postings_append_only": {`UPDATE postings SET amount = 1`, `DELETE FROM postings`, `TRUNCATE postings`},
		"payments_append_only": {`UPDATE payments SET amount = 1`, `DELETE FROM payments`, `TRUNCATE payments`},
		"invoices_balanced": {
			`UPDATE invoices SET paid = 1`,
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'payment', 1 FROM invoices`,
		},
	} {
		for _, sql := range statements {
			var broken *pgconn.PgError
			if _, err := b.db.Admin(t).Exec(t.Context(), sql); !errors.As(err, &broken) || broken.ConstraintName != constraint {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
}

// TestTwoPostingsAtOnce: whoever posts without the lock of the invoice carries on a balance that another one carries
// on as well, and is refused.
func TestTwoPostingsAtOnce(t *testing.T) {
	b := setup(t)
	inv := b.issued("i")
	if _, err := b.pay("k", inv, "40", nil); err != nil {
		t.Fatal(err)
	}
	const post = `
		INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
		SELECT tenant_id, id, gen_random_uuid(), 'payment', 100 FROM invoices`
	const show = `UPDATE invoices SET paid = paid + 100`
	admin := b.db.Admin(t)
	one, err := admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{post, show} {
		if _, err := one.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	two := make(chan error, 1)
	go func() {
		_, err := admin.Exec(t.Context(), `BEGIN; `+post+`; `+show+`; COMMIT`)
		two <- err
	}()
	b.waiting(admin, 1) // it has read the balance, and waits for the invoice
	if err := one.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	var broken *pgconn.PgError
	if err := <-two; !errors.As(err, &broken) || broken.ConstraintName != "invoices_balanced" {
		t.Errorf("%v", err)
	}
	if _, err := b.pay("next", inv, "59", nil); err != nil {
		t.Error(err)
	}
	if found := b.find(inv); found.Paid != 10000 {
		t.Errorf("paid %d", found.Paid)
	}
}

// waiting returns when so many wait for a lock.
func (b *bundle) waiting(admin *pgxpool.Pool, count int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	for waiting := 0; waiting < count; {
		if err := admin.QueryRow(ctx, `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting); err != nil {
			b.Fatal(err)
		}
	}
}
