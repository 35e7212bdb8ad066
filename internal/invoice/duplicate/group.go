// Package duplicate finds duplicate invoices. They are never merged: the superfluous one is voided as a duplicate.
package duplicate

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// Group is a group of similar invoices: for the same customer, with the same lines, currency and total.
type Group struct {
	Days     int               `json:"days"` // from the first issue date to the last
	Count    int               `json:"count"`
	Invoices []invoice.Summary `json:"invoices"` // the oldest 20, oldest first

	first string // the place of the first invoice
}

// Identity returns the id and version of the oldest invoice.
func (g Group) Identity() (id uuid.UUID, version int) { return g.Invoices[0].Identity() }

const (
	// within is the maximum distance of the issue dates of duplicates, in days. A forgotten invoice is billed again within days, but a
	// monthly one is no duplicate, whether billed by a schedule or by hand.
	within = "7"
	// look is the number of invoices that one statement reads, and looks the maximum number of statements for one page. A page may be
	// short or empty; the next one continues from there.
	look  = "2000"
	looks = 10
)

// List returns a page of groups of similar invoices, sorted by customer and day. It leaves out void invoices, invoices of the same
// schedule, and pairs with a distinction. It pages forward only. It returns [record.ErrKey] for a wrong key.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (list record.List[Group], err error) {
	at := page.From // where a statement begins, and its last group that was on an earlier page
	if at == (record.Key{}) {
		at = record.Key{start, start}
	}
	if !isPlace(at[0]) || !isPlace(at[1]) || page.Back {
		return list, record.ErrKey
	}
	for range looks {
		found, err := record.One(ctx, pool, tenant, pgx.RowToStructByPos[looked], alike,
			pgx.NamedArgs{"from": at[0], "behind": at[1], "limit": page.Limit - len(list.Rows)})
		if err != nil {
			return list, err
		}
		for _, g := range found.Groups {
			list.Rows = append(list.Rows, Group{g.Days, g.Count, g.Invoices, g.First})
		}
		switch {
		case len(list.Rows) == page.Limit:
			list.After = record.Key{at[0], list.Rows[page.Limit-1].first}
			return list, nil
		case found.Frontier == nil:
			return list, nil
		}
		at = record.Key{*found.Frontier, *found.Frontier}
	}
	list.After = at
	return list, nil
}

// The place before all invoices. A place in this list has a customer, an issue date and an id.
const start = "00000000-0000-0000-0000-000000000000 0001-01-01 00000000-0000-0000-0000-000000000000"

func isPlace(text string) bool {
	parts := strings.Fields(text)
	if len(parts) != 3 {
		return false
	}
	_, err := time.Parse(time.DateOnly, parts[1])
	return err == nil && uuid.Validate(parts[0]) == nil && uuid.Validate(parts[2]) == nil
}

// looked is the result of a statement, and the place up to which it read, or nil at the end.
type looked struct {
	Frontier *string
	Groups   []found
}

type found struct {
	First    string            `json:"first"`
	Days     int               `json:"days"`
	Count    int               `json:"count"`
	Invoices []invoice.Summary `json:"invoices"`
}

// alike reads the invoices after @from. Pairs whose earlier invoice is in the last days that were read are left for the next statement,
// which also reads the later invoice, unless there are no other pairs. Each invoice is compared with the next 19 similar ones.
//
//nolint:unqueryvet // the parts of the statement name the columns
var alike = `
	WITH candidates AS MATERIALIZED (
		SELECT customer_id, issue_date, id, currency, total, status FROM invoices
		WHERE tenant_id = @tenant_id AND (customer_id, issue_date, id) >
			(split_part(@from::text, ' ', 1)::uuid, split_part(@from::text, ' ', 2)::date, split_part(@from::text, ' ', 3)::uuid)
		ORDER BY customer_id, issue_date, id LIMIT ` + look + `
	), numbered AS MATERIALIZED (
		SELECT *, row_number() OVER (ORDER BY customer_id, issue_date, id)::integer AS n,
			concat_ws(' ', customer_id, issue_date, id) COLLATE "C" AS place
		FROM candidates
	), reach AS MATERIALIZED (
		SELECT CASE WHEN last.n = ` + look + ` THEN COALESCE(NULLIF(min(c.n), 1) - 1, last.n) END AS n
		FROM numbered c, (SELECT * FROM numbered ORDER BY n DESC LIMIT 1) AS last
		WHERE c.customer_id = last.customer_id AND c.issue_date >= last.issue_date - ` + within + ` GROUP BY last.n
	), near AS MATERIALIZED (
		SELECT * FROM (
			SELECT *, issue_date - lag(issue_date) OVER same <= ` + within + `
				OR lead(issue_date) OVER same - issue_date <= ` + within + ` AS near
			FROM numbered WHERE status <> 'void' WINDOW same AS (PARTITION BY customer_id, currency, total ORDER BY n)) AS each
		WHERE near
	), compared AS MATERIALIZED (
		SELECT near.*, min(n) OVER same AS alike, row_number() OVER (same ORDER BY n) AS turn, (
			SELECT schedule_id FROM schedule_periods p WHERE p.tenant_id = @tenant_id AND p.id = near.id) AS schedule_id
		FROM near, LATERAL (
			SELECT array_agg(line ORDER BY line) AS lines FROM (
				SELECT jsonb_build_array(fold_text(description), quantity, unit_price + price_fraction, tax_rate) AS line
				FROM invoice_lines l WHERE l.tenant_id = @tenant_id AND l.invoice_id = near.id) AS each) AS has
		WINDOW same AS (PARTITION BY customer_id, currency, total, lines)
	), pairs AS MATERIALIZED (
		SELECT one.alike, ARRAY[one.n, other.n] AS ends
		FROM compared one JOIN compared other ON other.alike = one.alike AND other.turn > one.turn AND other.turn < one.turn + 20
		WHERE other.issue_date - one.issue_date <= ` + within + ` AND one.n <= COALESCE((SELECT n FROM reach), one.n)
			AND (one.schedule_id = other.schedule_id) IS NOT TRUE AND NOT EXISTS (
				SELECT FROM invoice_distinct_pairs p
				WHERE p.tenant_id = @tenant_id AND p.one_id = LEAST(one.id, other.id) AND p.other_id = GREATEST(one.id, other.id)
				OFFSET 0) -- looked up for each pair: for a join, PostgreSQL may choose to read all of the tenant
	), grouped AS MATERIALIZED (
		SELECT min(n) AS first, count(*)::integer AS n, max(issue_date) - min(issue_date) AS days, (array_agg(id ORDER BY n))[1:20] AS ids
		FROM (
			SELECT *, count(*) FILTER (WHERE apart) OVER (PARTITION BY alike ORDER BY n) AS part FROM (
				SELECT pairs.alike, i.*,
					i.issue_date - lag(i.issue_date) OVER (PARTITION BY pairs.alike ORDER BY i.n) > ` + within + ` AS apart
				FROM (SELECT DISTINCT alike, unnest(ends) AS n FROM pairs) AS pairs JOIN numbered i USING (n)) AS each) AS each
		GROUP BY alike, part
	), wanted AS MATERIALIZED (
		SELECT grouped.*, i.place FROM grouped JOIN numbered i ON i.n = grouped.first
		WHERE i.place > @behind ORDER BY i.place LIMIT @limit
	)
	SELECT (SELECT place FROM numbered WHERE n = (SELECT n FROM reach)), COALESCE((
		SELECT json_agg(json_build_object('first', place, 'days', days, 'count', n, 'invoices', (
			SELECT json_agg(` + invoice.Summaries.JSON() + ` ORDER BY r.issue_date, r.id) FROM unnest(ids) AS member (id), LATERAL (
				SELECT * FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = member.id LIMIT 1) AS r)) ORDER BY place)
		FROM wanted), '[]')`
