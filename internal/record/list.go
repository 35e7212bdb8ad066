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

// Key is the place of a record in an order: what the list is sorted by, and what distinguishes equal ones, as text. A
// list goes on from a key, whether or not its record is still there.
type Key [2]string

// Page is the part of a list that is wanted: at most Limit records behind a key, or before it. The zero From is
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

// ErrKey is the error of a [Page] that begins at a [Key] of another order.
var ErrKey = errors.New("key of another order")

// MaxRows is more than any page may have. A list says so in its SQL: of a limit that comes as an argument PostgreSQL
// only knows that it may be large, and would plan the statement anew for every page.
const MaxRows = "201"

// List returns a page of the records for which a condition on the row r holds, newest first. The primary key, or an
// index that has the id last, serves every page at the same cost.
func (t Table[R]) List(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page Page, where string, args pgx.NamedArgs,
) (List[R], error) {
	texts, err := listJSON(ctx, pool, tenant, t.Name, t.JSON(), page, where, args)
	list := List[R]{Before: texts.Before, After: texts.After}
	for _, text := range texts.Rows {
		row, err := decoded[R](text, nil)
		if err != nil {
			return list, err
		}
		list.Rows = append(list.Rows, row)
	}
	return list, err
}

// listJSON is [Table.List] of a table by its name, with the JSON of each row.
func listJSON(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, table, json string, page Page, where string, args pgx.NamedArgs,
) (list List[[]byte], err error) {
	from, err := page.ID()
	if err != nil {
		return list, err
	}
	sql := `
		SELECT id, json FROM (
			SELECT r.id, ` + json + ` AS json FROM ` + table + ` r
			WHERE r.tenant_id = @tenant_id AND r.id < @from AND ` + where + `
			ORDER BY r.id DESC LIMIT ` + MaxRows + `) AS page
		ORDER BY id DESC LIMIT @limit`
	if page.Back {
		sql = `
		SELECT id, json FROM (
			SELECT r.id, ` + json + ` AS json FROM ` + table + ` r
			WHERE r.tenant_id = @tenant_id AND r.id > @from AND ` + where + `
			ORDER BY r.id LIMIT ` + MaxRows + `) AS page
		ORDER BY id LIMIT @limit`
	}
	named := pgx.NamedArgs{"from": from, "limit": page.Limit + 1}
	maps.Copy(named, args)
	rows, err := Collect(ctx, pool, tenant, pgx.RowToStructByPos[identified], sql, named)
	place := func(row identified) (Key, []byte) { return Key{"", row.ID.String()}, row.JSON }
	return Cut(page, rows, place, Key{}), err
}

type identified struct {
	ID   uuid.UUID
	JSON []byte
}

// ID returns the id behind which a page begins, in a list that is sorted by id. The error may be [ErrKey].
func (p Page) ID() (uuid.UUID, error) {
	if p.From == (Key{}) {
		return uuid.Max, nil
	}
	id, err := uuid.Parse(p.From[1])
	if err != nil || p.From[0] != "" {
		return id, ErrKey
	}
	return id, nil
}

// Cut returns the page of rows that were read in its direction: at most Limit of them, and where the list goes on if there are
// more. split returns the place of a row and its record. frontier is how far was looked, if there may be more behind it; it is
// the zero Key if all rows were looked at.
func Cut[S, R any](page Page, rows []S, split func(S) (Key, R), frontier Key) (list List[R]) {
	end := frontier
	if len(rows) > page.Limit {
		rows = rows[:page.Limit]
		end, _ = split(rows[page.Limit-1])
	}
	if page.Back {
		slices.Reverse(rows)
	}
	for i, row := range rows {
		key, record := split(row)
		list.Rows = append(list.Rows, record)
		switch {
		case page.Back:
			list.After = key
		case i == 0 && page.From != Key{}:
			list.Before = key
		}
	}
	if page.Back {
		list.Before = end
	} else {
		list.After = end
	}
	return list
}
