package invoice

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/postgres"
)

// Ref points to an invoice that stands in the way.
type Ref struct {
	ID        uuid.UUID
	Number    string
	CreatedAt time.Time // UTC
}

// NumberTakenError says that another invoice of that year has the number.
type NumberTakenError struct {
	Existing Ref
	Next     string // the next free number of the series
}

func (e *NumberTakenError) Error() string {
	return "invoice number " + e.Existing.Number + " already exists"
}

// RepeatError says that an invoice with the same customer, currency and lines was just created.
type RepeatError struct{ Existing Ref }

func (e *RepeatError) Error() string { return "looks like invoice " + e.Existing.Number }

// explain says in the words of the domain which rule was broken.
func explain(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	var problems invalid.Error
	switch broken.ConstraintName {
	case "invoices_customer":
		problems.Add("/customer_id", "This customer does not exist. Choose another one.")
		return problems.Err()
	case "invoices_number_ascii", "invoices_number_of_its_year":
		// Only if the database folds a character otherwise than we do.
		problems.Add("/number", "Choose another number, or leave it blank for the next one.")
		return problems.Err()
	case "invoices_likeness":
		earlier, err := ref(ctx, store, intent.Tenant, `id = @id::uuid`, pgx.NamedArgs{"id": broken.Detail})
		if err != nil {
			return unavailable(err)
		}
		return &RepeatError{earlier}
	case "invoices_number_once_per_year":
		return numberTaken(ctx, store, intent, d)
	default:
		return nil
	}
}

func numberTaken(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft) error {
	existing, err := ref(ctx, store, intent.Tenant, `issue_year = @year AND number_folded = fold_invoice_number(@number)`,
		pgx.NamedArgs{"year": d.IssueDate.Year(), "number": string(d.Number)})
	if err != nil {
		return unavailable(err)
	}
	next, err := NextNumber(ctx, store.Pool, intent.Tenant, d.IssueDate.Year())
	if err != nil {
		return unavailable(err)
	}
	return &NumberTakenError{existing, next}
}

func ref(ctx context.Context, store *idempotency.Store, tenant uuid.UUID, where string, args pgx.NamedArgs) (Ref, error) {
	return postgres.One(ctx, store.Pool, tenant, pgx.RowToStructByPos[Ref],
		`SELECT id, number, created_at FROM invoices WHERE tenant_id = @tenant_id AND `+where, args)
}

// unavailable: the rule was broken and nothing was created, but what stands in the way cannot be
// read now.
func unavailable(err error) error { return fmt.Errorf("%w: %w", idempotency.ErrUnavailable, err) }
