// Package series sets the pattern of the numbers of invoices, and the next numbers of the series of invoices and credit notes.
package series

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// Next is a number that was set as the next one of its series. The newest one for a series and year is effective.
type Next struct {
	record.Header

	Number string `json:"number"` // such as 2026-0139 or CN-2026-0012
}

// Table is the table of numbers that were set.
var Table = record.Table[Next]{Name: "next_numbers", Fields: `'number', r.number`}

// Input is the input as text.
type Input struct {
	Number string `json:"number" doc:"The number of the next invoice or credit note, like 2026-0139 or CN-2026-0012."`
}

// Draft is the command that sets the next number.
type Draft struct {
	Number string `json:"number"`
}

// Draft checks the input. It returns an [*invalid.Error] for a number that no invoice can have. [Set] refuses one of no series.
func (in Input) Draft() (Draft, error) {
	d := Draft{strings.ToUpper(invoice.Number(strings.Join(strings.Fields(in.Number), " ")).Folded())}
	if d.Number == "" || len(d.Number) > invoice.MaxNumber {
		return d, refusal("Enter the whole number, like the numbers of your invoices, or CN-2026-0012 for a credit note.")
	}
	return d, nil
}

func refusal(message string) error { return refuse("/number", message) }

func refuse(pointer, message string) error {
	var problems invalid.Error
	problems.Add(pointer, message)
	return problems.Err()
}

// Set sets the next number of a series, which must be free.
var Set = idempotency.Define(idempotency.Spec[Draft, Next]{
	Kind: idempotency.Create, Name: "next_number.set", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`INSERT INTO next_numbers (tenant_id, id, number) VALUES (@tenant_id, @record_id, @number)`,
			pgx.NamedArgs{"number": d.Number})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"next_numbers_of_a_series": func(
			_ context.Context, _ *idempotency.Store, _ idempotency.Intent, _ Draft, broken *pgconn.PgError,
		) error {
			return refusal("Enter the whole number, like " + broken.Detail + " for an invoice or CN-2026-0012 for a credit note.")
		},
		"next_numbers_free": func(
			_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError,
		) error {
			return refusal(d.Number + " can't be the next number: it's taken, or behind one that is. Without a change, the next is " +
				broken.Detail + ".")
		},
	},
})

// List returns a page of the numbers that were set, newest first.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Next], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}

// Of returns the numbers that the next invoice and the next credit note of a year would get now.
func Of(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, year int) ([]string, error) {
	return record.One(ctx, pool, tenant, pgx.RowTo[[]string], `
		SELECT ARRAY[next_number_by_pattern(@tenant_id, @year), 'CN-' || format_invoice_number(@year, COALESCE((
			SELECT greatest(last + 1, start) FROM credit_note_series WHERE tenant_id = @tenant_id AND year = @year), 1))]`,
		pgx.NamedArgs{"year": year})
}
