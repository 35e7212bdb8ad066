package invoice

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// Dated is the number of an invoice with its issue date.
type Dated struct {
	Number    string
	IssueDate date.Date
}

var trailingDigits = regexp.MustCompile(`[0-9]{1,15}$`)

// OutOfOrder returns the issued invoices of the same year that have the number before that of an invoice and a later date, or the number
// after it and an earlier date. It returns none for a number that doesn't end with digits.
func OutOfOrder(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, inv Invoice) ([]Dated, error) {
	folded := Number(inv.Number).Folded()
	digits := trailingDigits.FindString(folded)
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil, nil //nolint:nilerr // there are no digits
	}
	beside := func(n int) string { return fmt.Sprintf("%s%0*d", folded[:len(folded)-len(digits)], len(digits), n) }
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Dated], `
		SELECT i.number, i.issue_date FROM (VALUES (@before::text, true), (@after, false)) AS beside (number, before), LATERAL (
			SELECT number, issue_date FROM invoices
			WHERE tenant_id = @tenant_id AND issue_year = @year AND number_folded = beside.number AND issued_at IS NOT NULL LIMIT 1) AS i
		WHERE CASE WHEN beside.before THEN i.issue_date > @day::date ELSE i.issue_date < @day END
		ORDER BY i.number`,
		pgx.NamedArgs{"before": beside(n - 1), "after": beside(n + 1), "year": inv.IssueDate.Time().Year(), "day": inv.IssueDate.Time()})
}
