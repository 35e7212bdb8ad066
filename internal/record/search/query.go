// Package search reads lists of records that are filtered, searched and sorted. It is independent of the domain: callers pass the tables
// of words and of the referenced records.
package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// ErrTooMany means that a search matches more rows than can be sorted.
var ErrTooMany = errors.New("too many rows to sort")

// Query reads a list of records that is filtered, searched and sorted, at a cost that does not grow with the tenant.
//
// Rows come in streams, each read in order from an index: one for each state, or for each word and each referenced record that the rarest
// term of a search finds, or a single one. A page reads a limited number of candidates from each stream. If a stream was cut off, it
// drops the candidates after that place (the frontier), because further rows of the stream may come first. It also drops the candidates
// that do not match the other conditions. So a page may be short, or even empty, although more rows match; the list then continues from
// the frontier.
type Query[R any] struct {
	Table string
	Shown string // the SQL expression for the JSON of an R, on the row r
	Order Order
	// Range is a condition on the sort column, and Where a condition on the row r, both with the arguments Args. If Args has @states,
	// each of these states has a stream.
	Range string
	// Start is the place where Range begins in the order, if it is limited there. With two conditions on a column PostgreSQL may begin at
	// the wider one, and read all rows up to the other.
	Start record.Key
	Where string
	Args  pgx.NamedArgs
	// Filtered is set if Where leaves out rows of the streams of states.
	Filtered bool
	// Narrow is a condition on the columns of an index with a different order. If few rows match it, all are read and sorted. If more
	// match, the list is read in its order.
	Narrow string
	// Source is used like Narrow, and before it: a SELECT of the ids of all wanted rows, from another table.
	Source     string
	SourceArgs pgx.NamedArgs // only for Source
	// Terms are the words of the search, in the order of Words.
	Terms []Term
	Words Words
	// Look is the number of rows that a page reads; 0 is 1,000.
	Look int
}

// Words is a table with the words by which records are found, in the order of a list.
type Words struct {
	Table string // with the columns tenant_id, word, First and ID
	ID    string // the column with the id of a record
	// First is the column by which a word's records are sorted, a copy of the record's column FirstOf.
	First, FirstOf string
	Other          Other
}

// Other describes referenced records by whose words the records are also found: for invoices, their customers. It is the zero value if
// there are none.
type Other struct {
	Column    string // the record's column with the id of the referenced record
	Words, ID string // the table of the referenced records' words, and its column with their id
}

// looked is the default of [Query.Look].
const looked = 1000

// List returns a page. It returns [record.ErrKey], or [ErrTooMany] if too many rows match a search whose words have a different order.
func (q Query[R]) List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (list record.List[R], err error) {
	from, err := q.Order.from(page)
	if page.From == (record.Key{}) && q.Start != (record.Key{}) {
		from = q.Start
	}
	if err != nil {
		return list, err
	}
	args := pgx.NamedArgs{"first": from[0], "second": from[1], "limit": page.Limit + 1}
	maps.Copy(args, q.Args)
	q.Look = cmp.Or(q.Look, looked)
	result := part[R]{TooMany: true}
	if len(q.Terms) == 0 && q.Source+q.Narrow != "" {
		sql := q.names(q.Order.Descending != page.Back, "")(strings.Replace(gathered, "$STREAMS", cmp.Or(q.Source, byNarrow), 1))
		all := maps.Clone(args)
		maps.Copy(all, q.SourceArgs)
		if result, err = record.One(ctx, pool, tenant, pgx.RowTo[part[R]], sql, all); err != nil {
			return list, err
		}
	}
	if result.TooMany {
		sql := q.sql(q.Order.Descending != page.Back, args, page.Limit+1)
		if result, err = record.One(ctx, pool, tenant, pgx.RowTo[part[R]], sql, args); err != nil {
			return list, err
		}
	}
	if result.TooMany {
		return list, ErrTooMany
	}
	list = record.Cut(page, result.Rows, func(row row[R]) (record.Key, R) { return row.Key, row.Record }, result.Frontier)
	list.Whole = WholeWords(q.Terms)
	return list, nil
}

// WholeWords returns the words of the terms that matched only as whole words.
func WholeWords(terms []Term) (whole []string) {
	for _, t := range terms {
		if t.Whole || t.Crowd {
			whole = append(whole, t.Word)
		}
	}
	return whole
}

// part is the result of a page's statement.
type part[R any] struct {
	Rows     []row[R]   `json:"rows"`
	Frontier record.Key `json:"frontier"` // see [record.Cut]
	TooMany  bool       `json:"too_many"`
}

type row[R any] struct {
	Key    record.Key `json:"key"`
	Record R          `json:"record"`
}
