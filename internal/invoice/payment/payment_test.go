package payment_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

// pay records a payment. change may modify the input.
func (b *bundle) pay(k string, inv invoice.Invoice, amount string, change func(*payment.Input)) (idempotency.Done[payment.Payment], error) {
	b.Helper()
	in := payment.Input{Amount: amount, Date: "2026-11-22", Method: "bank_transfer"}
	if change != nil {
		change(&in)
	}
	d, err := in.Draft(inv.ID, inv.Currency)
	must.OK(b, err)
	return payment.Create.Do(context.Background(), b.Store, b.Intent(k), d)
}

func TestInParts(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	for _, step := range []struct {
		amount, status string
		open           int64
	}{{"40", invoice.StatusPartly, 6000}, {"60.00", invoice.StatusPaid, 0}} {
		done, err := b.pay(step.amount, inv, step.amount, nil)
		must.Thatf(t, err == nil && done.Value.InvoiceID == inv.ID && done.Value.Currency == inv.Currency, "%+v, %v", done, err)
		again, err := b.pay(step.amount, inv, step.amount, nil)
		assert.Thatf(t, err == nil && again.Replayed && again.Value == done.Value, "again: %+v, %v", again, err)
		found := b.Find(inv)
		assert.Thatf(t, found.Status == step.status && found.Open == step.open && found.Paid == 10000-step.open, "%+v", found)
	}
	_, err := b.pay("more", inv, "0.01", nil)
	c, ok := errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && c.Kind == &payment.ExceedsOpen && c.Members["open"] == "0.00", "more than is open: %v", err)
}

// TestFiftyAtOnce checks that concurrent payments never exceed the open amount, and that none is lost.
func TestFiftyAtOnce(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	errs := storetest.Together(50, func(i int) error {
		_, err := b.Pay(fmt.Sprint(i), inv, "3.00")
		return err
	})
	paid := b.Succeeded(errs, &payment.ExceedsOpen)
	found := b.Find(inv)
	assert.Thatf(t, paid == 33 && found.Paid == 9900 && found.Open == 100, "%d payments, %d paid, %d open", paid, found.Paid, found.Open)
}

// TestPayOrVoid checks that an invoice is either paid or voided.
func TestPayOrVoid(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv := b.Issued(fmt.Sprint(round))
		paid, voided := storetest.Both(func() error {
			_, err := b.Pay(fmt.Sprint("pay", round), inv, "100")
			return err
		}, func() error { return b.Void(fmt.Sprint("void", round), inv) })
		found := b.Find(inv)
		switch {
		case paid == nil && storetest.IsConflict(voided, &invoice.HasPayments) && found.Status == invoice.StatusPaid:
		case voided == nil && storetest.IsConflict(paid, &invoice.NotIssued) && found.Status == invoice.StatusVoid && found.Paid == 0:
		default:
			t.Errorf("paid: %v, voided: %v, %+v", paid, voided, found)
		}
	}
}

// TestReferenceOnce checks that a reference is unique for any keys and any spelling of the provider. It is optional, and compared
// exactly.
func TestReferenceOnce(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	of := func(provider, reference string) func(*payment.Input) {
		return func(in *payment.Input) { in.Provider, in.Reference = provider, reference }
	}
	first, err := b.pay("1", inv, "1", of("Stripe", "pi_1a"))
	must.Thatf(t, err == nil && first.Value.Provider == "Stripe", "%+v, %v", first, err)
	for _, provider := range []string{"Stripe", "stripe", "STRIPE", "ＳＴＲＩＰＥ", " Stripé "} {
		_, err = b.pay("2", inv, "1", of(provider, "pi_1a"))
		refused, ok := errors.AsType[*conflict.Error](err)
		assert.Thatf(t, ok && refused.Kind == &payment.Taken && refused.Existing == first.Value.ID, "%s: %v", provider, err)
	}
	for k, others := range map[string]func(*payment.Input){
		"3": nil, "4": nil, "capitals": of("Stripe", "PI_1A"), "provider": of("Stripes", "pi_1a"), "reference": of("Stripe", "pi_1b"),
	} {
		_, err := b.pay(k, inv, "1", others)
		assert.Thatf(t, err == nil, "%s: %v", k, err)
	}
	found := b.Find(inv)
	assert.Thatf(t, found.Paid == 600, "paid %d", found.Paid)
}

// TestDatesOfEntries checks that a typo in the year is refused with a sentence, and by the database on any path.
func TestDatesOfEntries(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	in := payment.Input{Amount: "1", Method: "cash"}
	for day, good := range map[string]bool{
		"2000-01-01": true, "2099-12-31": true, "2026-02-28": true,
		"1999-12-31": false, "2100-01-01": false, "1900-01-01": false, "9999-12-31": false, "0206-11-22": false, "2026-02-29": false,
	} {
		in.Date = day
		_, err := in.Draft(inv.ID, inv.Currency)
		problems, wrong := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, wrong != good &&
			(!wrong || len(problems.Fields) == 1 && problems.Fields[0].Pointer == "/date"), "%s: %v", day, err)
	}
	b.OK(b.pay("paid", inv, "1", nil))
	b.Refuses(map[string][]string{
		"payments_dated": {`INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method)
			SELECT tenant_id, gen_random_uuid(), invoice_id, 1, '2100-01-01', method FROM payments`},
		"refunds_dated": {`INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
			SELECT tenant_id, gen_random_uuid(), id, 1, '1999-12-31' FROM payments`},
		"invoices_dated": {`INSERT INTO invoices (
				tenant_id, id, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
			SELECT tenant_id, gen_random_uuid(), customer_id, currency, issue_date, '2100-01-01', notes, subtotal, tax_total, total
			FROM invoices`},
	})
}

// TestOpenAmountChanged checks that a user who saw a different open amount is asked.
func TestOpenAmountChanged(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	seen := func(open string) func(*payment.Input) { return func(in *payment.Input) { in.SeenOpen = open } }
	b.OK(b.pay("1", inv, "40", seen("100.00")))
	if _, err := b.pay("2", inv, "40", seen("100.00")); !storetest.IsConflict(err, &invoice.OpenChanged) {
		t.Errorf("%v", err)
	}
	if _, err := b.pay("2", inv, "40", seen("60.00")); err != nil {
		t.Errorf("%v", err)
	}
}

// TestDatabaseKeepsTheLedger checks that even the superuser can't change the ledger.
func TestDatabaseKeepsTheLedger(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	b.OK(b.pay("k", inv, "40", nil))
	b.Refuses(map[string][]string{
		"postings_append_only": {`UPDATE postings SET amount = 1`, `DELETE FROM postings`, `TRUNCATE postings`},
		"payments_append_only": {`UPDATE payments SET amount = 1`, `DELETE FROM payments`, `TRUNCATE payments CASCADE`},
		"invoices_balanced": {
			`UPDATE invoices SET paid = 1`,
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'payment', 1 FROM invoices`,
		},
	})
}

// TestTwoPostingsAtOnce checks that the second of two postings that start from the same balance without locking the invoice is refused.
func TestTwoPostingsAtOnce(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	b.OK(b.pay("k", inv, "40", nil))
	const post = `
		INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
		SELECT tenant_id, id, gen_random_uuid(), 'payment', 100 FROM invoices`
	const show = `UPDATE invoices SET paid = paid + 100`
	one, err := b.Admin.Begin(t.Context())
	must.OK(t, err)
	for _, sql := range []string{post, show} {
		must.Exec(t, one, sql)
	}
	two := make(chan error, 1)
	go func() {
		_, err := b.Admin.Exec(t.Context(), `BEGIN; `+post+`; `+show+`; COMMIT`)
		two <- err
	}()
	b.Waiting(1) // it has read the balance, and waits for the invoice
	must.OK(t, one.Commit(t.Context()))
	var broken *pgconn.PgError
	if err := <-two; !errors.As(err, &broken) || broken.ConstraintName != "invoices_balanced" {
		t.Errorf("%v", err)
	}
	if _, err := b.pay("next", inv, "59", nil); err != nil {
		t.Error(err)
	}
	assert.Equal(t, storetest.Value[int](b, `SELECT paid FROM invoices`), 10000, "paid")
}
