package record

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Query reads a list of records that is filtered, searched and sorted, at a cost that does not grow with the tenant.
//
// Rows come in streams, each of which an index has in order: one for each state, or one for each word and customer that
// the rarest term of a search finds. From each stream a page takes so many candidates, drops those that come behind the
// end of a stream that was cut off (the frontier, beyond which others may come first), and of the rest those that the
// other conditions do not want. So a page may be short, or even empty, although there is more behind it: the
// list then goes on from the frontier.
type Query[R any] struct {
	Table string
	Shown string // the SQL of the JSON of an R, of the row r
	Order Order
	// Range is a condition on the column that the list is sorted by, and Where one on the row r, both with the arguments
	// Args. One of them is @states.
	Range string
	// Start is where Range begins in the order, if it is bounded there. From two conditions on a column PostgreSQL may
	// choose the wider one to begin at, and read all rows up to the other.
	Start Key
	Where string
	Args  pgx.NamedArgs
	// Filtered says that Where leaves out rows that the streams of states have.
	Filtered bool
	// Narrow is a condition on the columns of another index than that of the order, which may leave so few rows that all
	// of them are read and sorted. If it leaves more, they are looked for in the order.
	Narrow string
	// Source is used like Narrow, and before it: a SELECT of the ids of all rows that are wanted, from another table.
	Source string
	// Terms are what is searched for, in the order of Words.
	Terms []Term
	Words Words
	// Look is how many rows a page looks at; 0 for 1,000.
	Look int
}

// Words is a table of words: the words of records, in the order of their lists.
type Words struct {
	Table string // has tenant_id, word, First and ID
	ID    string // the column with the id of a record
	// First is the column by which a word's records are sorted, and FirstOf the one of the record that it is a copy of.
	First, FirstOf string
	Customer       string // the column of the record with the id of a customer; "" if it has none
}

// looked is how many rows a page looks at, to find those that are wanted, unless a query says otherwise.
const looked = 1000

// List gives a page. The error is [ErrKey], or [ErrTooMany] if more than can be sorted match a search whose words are
// in another order.
func (q Query[R]) List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page Page) (list List[R], err error) {
	from, err := q.Order.from(page)
	if page.From == (Key{}) && q.Start != (Key{}) {
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
		if result, err = One(ctx, pool, tenant, pgx.RowTo[part[R]], sql, args); err != nil {
			return list, err
		}
	}
	if result.TooMany {
		sql := q.sql(q.Order.Descending != page.Back, args, page.Limit+1)
		if result, err = One(ctx, pool, tenant, pgx.RowTo[part[R]], sql, args); err != nil {
			return list, err
		}
	}
	if result.TooMany {
		return list, ErrTooMany
	}
	list = cut(page, result.Rows, result.Frontier)
	for _, t := range q.Terms {
		if t.Whole || t.Crowd {
			list.Whole = append(list.Whole, t.Word)
		}
	}
	return list, nil
}

// part is what the statement of a page gives.
type part[R any] struct {
	Rows     []keyed[R] `json:"rows"`
	Frontier Key        `json:"frontier"` // see cut
	TooMany  bool       `json:"too_many"`
}
