// Package closing closes the books of a tenant through a day. The database refuses what would record or change something of a closed day:
// see migrations/00183_invoice_closings.sql.
package closing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// Closing is a stored closing.
type Closing struct {
	record.Header

	Through    date.Date `json:"through" doc:"The last closed day."`
	ReopenedAt time.Time `json:"reopened_at,omitzero" doc:"When the books were reopened."`
}

// Table is the table of closings.
var Table = record.Table[Closing]{Name: "closings", Fields: `'through', r.through, 'reopened_at', r.reopened_at`}

// Name returns the display name of a closing: "Closing through 31 Oct 2026".
func Name(c Closing) string { return "Closing through " + c.Through.Display() }

// Input is the input as text.
type Input struct {
	Through string `json:"through" format:"date" doc:"The last day to close, which must be over."`
}

// Draft is the command that closes the books.
type Draft struct {
	Through date.Date `json:"through"`
}

// Draft checks the input. It returns an [*invalid.Error] for a text that is no day.
func (in Input) Draft() (d Draft, err error) {
	var problems invalid.Error
	if d.Through, err = date.ParseEntry(in.Through); err != nil {
		problems.Add("/through", "Enter the last day to close as year-month-day from 2000 to 2099, like 2026-10-31.")
	}
	return d, problems.Err()
}

// Create closes the books through a day. It waits for transactions in progress, and no entry of a closed day follows it.
var Create = idempotency.Define(idempotency.Spec[Draft, Closing]{
	Kind: idempotency.Create, Name: "closing.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`INSERT INTO closings (tenant_id, id, through) VALUES (@tenant_id, @record_id, @through)`,
			pgx.NamedArgs{"through": d.Through})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"closings_day_once": idempotency.Taken(Table, `r.through = @through AND r.reopened_at IS NULL`,
			func(d Draft) pgx.NamedArgs { return pgx.NamedArgs{"through": d.Through} },
			func(_ Draft, first Closing) error { return alreadyClosed(first.Through, first.ID) }),
		"closings_in_order": func(
			_ context.Context, _ *idempotency.Store, _ idempotency.Intent, _ Draft, broken *pgconn.PgError,
		) error {
			through, err := date.Parse(broken.Detail)
			if err != nil {
				return fmt.Errorf("last closed day: %w", err)
			}
			return alreadyClosed(through, uuid.Nil)
		},
		"closings_of_past": idempotency.Invalid[Draft]("/through", "Enter a day that is over: yesterday or earlier."),
	},
})

// Reopen takes the last closing back.
var Reopen = idempotency.Define(idempotency.Spec[struct{}, Closing]{
	Kind: idempotency.Transition, Name: "closing.reopen", Table: Table, Made: `r.reopened_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE closings SET reopened_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"closings_in_order": idempotency.Always[struct{}](func() error {
			return &conflict.Error{
				Kind: &NotLast, Title: "The books are closed through a later day.", Text: "Reopen that closing first. Nothing was changed.",
			}
		}),
	},
})

// Taken is the conflict of closing a day that is closed.
var Taken = conflict.Kind{
	Slug: "already-closed", Title: "Already closed",
	Meaning: "The books are already closed through that day or a later one. Nothing was changed. You can use the key again.",
	ToDo:    "Close the books through a later day, or keep them as they are.",
}

// NotLast is the conflict of reopening a closing while a later day is closed.
var NotLast = conflict.Kind{
	Slug: "not-the-last-closing", Title: "Not the last closing",
	Meaning: "The books are closed through a later day by another closing. Nothing was changed.",
	ToDo:    "Reopen the last closing first.",
}

func alreadyClosed(through date.Date, id uuid.UUID) error {
	return &conflict.Error{
		Kind: &Taken, Title: "The books are already closed through " + through.Display() + ".", Text: "Nothing was changed.", Existing: id,
		Name: Name(Closing{Through: through}), Field: "/through", Blame: "Enter a day after " + through.Display() + ".",
	}
}

// Rules returns the uniqueness rules of closings.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "closings_day_once", Optional: true,
		Sentence: "The books of a business are closed through a day once, until they are reopened.",
		Answer:   "Refused, and the first closing is kept.",
		Conflict: &Taken,
	}}
}

// List returns a page of the closings of a tenant, newest first, including reopened ones.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Closing], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}

// Last returns the last closed day of a tenant, or the zero date if the books are open.
func Last(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) (date.Date, error) {
	last, err := record.One(ctx, pool, tenant, pgx.RowTo[*date.Date], `SELECT books_closed(@tenant_id, '2000-01-01')`, nil)
	if last == nil {
		return date.Date{}, err
	}
	return *last, err
}
