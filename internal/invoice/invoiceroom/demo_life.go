package invoiceroom

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// step is an operation of the app on a demo invoice.
type step struct {
	about int // the step that made the record of the command
	do    func(context.Context, *idempotency.Store, idempotency.Intent) (uuid.UUID, error)
	used  func(context.Context, *idempotency.Store, uuid.UUID, idempotency.Key) (uuid.UUID, bool, error)
}

// of returns a step that carries out an operation. The command is about the record of another step, and record returns the id of the record
// that this step made.
func of[C, R any](op idempotency.Operation[C, R], command func(about uuid.UUID) (C, error), record func(R) uuid.UUID) step {
	do := func(ctx context.Context, store *idempotency.Store, intent idempotency.Intent) (uuid.UUID, error) {
		c, err := command(intent.Record)
		if err != nil {
			return uuid.Nil, err
		}
		done, err := op.Do(ctx, store, intent, c)
		// Another replica, which started on another day, has just carried it out.
		if mismatch, ok := errors.AsType[*idempotency.MismatchError](err); ok {
			return mismatch.Record, nil
		}
		if before, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
			return before.Record, nil
		}
		return record(done.Value), err
	}
	return step{used: op.Definition.Used, do: do}
}

// life returns the steps of an invoice. The newest are drafts. Most of the old ones are paid, at once or in two parts, and a few are
// overdue. Some in between are paid in part. A few are void, credited, refunded or
// written off.
func (b books) life(n int) []step {
	invoiceID := func(inv invoice.Invoice) uuid.UUID { return inv.ID }
	issue := func(uuid.UUID) (invoice.IssueDraft, error) { return invoice.IssueDraft{}, nil }
	steps := []step{of(invoice.Create, func(uuid.UUID) (invoice.Draft, error) { return b.draft(n) }, invoiceID)}
	if b.age(n) <= 8 {
		return steps
	}
	steps = append(steps, of(invoice.Issue, issue, invoiceID))
	paid := 2 // the step of a payment
	switch {
	case n%20 == 6:
		return append(steps, of(invoice.Void, func(uuid.UUID) (invoice.VoidDraft, error) { return invoice.VoidDraft{}, nil }, invoiceID))
	case n%30 == 13: // a mistake
		return append(steps, b.credit(n, 9, nil))
	case n%30 == 21: // less was done than billed
		return append(steps, b.credit(n, 6, []credit.LineInput{{Position: 1, Quantity: "0.5"}}))
	case n%30 == 17: // a discount
		return append(steps, b.pay(n, 0, 1, 0), b.refund(n, paid, 5))
	case n == 24: // cancelled
		return append(steps, b.pay(n, 0, 1, 0), b.refund(n, paid, 1), b.credit(n, 40, nil))
	case n == 48: // the bank kept a few cents
		return append(steps, b.pay(n, 0, 1, 3), b.writeOff(n))
	case b.twin > 0 && n == paidTogether: // recorded one by one by mistake
		return append(steps, b.pay(n, 0, 1, 0), removed(paid))
	case b.twin > 0 && n == paidWithIt:
		return append(steps, b.pay(n, 0, 1, 0), removed(paid), b.receive())
	case n%24 == 12: // long overdue
		return append(steps, b.remind())
	case b.age(n) > 60 && n%5 == 0:
		return append(steps, b.pay(n, 0, 2, 0), b.pay(n, 1, 2, 0))
	case b.age(n) > 45 && n%6 != 3, b.age(n) > 60:
		return append(steps, b.pay(n, 0, 1, 0))
	case n%3 == 2:
		return append(steps, b.pay(n, 0, 3, 0))
	default:
		return steps
	}
}

// share returns the billed amount divided by the number of parts, less some minor units. Part 0 has the remainder.
func (b books) share(n, part int, parts, less int64) (d invoice.Draft, amount string, err error) {
	if d, err = b.draft(n); err != nil {
		return d, "", err
	}
	totals, err := invoice.TotalsOf(d.Lines)
	share := totals.Total / parts
	if part == 0 {
		share += totals.Total % parts
	}
	return d, d.Currency.Format(share - less), err
}

// pay records the payment of a part of the invoice, less some minor units.
func (b books) pay(n, part int, parts, less int64) step {
	return of(payment.Create, func(id uuid.UUID) (payment.Draft, error) {
		d, amount, err := b.share(n, part, parts, less)
		if err != nil {
			return payment.Draft{}, err
		}
		days := 4 + n*7%5 // not in the future
		if b.age(n) > 45 {
			days = 6 + n*7%25 + 15*part
		}
		return payment.Input{
			Amount: amount, Date: d.IssueDate.AddDays(days).String(), Method: payment.Methods()[n%2],
			Provider:  [...]string{"bank", "card terminal"}[n%2],
			Reference: fmt.Sprintf("%s-%04d-%d", b.Business.Currency, 3000+n*17, part+1),
		}.Draft(id, d.Currency)
	}, func(p payment.Payment) uuid.UUID { return p.ID })
}

// Two invoices of one customer that a receipt pays.
const (
	paidTogether = 34
	paidWithIt   = 37
)

// removed removes the payment of a step.
func removed(paid int) step {
	s := of(payment.Remove, func(uuid.UUID) (struct{}, error) { return struct{}{}, nil }, func(p payment.Payment) uuid.UUID { return p.ID })
	s.about = paid
	return s
}

// receive records the receipt that pays both invoices, and 250.00 more.
func (b books) receive() step {
	return step{used: receipt.Create.Definition.Used, do: func(
		ctx context.Context, store *idempotency.Store, intent idempotency.Intent,
	) (uuid.UUID, error) {
		return of(receipt.Create, func(id uuid.UUID) (receipt.Draft, error) {
			key, err := demoKey(paidTogether, 0)
			if err != nil {
				return receipt.Draft{}, err
			}
			first, _, err := invoice.Create.Definition.Used(ctx, store, b.ID, key)
			if err != nil {
				return receipt.Draft{}, err
			}
			in := receipt.Input{
				Method: payment.Methods()[0], Provider: "bank", Reference: fmt.Sprintf("%s-%04d", b.Business.Currency, 3000+paidWithIt*17),
			}
			total := int64(25_000)
			var last invoice.Invoice
			for _, id := range []uuid.UUID{first, id} {
				if last, err = record.Find(ctx, store.Pool, invoice.Table, b.ID, id); err != nil {
					return receipt.Draft{}, err
				}
				total += last.Total
				in.Allocations = append(in.Allocations, receipt.AllocationInput{
					InvoiceID: id.String(), Amount: last.Currency.Format(last.Total),
				})
			}
			in.CustomerID, in.Currency, in.Amount = last.Customer.ID.String(), last.Currency.String(), last.Currency.Format(total)
			in.Date = last.IssueDate.AddDays(12).String() //nolint:mnd // not in the future
			return in.Draft()
		}, func(r receipt.Receipt) uuid.UUID { return r.ID }).do(ctx, store, intent)
	}}
}

// refund refunds the billed amount divided by the number of parts, from the payment of a step.
func (b books) refund(n, paid int, parts int64) step {
	s := of(refund.Create, func(id uuid.UUID) (refund.Draft, error) {
		d, amount, err := b.share(n, 1, parts, 0)
		if err != nil {
			return refund.Draft{}, err
		}
		from := payment.Payment{Header: record.Header{ID: id}, Currency: d.Currency}
		return refund.Input{Amount: amount, Date: d.IssueDate.AddDays(35 + n%5).String()}.Draft(from)
	}, func(f refund.Refund) uuid.UUID { return f.ID })
	s.about = paid
	return s
}

// writeOff writes off the rest of an invoice as a small difference.
func (b books) writeOff(n int) step {
	return of(writeoff.Create, func(id uuid.UUID) (writeoff.Draft, error) {
		d, err := b.draft(n)
		if err != nil {
			return writeoff.Draft{}, err
		}
		inv := invoice.Invoice{Header: record.Header{ID: id}, Currency: d.Currency}
		return writeoff.Input{Date: d.IssueDate.AddDays(12).String(), Reason: writeoff.Reasons()[0]}.Draft(inv)
	}, func(w writeoff.WriteOff) uuid.UUID { return w.ID })
}

// remind sends the payment reminder.
func (b books) remind() step {
	return of(reminder.Send, func(id uuid.UUID) (reminder.Draft, error) { return reminder.Input{Level: "1"}.Draft(id) },
		func(r reminder.Reminder) uuid.UUID { return r.ID })
}

// credit credits some lines, or everything, some days after the invoice was issued.
func (b books) credit(n, days int, lines []credit.LineInput) step {
	return of(credit.Create, func(id uuid.UUID) (credit.Draft, error) {
		inv := invoice.Invoice{Header: record.Header{ID: id}, Lines: make([]invoice.Line, len(lines))}
		d, err := credit.Input{Lines: lines}.Draft(inv)
		d.Date = date.Today().AddDays(days - b.age(n))
		return d, err
	}, func(n credit.Note) uuid.UUID { return n.ID })
}
