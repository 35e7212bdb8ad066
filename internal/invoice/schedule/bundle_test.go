package schedule_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customertest"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a separate database with one tenant, which has one customer.
type bundle struct {
	*invoicetest.Bundle

	customer uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := invoicetest.Setup(t)
	return &bundle{b, customertest.New(t, b.Store, b.Tenant)}
}

// monthly returns a schedule that bills each month from 31 January 2090 on, issues the invoices and catches up.
func (b *bundle) monthly() schedule.Input {
	return schedule.Input{
		CustomerID: b.customer.String(), Currency: "EUR", Every: "1", Unit: schedule.Month, FirstDay: "2090-01-31",
		BillAs: schedule.AsIssued, Missed: schedule.Each,
		Lines: []invoice.LineInput{{Description: "Support", Quantity: "1", UnitPrice: "90.00", TaxRate: "23"}},
	}
}

func (b *bundle) create(key string, in schedule.Input) schedule.Schedule {
	b.Helper()
	done, err := schedule.Create.Do(b.Context(), b.Store, b.Intent(key), b.draft(in))
	must.OK(b, err)
	return done.Value
}

func (b *bundle) draft(in schedule.Input) schedule.Draft {
	b.Helper()
	d, err := in.Draft()
	must.OK(b, err)
	return d
}

// edit replaces the current state of a schedule.
func (b *bundle) edit(key string, id uuid.UUID, in schedule.Input) error {
	b.Helper()
	_, err := schedule.Edit.Do(b.Context(), b.Store, b.Of(key, id, b.find(id).Version), b.draft(in))
	return err
}

// bring runs a transition of a schedule.
func (b *bundle) bring(key string, id uuid.UUID, into idempotency.Operation[struct{}, schedule.Schedule]) {
	b.Helper()
	b.OK(into.Do(b.Context(), b.Store, b.Of(key, id, 0), struct{}{}))
}

func (b *bundle) find(id uuid.UUID) schedule.Schedule {
	b.Helper()
	s, err := record.Find(b.Context(), b.Store.Pool, schedule.Table, b.Tenant, id)
	must.OK(b, err)
	return s
}

// run runs a clockwork whose clock is at noon of a day.
func (b *bundle) run(day string) {
	b.Helper()
	must.OK(b, b.clockwork(b.Store, day).Run(b.Context(), b.Tenant))
}

func (b *bundle) clockwork(store *idempotency.Store, today string) schedule.Clockwork {
	b.Helper()
	now := day(b, today).Time().Add(12 * time.Hour)
	return schedule.Clockwork{Store: store, Now: func() time.Time { return now }}
}

// byHand bills a period as a user does.
func (b *bundle) byHand(key string, id uuid.UUID, period string) (idempotency.Done[schedule.Period], error) {
	b.Helper()
	command, err := schedule.BillInput{Period: period}.Billing(b.find(id))
	if err != nil {
		return idempotency.Done[schedule.Period]{}, err
	}
	return schedule.Bill.Do(context.Background(), b.Store, b.Intent(key), command)
}

// wantPeriods compares the days of all billed periods, and checks that each has an invoice of that day and that there are no other
// invoices.
func (b *bundle) wantPeriods(want ...string) {
	b.Helper()
	got := storetest.Value[string](b, `
		SELECT COALESCE(string_agg(p.period::text, ' ' ORDER BY p.period, p.schedule_id), '') FROM schedule_periods p
		JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.id AND i.issue_date = p.period`)
	assert.Thatf(b, got == strings.Join(want, " "), "billed are %s, want %v", got, want)
	assert.Equal(b, storetest.Value[int](b, `SELECT count(*) FROM invoices`), len(want), "invoices")
}

// wantMails checks the number of queued mails, and that each has its job.
func (b *bundle) wantMails(want int) {
	b.Helper()
	mails := storetest.Value[int](b, `SELECT count(*) FROM mails`)
	jobs := storetest.Value[int](b, `SELECT count(*) FROM river.river_job WHERE kind = 'mail'`)
	assert.Thatf(b, mails == want && jobs == want, "%d mails and %d jobs, want %d", mails, jobs, want)
}
