package closing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/date"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct {
	*invoicetest.Bundle

	asks bool // about what looks like a repeat
}

// Intent returns the intent of a program, or of a person who is asked about repeats.
func (b *bundle) Intent(key string) idempotency.Intent {
	intent := b.Bundle.Intent(key)
	intent.AsksAboutRepeat = b.asks
	return intent
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{Bundle: invoicetest.Setup(t)}
}

// close closes the books through a day. It may run in any goroutine.
func (b *bundle) close(key, through string) (closing.Closing, error) {
	d, err := closing.Input{Through: through}.Draft()
	if err != nil {
		return closing.Closing{}, err
	}
	done, err := closing.Create.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

func (b *bundle) reopen(key string, c closing.Closing) error {
	_, err := closing.Reopen.Do(context.Background(), b.Store, b.Of(key, c.ID, 0), struct{}{})
	return err
}

// draft returns the draft of an invoice of 100.00 EUR.
func (b *bundle) draft(key, day string) invoice.Invoice {
	b.Helper()
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(key), b.of(day))
	must.OK(b, err)
	return made.Value
}

func (b *bundle) of(day string) invoice.Draft {
	b.Helper()
	d, err := invoice.Input{
		Customer: &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"}, IssueDate: day, Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(b, err)
	return d
}

func (b *bundle) issue(key string, of invoice.Invoice) error {
	_, err := invoice.Issue.Do(context.Background(), b.Store, b.Of(key, of.ID, 0), invoice.IssueDraft{NoEmail: true})
	return err
}

func (b *bundle) pay(key string, of invoice.Invoice, day string) (payment.Payment, error) {
	d, err := payment.Input{Amount: "1", Date: day, Method: "cash"}.Draft(of.ID, of.Currency)
	if err != nil {
		return payment.Payment{}, err
	}
	done, err := payment.Create.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

// receive records 1.00 from the customer of an invoice, as credit.
func (b *bundle) receive(key string, of invoice.Invoice, day string) (receipt.Receipt, error) {
	d, err := receipt.Input{CustomerID: of.Customer.ID.String(), Currency: "EUR", Amount: "1", Date: day, Method: "cash"}.Draft()
	if err != nil {
		return receipt.Receipt{}, err
	}
	done, err := receipt.Create.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

// TestClosedDaysStay refuses each operation with a date that is closed, and does it with a later date or under the same key after the books
// were reopened. Nobody is asked about what looks like a repeat and is refused.
func TestClosedDaysStay(t *testing.T) {
	b := setup(t)
	const first, last, open = "2025-03-01", "2025-03-31", "2025-04-01"
	issued, draft, old, voided := b.draft("issued", last), b.draft("draft", last), b.draft("old", first), b.draft("voided", last)
	later := b.draft("later", open)
	for _, of := range []invoice.Invoice{issued, old, later} {
		must.OK(t, b.issue("issue "+of.Number, of))
	}
	paid, err := b.pay("paid", issued, last)
	must.OK(t, err)
	removed, err := b.pay("removed", issued, last)
	must.OK(t, err)
	received, err := b.receive("received", issued, last)
	must.OK(t, err)
	mistaken, err := b.receive("mistaken", later, last)
	must.OK(t, err)
	d, err := refund.Input{Amount: "0.10", Date: last}.Draft(paid)
	must.OK(t, err)
	back, err := refund.Create.Do(t.Context(), b.Store, b.Intent("back"), d)
	must.OK(t, err)
	repay, err := receipt.RepayInput{Amount: "0.10", Date: last}.Draft(received)
	must.OK(t, err)
	repaid, err := receipt.Repay.Do(t.Context(), b.Store, b.Intent("repaid"), repay)
	must.OK(t, err)
	until, err := b.close("close", last)
	must.OK(t, err)
	operations := map[string]func(key, day string) error{
		"payment": func(key, day string) error {
			_, err := b.pay(key, issued, day)
			return err
		},
		"refund": func(key, day string) error {
			d, err := refund.Input{Amount: "0.10", Date: day}.Draft(paid)
			must.OK(t, err)
			_, err = refund.Create.Do(t.Context(), b.Store, b.Intent(key), d)
			return err
		},
		"write-off": func(key, day string) error {
			d, err := writeoff.Input{Amount: "0.10", Date: day, Reason: writeoff.BadDebt}.Draft(old)
			must.OK(t, err)
			_, err = writeoff.Create.Do(t.Context(), b.Store, b.Intent(key), d)
			return err
		},
		"credit note": func(key, on string) error {
			d, err := credit.Input{Date: on, Lines: []credit.LineInput{{Position: 1, Quantity: "0.1"}}}.Draft(old)
			must.OK(t, err)
			_, err = credit.Create.Do(t.Context(), b.Store, b.Intent(key), d)
			return err
		},
	}
	operations["receipt"] = func(key, day string) error {
		_, err := b.receive(key, old, day)
		return err
	}
	operations["allocation"] = func(key, day string) error {
		d, err := receipt.ApplyInput{InvoiceID: issued.ID.String(), Amount: "0.10", Date: day}.Draft(received)
		must.OK(t, err)
		_, err = receipt.Apply.Do(t.Context(), b.Store, b.Intent(key), d)
		return err
	}
	operations["repayment"] = func(key, day string) error {
		d, err := receipt.RepayInput{Amount: "0.10", Date: day}.Draft(received)
		must.OK(t, err)
		_, err = receipt.Repay.Do(t.Context(), b.Store, b.Intent(key), d)
		return err
	}
	stuck := map[string]func(key string) error{
		"issue": func(key string) error { return b.issue(key, draft) },
		"void":  func(key string) error { return b.Void(key, old) },
		"removal": func(key string) error {
			_, err := b.Remove(key, removed)
			return err
		},
		"removal of a refund": func(key string) error {
			_, err := refund.Remove.Do(t.Context(), b.Store, b.Of(key, back.Value.ID, 0), struct{}{})
			return err
		},
		"removal of a repayment": func(key string) error {
			_, err := receipt.RemoveRepayment.Do(t.Context(), b.Store, b.Of(key, repaid.Value.ID, 0), struct{}{})
			return err
		},
		"removal of a receipt": func(key string) error {
			_, err := receipt.Remove.Do(t.Context(), b.Store, b.Of(key, mistaken.ID, 0), struct{}{})
			return err
		},
	}
	closed := func(what string, err error) {
		t.Helper()
		refused, ok := errors.AsType[*conflict.Error](err)
		assert.Thatf(t, ok && refused.Kind == &invoice.PeriodClosed && refused.Members["closed_through"] == last, "%s: %v", what, err)
	}
	before := b.Find(issued)
	for what, do := range operations {
		for _, day := range []string{first, last} {
			closed(what+" on "+day, do(what, day))
		}
	}
	for what, do := range stuck {
		closed(what, do(what))
	}
	after := b.Find(issued)
	assert.Thatf(t, after.Paid == before.Paid && after.Open == before.Open && after.Version == before.Version, "%+v", after)
	for what, do := range operations {
		must.OK(t, do(what, open))
	}
	must.OK(t, b.Void("later", later))
	must.OK(t, b.Void("voided draft", voided))
	off, err := b.WriteOff("written off", old, "1")
	must.OK(t, err)
	b.OK(b.TakeBack("taken back", off))
	edited, err := invoice.Edit.Do(t.Context(), b.Store, b.Of("edit", draft.ID, draft.Version), b.of(first))
	must.OK(t, err)
	assert.Equal(t, edited.Value.IssueDate.String(), first, "the day of a draft")

	must.OK(t, b.reopen("reopen", until))
	for what, do := range stuck {
		if what == "void" {
			continue // it was written off
		}
		must.OK(t, do(what))
	}
	_, err = b.pay("again", issued, first)
	assert.Thatf(t, err == nil, "after the books were reopened: %v", err)

	for what, do := range operations {
		must.OK(t, do("before "+what, last))
	}
	_, err = b.close("close again", last)
	must.OK(t, err)
	b.asks = true
	for what, do := range operations {
		closed("what looks like a repeat: "+what, do("repeated "+what, last))
	}
}

// TestClosingsComeInOrder closes a day once, no day behind it, and none that isn't over. It reopens the last closing first.
func TestClosingsComeInOrder(t *testing.T) {
	b := setup(t)
	today := date.Today()
	for _, day := range []string{today.String(), today.AddDays(1).String(), "2025-02-30"} {
		_, err := b.close("early "+day, day)
		assert.Thatf(t, errors.As(err, new(*invalid.Error)), "%s: %v", day, err)
	}
	first, err := b.close("first", "2025-02-28")
	must.OK(t, err)
	last, err := b.close("last", "2025-03-31")
	must.OK(t, err)
	for _, day := range []string{"2025-03-31", "2025-03-01"} {
		_, err = b.close("again "+day, day)
		assert.Thatf(t, storetest.IsConflict(err, &closing.Taken), "%s: %v", day, err)
	}
	through := func(want string) {
		t.Helper()
		got, err := closing.Last(t.Context(), b.Store.Pool, b.Tenant)
		assert.Thatf(t, err == nil && (got.String() == want || want == "" && got == date.Date{}), "closed through %s, %v", got, err)
	}
	through("2025-03-31")
	err = b.reopen("the first", first)
	assert.Thatf(t, storetest.IsConflict(err, &closing.NotLast), "%v", err)
	must.OK(t, b.reopen("the last", last))
	through("2025-02-28")
	must.OK(t, b.reopen("the first", first))
	through("")
	again, err := b.close("again", "2025-03-31")
	assert.Thatf(t, err == nil && again.ID != last.ID, "%+v, %v", again, err)
	b.Refuses(map[string][]string{
		"closings_append_only": {
			`UPDATE closings SET through = '2025-01-01'`, `UPDATE closings SET reopened_at = NULL WHERE through = '2025-02-28'`,
			`DELETE FROM closings`, `TRUNCATE closings`,
		},
	})
}

// TestCloseAtOnce closes a month while invoices of its last day are issued and an invoice is paid on that day. Each comes before the
// closing, or is refused: nothing of the month is recorded once the closing is acknowledged.
func TestCloseAtOnce(t *testing.T) {
	b := setup(t)
	const n = 12
	recorded := `
		SELECT count(*) FROM (
			SELECT issue_date AS day FROM invoices WHERE issued_at IS NOT NULL UNION ALL SELECT paid_on FROM payments) AS of
		WHERE day = $1::date`
	late, refused := 0, 0
	for round := range 8 {
		_, end := day(t, "2025-01-01").AddMonths(round).Month()
		last := end.String()
		paid := b.draft(fmt.Sprint("paid", round), last)
		must.OK(t, b.issue(fmt.Sprint("paid", round), paid))
		drafts := make([]invoice.Invoice, n)
		for i := range drafts {
			drafts[i] = b.draft(fmt.Sprint(round, "-", i), last)
		}
		var atClosing int
		errs := storetest.Together(2*n+2, func(i int) error {
			key := fmt.Sprint(round, "-", i)
			switch {
			case i < n:
				return b.issue(key, drafts[i])
			case i < 2*n:
				_, err := b.pay("pay"+key, paid, last)
				return err
			default:
				_, err := b.close("close"+key, last)
				if err == nil {
					err = b.Admin.QueryRow(context.Background(), recorded, last).Scan(&atClosing)
				}
				return err
			}
		})
		done := b.Succeeded(errs[:2*n], &invoice.PeriodClosed)
		assert.Equal(t, b.Succeeded(errs[2*n:], &closing.Taken), 1, "closings of "+last)
		now := storetest.Value[int](b, recorded, last)
		assert.Thatf(t, now == atClosing && done == now-1, "%s: %d, %d at the closing, %d acknowledged", last, now, atClosing, done)
		late, refused = late+done, refused+2*n-done
		b.Find(paid)
	}
	t.Logf("%d came before the closing, %d were refused", late, refused)
}

func day(t *testing.T, text string) date.Date {
	t.Helper()
	d, err := date.Parse(text)
	must.OK(t, err)
	return d
}
