package command

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/record"
)

// invoiceGroups adds the groups of similar invoices, as JSON and as lines.
func invoiceGroups(ctx context.Context, t *terminal, pool *pgxpool.Pool, tenant uuid.UUID, add func(group any, shown ...string)) error {
	return eachGroup(t, func(page record.Page) (record.List[duplicate.Group], error) {
		return duplicate.List(ctx, pool, tenant, page)
	}, func(g duplicate.Group) {
		of := g.Invoices[0]
		shown := []string{fmt.Sprintf("%d invoices for %s with the same lines and %s %s, %d days apart",
			g.Count, of.Customer.Name, of.Currency, of.Currency.Format(of.Total), g.Days)}
		for _, i := range g.Invoices {
			shown = append(shown, fmt.Sprintf("  %s  %s  %s  %s", i.ID, i.Number, i.IssueDate, i.Status))
		}
		add(g, shown...)
	})
}
