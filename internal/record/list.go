package record

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Key is the place of a record in an order: what the list is sorted by, and what tells equal ones apart, as text. A
// list goes on from a key, whether or not its record is still there.
type Key [2]string

// Page says which part of a list is wanted: at most Limit records behind a key, or before it. The zero From is
// the start.
type Page struct {
	Limit int // 1 to 100
	From  Key
	Back  bool // those before From in place of those behind it
}

// List is a page of a list, in the list's order.
type List[R any] struct {
	Rows []R
	// Before and After are where one goes on from; the zero Key where there is nothing more.
	Before, After Key
	// Whole are those words of a search of which only whole ones were looked for, as too many words begin like them.
	Whole []string
}

// ErrKey says that a [Page] begins at a [Key] of another order.
var ErrKey = errors.New("key of another order")

// ErrTooMany says that more rows match than are sorted in the wanted order.
var ErrTooMany = errors.New("too many rows to sort")

// MaxRows is more than any page may have. A list says so in its SQL: of a limit that comes as an argument PostgreSQL
// only knows that it may be large, and would plan the statement anew for every page.
const MaxRows = "201"

// List gives a page of the records for which a condition on the row r holds, newest first. The primary key, or an
// index that has the id last, serves every page at the same cost.
func (t Table[R]) List(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page Page, where string, args pgx.NamedArgs,
) (List[R], error) {
	from, err := page.id()
	if err != nil {
		return List[R]{}, err
	}
	sql := `
		SELECT id, json FROM (
			SELECT r.id, ` + t.JSON() + ` AS json FROM ` + t.Name + ` r
			WHERE r.tenant_id = @tenant_id AND r.id < @from AND ` + where + `
			ORDER BY r.id DESC LIMIT ` + MaxRows + `) AS page
		ORDER BY id DESC LIMIT @limit`
	if page.Back {
		sql = `
		SELECT id, json FROM (
			SELECT r.id, ` + t.JSON() + ` AS json FROM ` + t.Name + ` r
			WHERE r.tenant_id = @tenant_id AND r.id > @from AND ` + where + `
			ORDER BY r.id LIMIT ` + MaxRows + `) AS page
		ORDER BY id LIMIT @limit`
	}
	named := pgx.NamedArgs{"from": from, "limit": page.Limit + 1}
	maps.Copy(named, args)
	rows, err := Collect(ctx, pool, tenant, pgx.RowToStructByPos[identified[R]], sql, named)
	found := make([]keyed[R], len(rows))
	for i, row := range rows {
		found[i] = keyed[R]{Key{"", row.ID.String()}, row.Record}
	}
	return cut(page, found, Key{}), err
}

type identified[R any] struct {
	ID     uuid.UUID
	Record R
}

// id is the id that a page of a list begins behind that is sorted by it.
func (p Page) id() (uuid.UUID, error) {
	if p.From == (Key{}) {
		return uuid.Max, nil
	}
	id, err := uuid.Parse(p.From[1])
	if err != nil || p.From[0] != "" {
		return id, ErrKey
	}
	return id, nil
}

// keyed is a record with its place in the order.
type keyed[R any] struct {
	Key    Key `json:"key"`
	Record R   `json:"record"`
}

// cut makes a page of rows that were read in its direction, one more than it may have where there are more of them.
// frontier is how far was looked, if there may be more behind it; the zero Key if all was looked at.
func cut[R any](p Page, found []keyed[R], frontier Key) (list List[R]) {
	end := frontier
	if len(found) > p.Limit {
		found = found[:p.Limit]
		end = found[p.Limit-1].Key
	}
	if p.Back {
		slices.Reverse(found)
	}
	for _, row := range found {
		list.Rows = append(list.Rows, row.Record)
	}
	switch {
	case p.Back:
		list.Before = end
		if len(found) > 0 {
			list.After = found[len(found)-1].Key
		}
	default:
		list.After = end
		if len(found) > 0 && p.From != (Key{}) {
			list.Before = found[0].Key
		}
	}
	return list
}

// Cut makes a page of rows that were read in its direction: at most Limit of them, and where the list goes on if there are
// more. key gives the place of a row.
func Cut[R any](page Page, rows []R, key func(R) Key) List[R] { return CutAt(page, rows, key, Key{}) }

// CutAt is Cut for rows that were picked out of all those up to a frontier, behind which there may be more; the zero Key if all
// were looked at.
func CutAt[R any](page Page, rows []R, key func(R) Key, frontier Key) List[R] {
	found := make([]keyed[R], len(rows))
	for i, row := range rows {
		found[i] = keyed[R]{key(row), row}
	}
	return cut(page, found, frontier)
}
