package invoiceroom

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/record"
	"onlyonce/internal/room"
)

// duplicates lists the groups of similar invoices.
func duplicates(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (list record.List[room.Group], err error) {
	found, err := duplicate.List(ctx, pool, tenant, page)
	list.After = found.After
	for _, g := range found.Rows {
		of := g.Invoices[0]
		lines := []string{fmt.Sprintf("%d invoices for %s with the same lines and %s %s, %d days apart",
			g.Count, of.Customer.Name, of.Currency, of.Currency.Format(of.Total), g.Days)}
		for _, i := range g.Invoices {
			lines = append(lines, fmt.Sprintf("  %s  %s  %s  %s", i.ID, i.Number, i.IssueDate, i.Status))
		}
		list.Rows = append(list.Rows, room.Group{JSON: g, Lines: lines})
	}
	return list, err
}
