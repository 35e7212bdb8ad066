package invoice

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// PeriodClosed is the conflict of recording or changing something of a day that package closing has closed. Its member closed_through is
// the last closed day.
var PeriodClosed = conflict.Kind{
	Slug: "period-closed", Title: "Books closed",
	Meaning: "The books are closed through the day in closed_through, and what you sent is of that day or an earlier one. " +
		"Nothing was recorded. You can use the key again.",
	ToDo: "Use a later date. Credit an issued invoice instead of voiding it. To correct a closed period, reopen the books first.",
}

// UseLaterDate is the advice of operations with a date.
const UseLaterDate = "Nothing was recorded. Use a later date, or reopen the books."

// CheckOpen returns the [*conflict.Error] of [WhenClosed] if a day is closed. The zero Date is today.
func CheckOpen(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, day date.Date, field, advice string) error {
	through, err := record.One(ctx, pool, tenant, pgx.RowTo[*date.Date], `
		SELECT books_closed(@tenant_id, COALESCE(@day::date, business_day()))`, pgx.NamedArgs{"day": day})
	if err != nil || through == nil {
		return err
	}
	return errClosed(*through, field, advice)
}

// WhenClosed explains the constraint books_closed. field is the JSON Pointer of the date, or "" if the command has none, and advice is
// the text of the conflict.
func WhenClosed[C any](field, advice string) idempotency.Explanation[C] {
	return func(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, _ C, broken *pgconn.PgError) error {
		through, err := date.Parse(broken.Detail)
		if err != nil {
			return fmt.Errorf("last closed day: %w", err)
		}
		return errClosed(through, field, advice)
	}
}

// RefuseBeforeAsking explains [idempotency.LookAlike] of a table: it refuses a day that is closed, which the database does at COMMIT only,
// and else asks about the repeat, as [idempotency.Repeats]. day returns the day of a command, or the zero Date for today.
func RefuseBeforeAsking[C, R any](
	table record.Table[R], alike idempotency.Alike[R], day func(C) date.Date,
) idempotency.Explanation[C] {
	ask := idempotency.Repeats[C](table, alike)
	return func(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, command C, broken *pgconn.PgError) error {
		if err := CheckOpen(ctx, store.Pool, intent.Tenant, day(command), "/date", UseLaterDate); err != nil {
			return err
		}
		return ask(ctx, store, intent, command, broken)
	}
}

// errClosed returns the conflict of a day up to the last closed one.
func errClosed(through date.Date, field, advice string) error {
	refused := &conflict.Error{
		Kind: &PeriodClosed, Title: "The books are closed through " + through.Display() + ".", Text: advice,
		Members: map[string]string{"closed_through": through.String()},
	}
	if field != "" {
		refused.Field, refused.Blame = field, "Enter a day after "+through.Display()+"."
	}
	return refused
}
