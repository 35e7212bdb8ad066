package search

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Names reads the display names of referenced records, and finds the records by their words. Their table also has the columns version,
// created_at and archived_at.
type Names struct {
	record.Names

	Words Words
}

// Offer returns records for a choice, newest first: those that a search finds, or all without one, except the archived ones.
func (n Names) Offer(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, search string, limit int,
) (list record.List[record.Reference], err error) {
	const where = `r.archived_at IS NULL`
	table := record.Table[record.Reference]{Name: n.Table, Fields: `'name', r.` + n.Column}
	page := record.Page{Limit: limit}
	if search == "" {
		return record.ListBy(ctx, pool, table, tenant, page, where, nil)
	}
	terms, err := n.Words.Terms(ctx, pool, tenant, search)
	if err != nil || len(terms) == 0 {
		return list, err
	}
	id := Column{Name: "id", Type: "uuid"}
	return Query[record.Reference]{
		Table: n.Table, Shown: table.JSON(), Where: where, Args: pgx.NamedArgs{}, Terms: terms, Words: n.Words,
		Order: Order{Columns: [2]Column{id, id}, Descending: true},
	}.List(ctx, pool, tenant, page)
}
