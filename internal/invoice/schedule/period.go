package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// Period is a billed period. Its id is the id of its invoice.
type Period struct {
	record.Header
	record.Alike // another invoice

	ScheduleID uuid.UUID `json:"schedule_id"`
	Day        date.Date `json:"period"` // its due day, which is the date of the invoice
	InvoiceID  uuid.UUID `json:"invoice_id"`
	Number     string    `json:"number"` // of the invoice
	Status     string    `json:"status"` // of the invoice
}

// Periods is the table of the periods of all schedules.
var Periods = record.Table[Period]{Name: "schedule_periods", Fields: `
	'schedule_id', r.schedule_id, 'period', r.period, 'invoice_id', r.id,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.id),
	'status', (SELECT i.state FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.id)`}

// PeriodName returns the display name of a period: the number of its invoice.
func PeriodName(p Period) string { return p.Number }

// Rules returns the uniqueness rules of periods.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "schedule_periods_once",
		Sentence:   "One invoice per schedule and period, permanently.",
		Answer:     "The period's invoice is kept. Billing the period again leads to it.",
	}}
}

// BillInput is the input to bill a period as text.
type BillInput struct {
	Period string `json:"period" format:"date" doc:"One of the schedule's days, at most a year after the next one."`
}

// Billing is the command that bills a period.
type Billing struct {
	ScheduleID uuid.UUID `json:"schedule_id"`
	Period     date.Date `json:"period"`
}

// ahead is the maximum number of days after the next period in which a period can be billed by hand.
const ahead = 366

// Billing checks the input for a schedule. It returns an [*invalid.Error] with all mistakes.
func (in BillInput) Billing(s Schedule) (Billing, error) {
	day, err := date.ParseEntry(strings.TrimSpace(in.Period))
	if err != nil {
		return Billing{}, wrong("/period", "Enter the day of the period as year-month-day, like 2026-12-01.")
	}
	if s.NextDay.AddDays(ahead).Before(day) {
		return Billing{}, wrong("/period", "Choose the next period, "+s.NextDay.String()+", an earlier one, or one of the year behind it.")
	}
	return Billing{s.ID, day}, nil
}

// Bill bills a period, or finds its invoice. The transaction creates the invoice, issues it if the schedule requires that, queues its
// mail, and stores the period. It locks the schedule, so concurrent attempts to bill, pause or edit it wait.
var Bill = idempotency.Define(idempotency.Spec[Billing, Period]{
	Kind: idempotency.Upsert, Name: "schedule.bill", Table: Periods,
	Run: billAs("schedule.bill"), Explain: explainBilling(), Fields: billingFields,
})

// BillDue is the operation of the clock, which derives its keys from schedule and period. Clients can't use it, or take its keys.
var BillDue = idempotency.Define(idempotency.Spec[Billing, Period]{
	Kind: idempotency.Upsert, Name: "schedule.bill_due", Table: Periods,
	Run: billAs("schedule.bill_due"), Explain: explainBilling(), Fields: billingFields,
})

func explainBilling() map[string]idempotency.Explanation[Billing] {
	return map[string]idempotency.Explanation[Billing]{
		"schedule_periods_schedule": idempotency.Missing[Billing],
		"schedule_periods_invoice":  idempotency.Missing[Billing],
		"books_closed": invoice.WhenClosed[Billing]("",
			"The period can't be billed as an issued invoice. Bill it as a draft, or reopen the books. Nothing was billed."),
	}
}

func billingFields(b Billing) []slog.Attr {
	return []slog.Attr{slog.String("schedule", b.ScheduleID.String()), slog.String("period", b.Period.String())}
}

// billAs returns the work of an operation that bills a period.
func billAs(operation string) func(context.Context, pgx.Tx, idempotency.Intent, Billing) (Period, error) {
	return func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, b Billing) (Period, error) {
		return bill(ctx, tx, operation, i, b)
	}
}

func bill(ctx context.Context, tx pgx.Tx, operation string, i idempotency.Intent, b Billing) (Period, error) {
	args := pgx.NamedArgs{"tenant_id": i.Tenant, "schedule_id": b.ScheduleID, "period": b.Period, "record_id": i.Record}
	if _, err := tx.Exec(ctx, `SELECT FROM schedules WHERE tenant_id = @tenant_id AND id = @schedule_id FOR UPDATE`, args); err != nil {
		return Period{}, fmt.Errorf("lock the schedule: %w", err)
	}
	s, err := record.FindIn(ctx, tx, Table, i.Tenant, b.ScheduleID)
	if err != nil {
		return Period{}, err
	}
	billed := i.Record
	err = tx.QueryRow(ctx, `
		SELECT id FROM schedule_periods
		WHERE tenant_id = @tenant_id AND schedule_id = @schedule_id AND period = @period`, args).Scan(&billed)
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.bill(ctx, tx, operation, i, b.Period)
	}
	if err == nil {
		err = s.advance(ctx, tx, args, b.Period)
	}
	if err != nil {
		return Period{}, err
	}
	return record.FindIn(ctx, tx, Periods, i.Tenant, billed)
}

// bill creates the invoice of a period that has no invoice yet.
func (s Schedule) bill(ctx context.Context, tx pgx.Tx, operation string, i idempotency.Intent, period date.Date) error {
	if err := s.Billable(period); err != nil {
		return err
	}
	draft, err := s.invoice(period)
	if err != nil {
		return err
	}
	if _, err := invoice.CreateIn(ctx, tx, operation, i, draft); err != nil {
		return err
	}
	if s.BillAs == AsIssued {
		if err := invoice.IssueIn(ctx, tx, operation, i, i.ID(2)); err != nil { // the first is for a new customer
			return err
		}
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO schedule_periods (tenant_id, id, schedule_id, period) VALUES (@tenant_id, @record_id, @schedule_id, @period)`,
		pgx.NamedArgs{"tenant_id": i.Tenant, "schedule_id": s.ID, "period": period, "record_id": i.Record})
	return err
}

// advance sets the clock to the next unbilled period after a period was billed. It skips earlier ones, if the schedule requires that.
func (s Schedule) advance(ctx context.Context, tx pgx.Tx, args pgx.NamedArgs, period date.Date) error {
	next := s.NextDay
	if s.Missed == Latest && !period.Before(next) {
		next = s.After(period)
	}
	args["next"] = next
	rows, err := tx.Query(ctx, `
		SELECT period FROM schedule_periods
		WHERE tenant_id = @tenant_id AND schedule_id = @schedule_id AND period >= @next ORDER BY period`, args)
	if err != nil {
		return fmt.Errorf("read what was billed: %w", err)
	}
	billed, err := pgx.CollectRows(rows, pgx.RowTo[date.Date])
	if err != nil {
		return fmt.Errorf("read what was billed: %w", err)
	}
	for _, day := range billed {
		if day == next {
			next = s.After(next)
		}
	}
	args["next"] = next
	_, err = tx.Exec(ctx, `
		UPDATE schedule_clocks SET next_day = @next, failure = '', failed_at = NULL
		WHERE tenant_id = @tenant_id AND schedule_id = @schedule_id AND next_day <> @next`, args)
	return err
}

// Stopped is the conflict of billing a schedule that is paused or archived.
var Stopped = conflict.Kind{
	Slug: "schedule-stopped", Title: "Schedule paused or archived",
	Meaning: "A paused or archived schedule bills nothing. Nothing was billed. You can use the key again.",
	ToDo:    "Resume or restore the schedule first.",
}

// Billable returns nil if a day is a period that can be billed. Otherwise it returns a [*conflict.Error] for a stopped schedule, or an
// [*invalid.Error].
func (s Schedule) Billable(period date.Date) error {
	switch {
	case s.Stopped():
		return &conflict.Error{
			Kind: &Stopped, Title: "This schedule is paused or archived.", Text: "Nothing was billed. Resume or restore it first.",
		}
	case !s.Has(period):
		return wrong("/period", "This isn't one of the schedule's days. Choose one of its periods.")
	default:
		return nil
	}
}
