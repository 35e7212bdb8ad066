package invoice_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
)

// TestPagesThatLookNotFar checks that if a page reads only a few rows of each stream, it may be short or empty, but the list still has
// every row once, in order, in both directions.
func TestPagesThatLookNotFar(t *testing.T) {
	b := setup(t)
	admin := b.Admin
	must.Exec(t, admin, `
		SET session_replication_role = replica;
		INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total, status)
		SELECT tenant_id, gen_random_uuid(), 'N-' || n, tenant_id, 'EUR', '2026-01-01', '2026-01-01'::date + (n * 37 % 50), '', n, 0, n,
			(ARRAY['draft', 'issued', 'void'])[1 + n * n % 7 % 3]
		FROM (SELECT id AS tenant_id FROM tenants) AS t, generate_series(1, 120) AS n;
		INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
		SELECT tenant_id, word, due_date, id FROM invoices, unnest(ARRAY['a' || total % 3, 'b' || total % 5]) AS word`,
		pgx.QueryExecModeSimpleProtocol)
	id, due := search.Column{Name: "id", Type: "uuid"}, search.Column{Name: "due_date", Type: "date"}
	words := search.Words{Table: "invoice_words", ID: "invoice_id", First: "issue_date", FirstOf: "due_date"}
	for name, q := range map[string]search.Query[uuid.UUID]{
		"states": {Filtered: true},
		"words": {Words: words, Terms: []search.Term{
			{Word: "a", Words: []string{"a0", "a1", "a2"}, Matches: 1}, {Word: "b", Words: []string{"b2", "b3"}, Matches: 2},
		}},
	} {
		for _, down := range []bool{false, true} {
			q.Table, q.Shown, q.Look = "invoices", "to_json(r.id)", 3
			q.Where = `r.state = ANY (@states::text[]) AND r.total % 6 = 3`
			q.Args = pgx.NamedArgs{"states": []string{"draft", "issued", "void"}}
			q.Order = search.Order{Columns: [2]search.Column{due, id}, Descending: down}
			want := idsOf(t, admin, map[string]string{"states": `true`, "words": `total % 5 IN (2, 3)`}[name])
			if down {
				slices.Reverse(want)
			}
			forth, back, pages := walk(t, q, b)
			assert.Thatf(t, slices.Equal(forth, want) && slices.Equal(back, want) && pages >= 10,
				"%s, descending %v, %d pages\nforward  %v\nbackward %v\nwant     %v", name, down, pages, forth, back, want)
		}
	}
}

func idsOf(t *testing.T, admin *pgxpool.Pool, where string) []uuid.UUID {
	t.Helper()
	rows, _ := admin.Query(t.Context(), `SELECT id::text FROM invoices WHERE total % 6 = 3 AND `+where+` ORDER BY due_date, id`)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must.Thatf(t, err == nil && len(texts) >= 5, "%v %v", texts, err)
	var ids []uuid.UUID
	for _, text := range texts {
		ids = append(ids, uuid.MustParse(text))
	}
	return ids
}

// walk reads a list to its end and back to its beginning.
func walk(t *testing.T, q search.Query[uuid.UUID], b *bundle) (forth, back []uuid.UUID, pages int) {
	t.Helper()
	read := func(page record.Page) record.List[uuid.UUID] {
		page.Limit = 2
		list, err := q.List(t.Context(), b.Store.Pool, b.Tenant, page)
		must.OK(t, err)
		pages++
		return list
	}
	list := read(record.Page{})
	forth = list.Rows
	for list.After != (record.Key{}) {
		list = read(record.Page{From: list.After})
		forth = append(forth, list.Rows...)
	}
	end := record.Key{"9999-12-31", uuid.Max.String()}
	if q.Order.Descending {
		end = record.Key{"1900-01-01", uuid.Nil.String()}
	}
	list = read(record.Page{From: end, Back: true})
	back = list.Rows
	for list.Before != (record.Key{}) {
		list = read(record.Page{From: list.Before, Back: true})
		back = append(slices.Clone(list.Rows), back...)
	}
	return forth, back, pages
}
