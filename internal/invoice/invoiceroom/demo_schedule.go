package invoiceroom

import (
	"context"
	"errors"
	"time"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/value/date"
)

// repeat creates a schedule with two due periods, and bills them.
func (b books) repeat(ctx context.Context, store *idempotency.Store) (news bool, err error) {
	key, err := idempotency.ParseKey("demo-schedule")
	if err != nil {
		return false, err
	}
	if _, used, err := schedule.Create.Used(ctx, store, b.ID, key); err != nil || used {
		return false, err // the job bills the rest
	}
	first, err := idempotency.ParseKey("demo-customer-1")
	if err != nil {
		return false, err
	}
	billed, _, err := customer.Upsert.Used(ctx, store, b.ID, first)
	if err != nil {
		return false, err
	}
	line := b.work[0]
	line.TaxRate = b.Business.TaxRate
	d, err := schedule.Input{
		CustomerID: billed.String(), Currency: b.Business.Currency, Lines: []invoice.LineInput{line}, Every: "1", Unit: schedule.Month,
		FirstDay: date.Today().AddDays(-35).String(), BillAs: schedule.AsIssued, Missed: schedule.Each, //nolint:mnd // two periods ago
	}.Draft()
	if err != nil {
		return false, err
	}
	_, err = schedule.Create.Do(ctx, store, idempotency.Intent{Tenant: b.ID, Key: key, Actor: "demo"}, d)
	if _, others := errors.AsType[*idempotency.MismatchError](err); others { // a replica started on another day
		err = nil
	}
	if err != nil {
		return false, err
	}
	return true, schedule.Clockwork{Store: store, Now: time.Now}.Run(ctx, b.ID)
}
