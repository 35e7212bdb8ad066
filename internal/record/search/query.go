// Package search reads lists of records that are filtered, searched and sorted. It knows no domain: the tables of words, and
// what the records refer to, come from the caller.
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

// ErrTooMany is the error of a search that more rows match than are sorted in the wanted order.
var ErrTooMany = errors.New("too many rows to sort")

// Query reads a list of records that is filtered, searched and sorted, at a cost that does not grow with the tenant.
//
// Rows come in streams, each of which an index has in order: one for each state or one for all, or one for each word and each other record
// that the rarest term of a search finds. A page takes so many candidates from each stream. It drops those behind the end of
// a stream that was cut off (the frontier, behind which rows of that stream may come first), and those for which the other
// conditions do not hold. So a page may be short, or even empty, although more rows match: the list then goes on from the
// frontier.
type Query[R any] struct {
	Table string
	Shown string // the SQL of the JSON of an R, of the row r
	Order Order
	// Range is a condition on the column that the list is sorted by, and Where one on the row r, both with the arguments
	// Args. With @states among them, the streams are those of these states.
	Range string
	// Start is where Range begins in the order, if it is bounded there. From two conditions on a column PostgreSQL may
	// choose the wider one to begin at, and read all rows up to the other.
	Start record.Key
	Where string
	Args  pgx.NamedArgs
	// Filtered reports whether Where leaves out rows of the streams of states.
	Filtered bool
	// Narrow is a condition on the columns of another index than that of the order, which may leave so few rows that all
	// of them are read and sorted. If it leaves more, they are looked for in the order.
	Narrow string
	// Source is used like Narrow, and before it: a SELECT of the ids of all rows that are wanted, from another table.
	Source     string
	SourceArgs pgx.NamedArgs // those that only Source has
	// Terms are what is searched for, in the order of Words.
	Terms []Term
	Words Words
	// Look is how many rows a page looks at; 0 for 1,000.
	Look int
}

// Words is a table of words: those that find a record, in the order of its lists.
type Words struct {
	Table string // has tenant_id, word, First and ID
	ID    string // the column with the id of a record
	// First is the column by which a word's records are sorted, and FirstOf the column of the record that it is a copy of.
	First, FirstOf string
	Other          Other
}

// Other is what the records refer to, and are also found by: for invoices, their customers. It is the zero value if there is
// none.
type Other struct {
	Column    string // of the record: the id of the other one
	Words, ID string // the table of words of the others, and its column with the id
}

// looked is how many rows a page looks at, to find those that are wanted, unless a query says otherwise.
const looked = 1000

// List returns a page. The error is [record.ErrKey], or [ErrTooMany] if more than can be sorted match a search whose words are
// in another order.
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

// WholeWords are those of terms of which only whole ones were looked for.
func WholeWords(terms []Term) (whole []string) {
	for _, t := range terms {
		if t.Whole || t.Crowd {
			whole = append(whole, t.Word)
		}
	}
	return whole
}

// part is what the statement of a page returns.
type part[R any] struct {
	Rows     []row[R]   `json:"rows"`
	Frontier record.Key `json:"frontier"` // see [record.Cut]
	TooMany  bool       `json:"too_many"`
}

type row[R any] struct {
	Key    record.Key `json:"key"`
	Record R          `json:"record"`
}
