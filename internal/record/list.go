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

// Key is the place of a record in an order: the value of the sort column, and a value that distinguishes equal ones, as text. A list can
// continue from a key after the record is gone.
type Key [2]string

// Page is a part of a list: at most Limit records after a key, or before it. The zero From is the start.
type Page struct {
	Limit int // 1 to 100
	From  Key
	Back  bool // the records before From
}

// List is a page of a list, in the list's order.
type List[R any] struct {
	Rows []R
	// Before and After are the keys for the previous and next page, or the zero Key where the list ends.
	Before, After Key
	// Whole has the words of a search that matched only as whole words, because too many words begin with them.
	Whole []string
}

// ErrKey means that a [Page] begins at a [Key] of a different order.
var ErrKey = errors.New("key of another order")

// MaxRows is more than the length of any page. It is a literal in the SQL of lists, because PostgreSQL assumes that a limit in an
// argument may be large, and would plan the statement anew for every page.
const MaxRows = "201"

// ListBy returns a page of the records for which a condition on the row r holds, newest first. With the primary key, or an index whose last
// column is the id, every page has the same cost.
func ListBy[R any](
	ctx context.Context, pool *pgxpool.Pool, from Table[R], tenant uuid.UUID, page Page, where string, args pgx.NamedArgs,
) (List[R], error) {
	texts, err := ListJSON(ctx, pool, tenant, from.Name, from.JSON(), page, from.and(where), args)
	list := List[R]{Before: texts.Before, After: texts.After}
	for _, text := range texts.Rows {
		row, err := Decode[R](text)
		if err != nil {
			return list, err
		}
		list.Rows = append(list.Rows, row)
	}
	return list, err
}

// ListJSON is [ListBy] with the name of the table, and with the JSON of each row.
func ListJSON(
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

// ID returns the id after which a page begins in a list sorted by id, or [ErrKey].
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

// Cut returns the page from rows that were read in its direction: at most Limit rows, and the keys where the list continues. split
// returns the key and the record of a row. frontier is the key up to which rows were read, if more may follow, or else the zero Key.
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
