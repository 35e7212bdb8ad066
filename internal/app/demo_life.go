package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"onlyonce/internal/credit"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/refund"
)

// step is one thing that happens to a demo invoice, by an operation of the app under the key of its week.
type step struct {
	do   func(context.Context, *idempotency.Store, idempotency.Intent) (uuid.UUID, error)
	used func(context.Context, *idempotency.Store, uuid.UUID, idempotency.Key) (uuid.UUID, bool, error)
}

// of is a step that carries out an operation. The command is about the record of the step before, and record tells from
// the result which one the next step is about.
func of[C, R any](op idempotency.Operation[C, R], command func(of uuid.UUID) (C, error), record func(R) uuid.UUID) step {
	return step{used: op.Used, do: func(ctx context.Context, store *idempotency.Store, intent idempotency.Intent) (uuid.UUID, error) {
		c, err := command(intent.Record)
		if err != nil {
			return uuid.Nil, err
		}
		done, err := op.Do(ctx, store, intent, c)
		// Another replica, which started on another day, has just done it.
		if mismatch, ok := errors.AsType[*idempotency.MismatchError](err); ok {
			return mismatch.Record, nil
		}
		if before, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
			return before.Record, nil
		}
		return record(done.Value), err
	}}
}

// life is what happens to the invoice of one week: the newest are drafts, then issued ones follow, of which some are
// overdue, then such that are paid in part, and the oldest are paid. One is credited, and of one payment some is refunded.
func (t demoTenant) life(week int) []step {
	invoiceID := func(inv invoice.Invoice) uuid.UUID { return inv.ID }
	steps := []step{of(invoice.Create, func(uuid.UUID) (invoice.Draft, error) { return t.draft(week) }, invoiceID)}
	nothing := func(uuid.UUID) (struct{}, error) { return struct{}{}, nil }
	age := demoWeeks - week
	if age > 2 {
		steps = append(steps, of(invoice.Issue, nothing, invoiceID))
	}
	switch {
	case age <= 2:
	case week%8 == 5:
		steps = append(steps, of(invoice.Void, nothing, invoiceID))
	case age > 12:
		steps = append(steps, t.pay(week, 1))
		if week == 2 {
			steps = append(steps, t.refund(week, 4))
		}
	case week == 15:
		steps = append(steps, t.credit())
	case age > 7 && week%2 == 0:
		steps = append(steps, t.pay(week, 3))
	}
	return steps
}

// share is what is billed in a week, divided by part.
func (t demoTenant) share(week int, part int64) (d invoice.Draft, amount string, err error) {
	if d, err = t.draft(week); err != nil {
		return d, "", err
	}
	totals, err := invoice.TotalsOf(d.Lines)
	return d, d.Currency.Format(totals.Total / part), err
}

// pay records one payment, of the whole divided by part.
func (t demoTenant) pay(week int, part int64) step {
	return of(payment.Create, func(id uuid.UUID) (payment.Draft, error) {
		d, amount, err := t.share(week, part)
		if err != nil {
			return payment.Draft{}, err
		}
		return payment.Input{
			Amount: amount, Date: d.IssueDate.AddDays(12).String(), Method: payment.Methods()[week%2],
			Provider: "bank", Reference: fmt.Sprintf("%s-%02d", t.currency, week+1),
		}.Draft(id, d.Currency)
	}, func(p payment.Payment) uuid.UUID { return p.ID })
}

// refund gives back, of the payment, what was billed divided by part.
func (t demoTenant) refund(week int, part int64) step {
	return of(refund.Create, func(id uuid.UUID) (refund.Draft, error) {
		d, amount, err := t.share(week, part)
		if err != nil {
			return refund.Draft{}, err
		}
		paid := payment.Payment{Header: record.Header{ID: id}, Currency: d.Currency}
		return refund.Input{Amount: amount, Date: d.IssueDate.AddDays(20).String()}.Draft(paid)
	}, func(f refund.Refund) uuid.UUID { return f.ID })
}

// credit credits everything.
func (t demoTenant) credit() step {
	return of(credit.Create, func(id uuid.UUID) (credit.Draft, error) {
		return credit.Input{}.Draft(invoice.Invoice{Header: record.Header{ID: id}})
	}, func(n credit.Note) uuid.UUID { return n.ID })
}

// missing lists the weeks of which something has not happened yet.
func (t demoTenant) missing(ctx context.Context, store *idempotency.Store) (weeks []int, err error) {
	for week := range demoWeeks {
		key, err := idempotency.ParseKey(demoKey(week))
		if err != nil {
			return nil, err
		}
		steps := t.life(week)
		_, used, err := steps[len(steps)-1].used(ctx, store, t.id, key)
		if err != nil {
			return nil, err
		}
		if !used {
			weeks = append(weeks, week)
		}
	}
	return weeks, nil
}

// live takes the invoice of a week through its life, from wherever it is.
func (t demoTenant) live(ctx context.Context, store *idempotency.Store, week int) error {
	key, err := idempotency.ParseKey(demoKey(week))
	if err != nil {
		return err
	}
	intent := idempotency.Intent{Tenant: t.id, Key: key, Actor: "demo"}
	for _, step := range t.life(week) {
		id, err := step.do(ctx, store, intent)
		if err != nil {
			return err
		}
		intent.Record = id
	}
	return nil
}
