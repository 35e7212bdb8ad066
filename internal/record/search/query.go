// Package search reads lists of records that are filtered, searched and sorted. It is independent of the domain: callers pass the tables
// of words and of the referenced records.
package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
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

// sql returns the statement of a page, made of the constants below, and adds its arguments to args. All input is passed as arguments.
// down reports whether the page is read in descending order, and wanted is its maximum number of rows.
func (q Query[R]) sql(down bool, args pgx.NamedArgs, wanted int) string {
	others, at := "", 0
	if len(q.Terms) > 0 {
		at = rarest(q.Terms)
		others = q.Words.others(q.Terms, at, args)
	}
	write := q.names(down, others)
	if len(q.Terms) == 0 {
		args["per"] = wanted
		if q.Filtered {
			args["per"] = max(wanted, q.Look)
		}
		streams := inOrder
		if _, ofStates := q.Args["states"]; ofStates && q.Order.Columns[1].Type != "text" {
			streams = byState
		}
		return write(strings.Replace(pages, "$STREAMS", streams, 1))
	}
	rare := q.Terms[at]
	args["words"] = append([]string{}, rare.Words...)
	streams, all := byWord, byAnyWord
	if q.Words.Other.Column != "" {
		args["others"] = record.IDs(rare.Others)
		streams, all = byWord+byOther, byAnyWord+byAnyOther
	}
	if q.Order.Columns[0].Name != q.Words.FirstOf {
		return write(strings.Replace(gathered, "$STREAMS", all, 1))
	}
	args["per"] = max(wanted, q.Look/max(1, len(rare.Words)+len(rare.Others)))
	return write(strings.Replace(pages, "$STREAMS", streams, 1))
}

// others returns the condition that all terms but one match.
func (words Words) others(terms []Term, but int, args pgx.NamedArgs) string {
	if len(terms) == 1 {
		return ""
	}
	return ` AND ` + words.found(slices.Delete(slices.Clone(terms), but, but+1), args)
}

// found returns the condition that all terms match.
func (words Words) found(terms []Term, args pgx.NamedArgs) string {
	all, others := []string{}, []string{}
	ofWords, ofOthers := []int32{}, []int32{}
	n := int32(0)
	for _, t := range terms {
		n++
		for _, word := range t.Words {
			all, ofWords = append(all, word), append(ofWords, n)
		}
		for _, id := range record.IDs(t.Others) {
			others, ofOthers = append(others, id), append(ofOthers, n)
		}
	}
	args["terms"], args["term_words"], args["of_words"] = n, all, ofWords
	of := ""
	if words.Other.Column != "" {
		args["term_others"], args["of_others"] = others, ofOthers
		of = restOther
	}
	return `NOT EXISTS (SELECT FROM generate_series(1, @terms::integer) AS term WHERE ` + restWord + of + `)`
}

// names returns a function that replaces the placeholders for names and directions.
func (q Query[R]) names(down bool, rest string) func(string) string {
	descending, behind := "", ">"
	if down {
		descending, behind = " DESC", "<"
	}
	first, second := q.Order.Columns[0], q.Order.Columns[1]
	limited := q.Range
	if limited == "" {
		limited = "true"
	}
	names := strings.NewReplacer(append(q.Words.names(),
		"$TABLE", q.Table, "$KEY_TYPES", "(@first::"+first.Type+", @second::"+second.Type+")", "$FIRST", first.Name, "$SECOND", second.Name,
		"$DESC", descending, "$BEHIND", behind, "$RANGE", limited, "$NARROW", q.Narrow, "$LOOKED", strconv.Itoa(q.Look+1),
	)...)
	parts := strings.NewReplacer("$SHOWN", q.Shown, "$WHERE", q.Where+rest)
	return func(text string) string { return names.Replace(parts.Replace(text)) }
}

// names returns the names of the tables and columns, each after its placeholder.
func (words Words) names() []string {
	return []string{
		"$WORDS", words.Table, "$WORD_ID", words.ID, "$WORD_FIRST_OF", words.FirstOf, "$WORD_FIRST", words.First,
		"$OTHER", words.Other.Column,
	}
}

// Below returns a SELECT of the ids of the rows of the records that terms find, such as the payments of invoices, for [Query.Source], and
// the condition that a row r is one of them. words are the words of these records, parents is their table, and column has the record's id
// in each row. It adds the arguments of both; Args must not be nil. Rows of the streams are left out.
func (q *Query[R]) Below(words Words, parents, column string, terms []Term) (source, found string) {
	rare := terms[rarest(terms)]
	q.SourceArgs = pgx.NamedArgs{"words": append([]string{}, rare.Words...), "others": record.IDs(rare.Others)}
	fill := strings.NewReplacer(append(words.names(), "$PARENTS", parents, "$COLUMN", column)...).Replace
	q.Filtered = true
	return fill(strings.Replace(below, "$STREAMS", strings.ReplaceAll(byAnyWord+byAnyOther, "$TABLE", parents), 1)),
		fill(strings.Replace(belowFound, "$FOUND", words.found(terms, q.Args), 1))
}

// pages is the statement of a page whose streams are in its order. LIMIT 1 forces a lookup by id for each row, even if PostgreSQL's
// estimates of the conditions favour another plan.
//
//nolint:unqueryvet // the columns depend on the table
const pages = `
	WITH candidates AS MATERIALIZED ($STREAMS
	), frontier AS MATERIALIZED (
		SELECT first, second FROM candidates WHERE n = @per ORDER BY first$DESC, second$DESC LIMIT 1
	), within AS (
		SELECT DISTINCT c.first, c.second, c.id FROM candidates c
		WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) $BEHIND (f.first, f.second))
	), found AS (
		SELECT w.first, w.second, r.record
		FROM (SELECT first, second, id FROM within ORDER BY first$DESC, second$DESC) AS w, LATERAL (
			SELECT $SHOWN AS record
			FROM (SELECT * FROM $TABLE r WHERE r.tenant_id = @tenant_id AND r.id = w.id LIMIT 1) AS r
			WHERE $WHERE) AS r
		ORDER BY w.first$DESC, w.second$DESC LIMIT @limit
	)
	SELECT json_build_object(
		'rows', (
			SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
				ORDER BY first$DESC, second$DESC) FROM found),
		'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier))`

// gathered is the statement of a page whose streams are in a different order. It reads all streams, up to a limit.
const gathered = `
	WITH candidates AS MATERIALIZED (
		SELECT id FROM ($STREAMS) AS streams LIMIT $LOOKED
	), picked AS (
		SELECT r.first, r.second, c.id
		FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
			SELECT r.$FIRST AS first, r.$SECOND AS second
			FROM (SELECT * FROM $TABLE r WHERE r.tenant_id = @tenant_id AND r.id = c.id LIMIT 1) AS r
			WHERE (r.$FIRST, r.$SECOND) $BEHIND $KEY_TYPES AND $WHERE) AS r
		ORDER BY r.first$DESC, r.second$DESC LIMIT @limit
	), found AS (
		SELECT p.first, p.second, (SELECT $SHOWN FROM $TABLE r WHERE r.tenant_id = @tenant_id AND r.id = p.id LIMIT 1) AS record
		FROM picked p
	)
	SELECT json_build_object(
		'rows', (
			SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
				ORDER BY first$DESC, second$DESC) FROM found),
		'too_many', (SELECT count(*) = $LOOKED FROM candidates))`

// The streams. Each is read in order from an index, and has at most @per rows.
const (
	byState = `
		SELECT stream.id, stream.first, stream.second, stream.n FROM unnest(@states::text[]) AS each (state), LATERAL (
			SELECT r.id, r.$FIRST AS first, r.$SECOND AS second, row_number() OVER (ORDER BY r.$FIRST$DESC, r.$SECOND$DESC) AS n
			FROM $TABLE r
			WHERE r.tenant_id = @tenant_id AND r.state = each.state AND (r.$FIRST, r.$SECOND) $BEHIND $KEY_TYPES AND $RANGE
			ORDER BY r.$FIRST$DESC, r.$SECOND$DESC LIMIT @per) AS stream`
	inOrder = `
		SELECT r.id, r.$FIRST AS first, r.$SECOND AS second, row_number() OVER (ORDER BY r.$FIRST$DESC, r.$SECOND$DESC) AS n
		FROM $TABLE r
		WHERE r.tenant_id = @tenant_id AND (r.$FIRST, r.$SECOND) $BEHIND $KEY_TYPES AND $RANGE
		ORDER BY r.$FIRST$DESC, r.$SECOND$DESC LIMIT @per`
	byWord = `
		SELECT stream.id, stream.first, stream.second, stream.n FROM unnest(@words::text[]) AS each (word), LATERAL (
			SELECT w.$WORD_ID AS id, w.$WORD_FIRST AS first, w.$WORD_ID AS second,
				row_number() OVER (ORDER BY w.$WORD_FIRST$DESC, w.$WORD_ID$DESC) AS n
			FROM $WORDS w
			WHERE w.tenant_id = @tenant_id AND w.word = each.word AND (w.$WORD_FIRST, w.$WORD_ID) $BEHIND $KEY_TYPES AND $RANGE
			ORDER BY w.$WORD_FIRST$DESC, w.$WORD_ID$DESC LIMIT @per) AS stream`
	byOther = `
		UNION ALL
		SELECT stream.id, stream.first, stream.second, stream.n FROM unnest(@others::uuid[]) AS each (other), LATERAL (
			SELECT r.id, r.$FIRST AS first, r.$SECOND AS second, row_number() OVER (ORDER BY r.$FIRST$DESC, r.$SECOND$DESC) AS n
			FROM $TABLE r
			WHERE r.tenant_id = @tenant_id AND r.$OTHER = each.other AND (r.$FIRST, r.$SECOND) $BEHIND $KEY_TYPES AND $RANGE
			ORDER BY r.$FIRST$DESC, r.$SECOND$DESC LIMIT @per) AS stream`
	byNarrow = `
			SELECT stream.id FROM unnest(@states::text[]) AS each (state), LATERAL (
				SELECT r.id FROM $TABLE r WHERE r.tenant_id = @tenant_id AND r.state = each.state AND $NARROW LIMIT $LOOKED) AS stream`
	byAnyWord = `
			SELECT w.$WORD_ID AS id FROM unnest(@words::text[]) AS each (word), LATERAL (
				SELECT w.$WORD_ID FROM $WORDS w WHERE w.tenant_id = @tenant_id AND w.word = each.word LIMIT $LOOKED) AS w`
	byAnyOther = `
			UNION ALL
			SELECT r.id FROM unnest(@others::uuid[]) AS each (other), LATERAL (
				SELECT r.id FROM $TABLE r WHERE r.tenant_id = @tenant_id AND r.$OTHER = each.other LIMIT $LOOKED) AS r`
)

// below selects the rows of the records that a term finds; too many if it finds too many records. belowFound is the condition that the
// record of a row matches all terms, where r is the row outside and its record inside.
const (
	below = `
		WITH records AS MATERIALIZED (SELECT id FROM ($STREAMS) AS streams LIMIT $LOOKED)
		SELECT id FROM records WHERE (SELECT count(*) FROM records) = $LOOKED
		UNION ALL
		SELECT rows.id FROM (SELECT DISTINCT id FROM records) AS of_record, LATERAL (
			SELECT id FROM $TABLE b WHERE b.tenant_id = @tenant_id AND b.$COLUMN = of_record.id LIMIT $LOOKED) AS rows`
	belowFound = `(
		SELECT true FROM (SELECT r.$COLUMN AS id) AS its, LATERAL (
			SELECT FROM $PARENTS r WHERE r.tenant_id = @tenant_id AND r.id = its.id AND $FOUND LIMIT 1) AS found)`
)

// The conditions that a term finds nothing. LIMIT forces a lookup for each word.
const (
	restWord = `NOT EXISTS (
				SELECT FROM unnest(@term_words::text[], @of_words::integer[]) AS t (word, n)
				WHERE t.n = term AND (
					SELECT true FROM $WORDS w
					WHERE w.tenant_id = @tenant_id AND w.word = t.word AND w.$WORD_FIRST = r.$WORD_FIRST_OF AND w.$WORD_ID = r.id LIMIT 1))`
	restOther = ` AND NOT EXISTS (
				SELECT FROM unnest(@term_others::uuid[], @of_others::integer[]) AS t (other, n)
				WHERE t.n = term AND t.other = r.$OTHER)`
)
