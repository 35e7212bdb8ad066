package credit_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// number returns the credit note number with a place in this year's series.
func number(place int) string { return fmt.Sprintf("CN-%d-%04d", time.Now().UTC().Year(), place) }

func TestInParts(t *testing.T) {
	b := setup(t)
	inv := b.taxed("i")
	var total int64
	for i, step := range []struct {
		quantities []string
		status     string
		lines      int
	}{{[]string{"1"}, invoice.StatusIssued, 1}, {[]string{"1.5", "0.7"}, invoice.StatusIssued, 2}, {nil, invoice.StatusCredited, 2}} {
		done, err := b.credit(fmt.Sprint(i), inv, step.quantities...)
		if err != nil || done.Value.Number != number(i+1) || len(done.Value.Lines) != step.lines || done.Value.InvoiceID != inv.ID {
			t.Fatalf("%+v, %v", done, err)
		}
		again, err := b.credit(fmt.Sprint(i), inv, step.quantities...)
		assert.Thatf(t, err == nil && again.Replayed && reflect.DeepEqual(again.Value, done.Value), "again: %+v, %v", again, err)
		total += done.Value.Total
		found := b.Find(inv)
		assert.Thatf(t, found.Status == step.status && found.Credited == total && found.Open == inv.Total-total && found.Paid == 0,
			"%+v", found)
	}
	assert.Thatf(t, total == inv.Total, "credited %d of %d", total, inv.Total)
	for _, quantities := range [][]string{nil, {"0.000001"}} {
		_, err := b.credit("more", inv, quantities...)
		assert.Thatf(t, storetest.IsConflict(err, &credit.ExceedsInvoice), "credited more than everything: %v", err)
	}
	if err := b.Void("void", inv); !storetest.IsConflict(err, &invoice.HasCreditNotes) {
		t.Errorf("voided what was credited: %v", err)
	}
}

// TestWhatIsPaidBecomesCredit checks that a credit note takes the open amount first, and what exceeds it is a receipt: it can be used like
// others, but neither removed nor refunded. Of an invoice that is written off in part, no more than the rest is credited.
func TestWhatIsPaidBecomesCredit(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i", invoice.LineInput{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"})
	paid, err := b.Pay("p", inv, "40")
	must.OK(t, err)
	for _, step := range []struct {
		quantity                   string
		became, paid, open, credit int64
		status                     string
	}{
		{"1", 0, 40_00, 10_00, 0, invoice.StatusPartly},
		{"0.5", 15_00, 25_00, 0, 15_00, invoice.StatusPaid},
		{"0.5", 25_00, 0, 0, 40_00, invoice.StatusCredited},
	} {
		done, err := b.credit(fmt.Sprint("k", step.credit), inv, step.quantity)
		must.OK(t, err)
		found, sums := b.Find(inv), b.credits()
		assert.Thatf(t, done.Value.BecameCredit == step.became && (done.Value.Receipt != uuid.Nil) == (step.became > 0) &&
			found.Paid == step.paid && found.Open == step.open && found.Status == step.status && sums == step.credit,
			"%+v\n%+v\ncredit %d", done.Value, found, sums)
		if step.became == 0 {
			continue
		}
		made, err := record.Find(t.Context(), b.Store.Pool, receipt.Table, b.Tenant, done.Value.Receipt)
		assert.Thatf(t, err == nil && made.Amount == step.became && made.Customer.ID == inv.Customer.ID && made.Currency == inv.Currency &&
			made.Date == done.Value.Date && made.CreditNote == record.Reference{ID: done.Value.ID, Name: done.Value.Number},
			"%+v, %v", made, err)
		_, err = receipt.Remove.Do(t.Context(), b.Store, b.Of("remove", made.ID, 0), struct{}{})
		assert.Thatf(t, storetest.IsConflict(err, &invoice.BecameCredit), "removed %v", err)
		_, err = b.Remove("unpay", paid)
		assert.Thatf(t, storetest.IsConflict(err, &invoice.BecameCredit), "removed %v", err)
		_, err = b.refund("refund", paid, step.paid+1)
		assert.Thatf(t, storetest.IsConflict(err, &invoice.BecameCredit), "refunded %v", err)
	}
	if err := credit.Possible(b.Find(inv)); !storetest.IsConflict(err, &credit.ExceedsInvoice) {
		t.Error(err)
	}
	if _, err := b.credit("none", inv, "0.1"); !storetest.IsConflict(err, &credit.ExceedsInvoice) {
		t.Error(err)
	}

	partly := b.Issued("w", invoice.LineInput{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"})
	b.OK(b.Pay("q", partly, "40"))
	b.OK(b.WriteOff("off", partly, "30"))
	if _, err := b.credit("beyond", partly, "1.41"); !storetest.IsConflict(err, &credit.ExceedsInvoice) {
		t.Errorf("credited what was written off: %v", err)
	}
	b.OK(b.credit("most", partly, "1.4"))
	found := b.Find(partly)
	assert.Thatf(t, found.Paid == 0 && found.Credited == 70_00 && found.Open == 0 && b.credits() == 80_00, "%+v", found)
}

// TestCreditOrRefund runs, of an invoice that is paid, a credit note of all, a refund and the removal of the payment at once: the credit
// note is created, and the money is refunded, removed or credit, once.
func TestCreditOrRefund(t *testing.T) {
	b := setup(t)
	before := int64(0)
	for round := range 10 {
		name := fmt.Sprint(round)
		inv := b.Issued(name)
		paid, err := b.Pay("p"+name, inv, inv.Currency.Format(inv.Total))
		must.OK(t, err)
		errs := storetest.Together(3, func(i int) error {
			var err error
			switch i {
			case 0:
				_, err = b.credit("c"+name, inv)
			case 1:
				_, err = b.refund("r"+name, paid, inv.Total)
			default:
				_, err = b.Remove("u"+name, paid)
			}
			return err
		})
		found := b.Find(inv)
		became := b.credits() - before
		before += became
		back := errs[1] == nil || errs[2] == nil
		assert.Thatf(t, errs[0] == nil && (errs[1] == nil) != (errs[2] == nil) == back && found.Status == invoice.StatusCredited &&
			found.Paid == 0 && found.Open == 0 && found.Credited == inv.Total && (became == 0) == back && (back || became == inv.Total),
			"%v, %+v, %d became credit", errs, found, became)
	}
}

// TestDraft checks that all mistakes are listed, and that the order of lines does not make another command.
func TestDraft(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{Lines: make([]invoice.Line, 3)}
	_, err := credit.Input{Lines: []credit.LineInput{{1, "none"}, {4, "1"}, {0, "-1"}, {2, "0.0000001"}, {2, "1"}}}.Draft(inv)
	problems, _ := errors.AsType[*invalid.Error](err)
	var where []string
	for _, f := range problems.Fields {
		where = append(where, f.Pointer)
	}
	want := []string{
		"/lines/0/quantity", "/lines/1/position", "/lines/2/position", "/lines/2/quantity", "/lines/3/quantity", "/lines/4/position",
	}
	assert.Thatf(t, slices.Equal(where, want), "wrong at %v, want %v", where, want)
	for _, lines := range [][]credit.LineInput{{}, {{1, "0"}}} {
		_, err := (credit.Input{Lines: lines}).Draft(inv)
		assert.Thatf(t, err != nil, "%v credits something", lines)
	}
	one, _ := credit.Input{Lines: []credit.LineInput{{1, "1"}, {2, "0"}, {3, "2.50"}}}.Draft(inv)
	two, _ := credit.Input{Lines: []credit.LineInput{{3, "2.5"}, {1, "1"}}}.Draft(inv)
	if len(one.Lines) != 2 || len(two.Lines) != 2 || two.Lines[0].Position != 1 || !one.Lines[1].Quantity.Equal(two.Lines[1].Quantity) {
		t.Errorf("%v\n%v", one, two)
	}
}

// TestNegativeLinesAreCredited: a line below zero is credited with its sign, and no credit note is below zero.
func TestNegativeLinesAreCredited(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i",
		invoice.LineInput{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"},
		invoice.LineInput{Description: "Deposit", Quantity: "-1", UnitPrice: "60.00", TaxRate: "23"},
		invoice.LineInput{Description: "Travel", Quantity: "1", UnitPrice: "5.00", TaxRate: "0"})
	must.Thatf(t, inv.Subtotal == 45_00 && inv.TaxTotal == 9_20 && inv.Total == 54_20, "%+v", inv)
	for _, quantities := range [][]string{{"1", "0.1", "0"}, {"0", "-2.5", "1"}, {"-1", "0", "0"}} {
		var in credit.Input
		for i, q := range quantities {
			in.Lines = append(in.Lines, credit.LineInput{Position: i + 1, Quantity: q})
		}
		d, err := in.Draft(inv)
		if err == nil {
			_, err = credit.Create.Do(t.Context(), b.Store, b.Intent("k"), d)
		}
		assert.Thatf(t, err != nil, "credited %v", quantities)
	}
	_, err := b.credit("below", inv, "0", "-0.1", "1") // 5.00 - 6.00
	problems, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && problems.Fields[0].Pointer == "/lines", "credited less than nothing: %v", err)
	if _, err := b.credit("beyond", inv, "2", "0", "0"); !storetest.IsConflict(err, &credit.ExceedsInvoice) {
		t.Errorf("credited more than is open: %v", err)
	}
	part, err := b.credit("part", inv, "1", "-0.5", "0")
	must.OK(t, err)
	assert.Thatf(t, part.Value.Subtotal == 20_00 && part.Value.TaxTotal == 4_60, "%+v", part.Value)
	rest, err := b.credit("rest", inv)
	must.OK(t, err)
	assert.Thatf(t, rest.Value.Total == 54_20-24_60 && b.Find(inv).Status == invoice.StatusCredited, "%+v", rest.Value)
}

// TestTwoCreditNotesForAll checks that only one of two concurrent credit notes for everything is created.
func TestTwoCreditNotesForAll(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv := b.taxed(fmt.Sprint(round))
		errs := storetest.Together(2, func(i int) error {
			_, err := b.credit(fmt.Sprint(round, i), inv)
			return err
		})
		assert.Thatf(t, (errs[0] == nil) != (errs[1] == nil) && storetest.IsConflict(errors.Join(errs...), &credit.ExceedsInvoice),
			"%v", errs)
		found := b.Find(inv)
		assert.Thatf(t, found.Status == invoice.StatusCredited && found.Credited == inv.Total, "%+v", found)
	}
	done, err := b.credit("next", b.taxed("another"))
	assert.Thatf(t, err == nil && done.Value.Number == number(11), "a gap: %s, %v", done.Value.Number, err)
}

// TestFiftyAtOnce runs fifty concurrent credit notes, each for a tenth of the invoice, with consecutive numbers.
func TestFiftyAtOnce(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i", invoice.LineInput{Description: "Design", Quantity: "10", UnitPrice: "0.33", TaxRate: "7"})
	const crowd = 50
	numbers := make([]string, crowd)
	errs := storetest.Together(crowd, func(i int) error {
		done, err := b.credit(fmt.Sprint(i), inv, "1")
		numbers[i] = done.Value.Number
		return err
	})
	slices.Sort(numbers)
	numbers = numbers[crowd-b.Succeeded(errs, &credit.ExceedsInvoice):]
	var want []string
	for place := range 10 {
		want = append(want, number(place+1))
	}
	assert.Thatf(t, slices.Equal(numbers, want), "%v", numbers)
	found := b.Find(inv)
	assert.Thatf(t, found.Open == 0 && found.Status == invoice.StatusCredited, "%+v", found)
}

// TestCreditOrPay checks that an earlier payment becomes credit in part, and that a later one is refused. TestCreditOrVoid checks that the
// second operation is refused.
func TestCreditOrPay(t *testing.T) {
	b := setup(t)
	before := int64(0)
	for round := range 10 {
		inv := b.Issued(fmt.Sprint(round))
		paid, credited := storetest.Both(func() error {
			_, err := b.Pay(fmt.Sprint("pay", round), inv, "60")
			return err
		}, func() error {
			_, err := b.credit(fmt.Sprint("credit", round), inv, "1")
			return err
		})
		found, became := b.Find(inv), b.credits()-before
		before += became
		switch {
		case paid == nil && credited == nil && found.Credited == 5000 && found.Paid == 5000 && found.Open == 0 && became == 1000:
		case credited == nil && storetest.IsConflict(paid, &payment.ExceedsOpen) && found.Credited == 5000 && found.Paid+became == 0:
		default:
			t.Errorf("paid: %v, credited: %v, %+v, %d became credit", paid, credited, found, became)
		}
	}
}

func TestCreditOrVoid(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv := b.taxed(fmt.Sprint(round))
		voided, credited := storetest.Both(func() error { return b.Void(fmt.Sprint("void", round), inv) }, func() error {
			_, err := b.credit(fmt.Sprint("credit", round), inv, "1")
			return err
		})
		found := b.Find(inv)
		switch {
		case voided == nil && storetest.IsConflict(credited, &invoice.NotIssued) &&
			found.Status == invoice.StatusVoid && found.Credited == 0:
		case credited == nil && storetest.IsConflict(voided, &invoice.HasCreditNotes) &&
			found.Status == invoice.StatusIssued && found.Credited > 0:
		default:
			t.Errorf("voided: %v, credited: %v, %+v", voided, credited, found)
		}
	}
}

// TestOpenAmountChanged checks that a user who saw a different open amount is asked.
func TestOpenAmountChanged(t *testing.T) {
	b := setup(t)
	inv := b.taxed("i")
	in := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1"}}, SeenOpen: inv.Currency.Format(inv.Open)}
	d, err := in.Draft(inv)
	must.OK(t, err)
	b.OK(credit.Create.Do(t.Context(), b.Store, b.Intent("1"), d))
	if _, err := credit.Create.Do(t.Context(), b.Store, b.Intent("2"), d); !storetest.IsConflict(err, &invoice.OpenChanged) {
		t.Error(err)
	}
}

// TestDatabaseKeepsTheCreditNotes checks that even the superuser can't change credit notes.
func TestDatabaseKeepsTheCreditNotes(t *testing.T) {
	b := setup(t)
	inv := b.taxed("i")
	b.OK(b.credit("k", inv, "1"))
	b.OK(b.WriteOff("k", inv, "80"))
	settled := b.Issued("settled")
	b.OK(b.Pay("settled", settled, "100"))
	b.OK(b.credit("settled", settled, "1"))
	voided, unpaid := b.taxed("void"), b.taxed("unpaid")
	must.OK(t, b.Void("void", voided))
	b.OK(b.credit("unpaid", unpaid, "1"))
	line := func(note, invoice, position, quantity string) string {
		return fmt.Sprintf(`INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity)
			VALUES ('%s', %s, '%s', %s, %s);`, b.Tenant, note, invoice, position, quantity)
	}
	note := func(invoice string) string {
		return fmt.Sprintf(`INSERT INTO credit_notes (tenant_id, id, invoice_id) VALUES ('%s', %s, '%s');`, b.Tenant, fresh, invoice)
	}
	open, void := inv.ID.String(), voided.ID.String()
	b.Refuses(map[string][]string{
		"credit_notes_append_only": {
			`UPDATE credit_notes SET total = 1`, `DELETE FROM credit_notes`, `TRUNCATE credit_notes CASCADE`,
			line(`(SELECT id FROM credit_notes WHERE invoice_id = '`+open+`')`, open, "2", "1"),
		},
		"receipts_append_only": {`UPDATE receipts SET credit_note_id = NULL`},
		"receipts_credit_note_once": {
			`INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method, credit_note_id)
				SELECT tenant_id, gen_random_uuid(), customer_id, currency, amount, received_on, method, credit_note_id FROM receipts`,
		},
		"credit_notes_not_before_invoice": {
			line(fresh, open, "2", "1") + `INSERT INTO credit_notes (tenant_id, id, invoice_id, issue_date)
				VALUES ('` + b.Tenant.String() + `', ` + fresh + `, '` + open + `', '2026-11-20')`,
		},
		"credit_note_lines_append_only": {
			`UPDATE credit_note_lines SET net = 1`, `DELETE FROM credit_note_lines`, `TRUNCATE credit_note_lines`,
		},
		"credit_note_lines_within_line":    {line(fresh, open, "1", "2.01"), line(fresh, open, "1", "-0.5")},
		"credit_note_lines_quantity_check": {line(fresh, open, "1", "0")},
		"credit_note_lines_line":           {line(fresh, open, "3", "1"), line(fresh, uuid.NewString(), "1", "1")},
		"credit_note_lines_credit_note":    {line(fresh, open, "2", "1")},
		"credit_notes_of_issued":           {line(fresh, void, "1", "1"), note(void)},
		"credit_notes_of_lines":            {note(open)},
		"credit_notes_invoice":             {note(uuid.NewString()), line(fresh, open, "2", "1") + note(void)},
		"credit_notes_within_open":         {line(fresh, open, "1", "2") + note(open)},
		"invoices_void_without_credit_notes": {
			`UPDATE invoices SET status = 'void', voided_at = now() WHERE id = '` + unpaid.ID.String() + `'`,
		},
		"invoices_balanced": {
			`UPDATE invoices SET credited = 0 WHERE credited > 0`,
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'credit', 1 FROM invoices`,
		},
		"minor_units_check": {
			`UPDATE invoices SET credited = -1 WHERE id = '` + open + `'`,
			`UPDATE invoices SET credited = total WHERE id = '` + open + `'`,
		},
	})
}

// fresh is the id of a credit note that does not exist.
const fresh = `'01900000-0000-7000-8000-000000000001'`

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

// taxed returns an issued invoice with two tax rates.
func (b *bundle) taxed(key string) invoice.Invoice {
	b.Helper()
	return b.Issued(key,
		invoice.LineInput{Description: "Design", Quantity: "3", UnitPrice: "33.33", TaxRate: "23"},
		invoice.LineInput{Description: "Printing", Quantity: "1.5", UnitPrice: "7.99", TaxRate: "6.5"})
}

// credits returns the credit of all customers, in minor units.
func (b *bundle) credits() int64 {
	b.Helper()
	return storetest.Value[int64](b, `SELECT COALESCE(sum(left_amount), 0)::bigint FROM receipts`)
}

func (b *bundle) refund(k string, of payment.Payment, amount int64) (idempotency.Done[refund.Refund], error) {
	b.Helper()
	d := refund.Draft{PaymentID: of.ID, Currency: of.Currency, Amount: amount, Date: of.Date, Paid: of.Date, SeenLeft: -1}
	return refund.Create.Do(context.Background(), b.Store, b.Intent(k), d)
}

// credit credits quantities of the lines, starting with the first; without quantities, everything that is left.
func (b *bundle) credit(k string, inv invoice.Invoice, quantities ...string) (idempotency.Done[credit.Note], error) {
	b.Helper()
	d, err := inputOf(quantities).Draft(inv)
	must.OK(b, err)
	return credit.Create.Do(context.Background(), b.Store, b.Intent(k), d)
}

func inputOf(quantities []string) (in credit.Input) {
	for i, quantity := range quantities {
		in.Lines = append(in.Lines, credit.LineInput{Position: i + 1, Quantity: quantity})
	}
	return in
}
