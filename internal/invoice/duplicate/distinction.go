package duplicate

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	customers "onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// Distinction is a user's statement that similar invoices are all different.
type Distinction struct {
	record.Header

	Invoices []record.Reference `json:"invoices" doc:"Each by its number."`
}

// Distinctions is the table of distinctions.
var Distinctions = record.Table[Distinction]{Name: "invoice_distinctions", Fields: `
	'invoices', ` + customers.References(invoice.Numbers, "invoice_ids")}

// NameApart returns the display name of a distinction: "2026-0012, 2026-0013".
func NameApart(d Distinction) string { return customers.Joined(d.Invoices) }

// ApartInput is the input of a distinction as text.
type ApartInput struct {
	Invoices []string `json:"invoice_ids" doc:"The IDs of 2 to 20 records that are all different from each other."`
}

// ApartDraft is the command that stores invoices as no duplicates.
type ApartDraft struct {
	Invoices []uuid.UUID `json:"invoices"` // sorted
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in ApartInput) Draft() (ApartDraft, error) {
	var problems invalid.Error
	d := ApartDraft{customers.CheckIDs("/invoice_ids", "invoice", in.Invoices, &problems)}
	return d, problems.Err()
}

// KeepApart stores that similar invoices are all different.
var KeepApart = idempotency.Define(idempotency.Spec[ApartDraft, Distinction]{
	Kind: idempotency.Create, Name: "invoice.keep_apart", Table: Distinctions,
	Statements: func(tx *idempotency.Tx, d ApartDraft) idempotency.Result {
		return customers.Distinguish(tx, "invoice", d.Invoices)
	},
	Explain: map[string]idempotency.Explanation[ApartDraft]{
		"invoice_distinct_pairs_one":   notThere,
		"invoice_distinct_pairs_other": notThere,
	},
})

var notThere = idempotency.Invalid[ApartDraft]("/invoice_ids", "One of these invoices doesn't exist.")

// Apart returns a page of the distinctions of a tenant.
func Apart(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Distinction], error) {
	return record.ListBy(ctx, pool, Distinctions, tenant, page, `true`, nil)
}

// Of returns the invoices with the ids, oldest first.
func Of(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []string) ([]invoice.Summary, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return record.Collect(ctx, pool, tenant, pgx.RowTo[invoice.Summary], `
		SELECT `+invoice.Summaries.JSON()+` FROM invoices r
		WHERE r.tenant_id = @tenant_id AND r.id = ANY (@ids::uuid[]) ORDER BY r.id LIMIT 20`, pgx.NamedArgs{"ids": ids})
}

// KeptFor returns the newest ten invoices that were voided as duplicates of the kept one.
func KeptFor(ctx context.Context, pool *pgxpool.Pool, tenant, kept uuid.UUID) ([]invoice.Summary, error) {
	list, err := record.ListBy(ctx, pool, invoice.Summaries, tenant, record.Page{Limit: 10}, `r.duplicate_of = @kept`,
		pgx.NamedArgs{"kept": kept})
	return list.Rows, err
}
