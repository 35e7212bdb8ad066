package duplicate

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/record"
)

// Group is a group of similar customers.
type Group struct {
	// Why lists the [Reasons] that all customers of the group have in common.
	Why       []string            `json:"why" doc:"What they have in common: tax_id, email or name."`
	Count     int                 `json:"count"`
	Customers []customer.Customer `json:"customers" doc:"The oldest 20, oldest first."`

	value string // the value that they have in common
}

// Identity returns the id and version of the oldest customer.
func (g Group) Identity() (id uuid.UUID, version int) { return g.Customers[0].Identity() }

// Reasons returns the properties by which customers can be similar, the surest first.
func Reasons() []string { return []string{"tax_id", "email", "name"} }

// look is the number of customers that one statement reads, and looks the maximum number of statements for one page. A page may be short
// or empty; the next one continues from there.
const (
	look  = "2000"
	looks = 10
)

// List returns a page of groups of similar customers without a distinction, sorted by reason and value. It pages forward only. It returns
// [record.ErrKey] for a wrong key.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (list record.List[Group], err error) {
	reasons, at := Reasons(), page.From
	if at == (record.Key{}) {
		at[0] = reasons[0]
	}
	reason := slices.Index(reasons, at[0])
	if reason < 0 || page.Back {
		return list, record.ErrKey
	}
	for range looks {
		found, err := record.One(ctx, pool, tenant, pgx.RowToStructByPos[looked], alike(reasons[reason]),
			pgx.NamedArgs{"from": at[1], "limit": page.Limit - len(list.Rows)})
		if err != nil {
			return list, err
		}
		for _, g := range found.Groups {
			at[1] = g.Value
			list.Rows = append(list.Rows, g.group())
		}
		switch {
		case len(list.Rows) == page.Limit:
			list.After = at
			return list, nil
		case found.Frontier != nil:
			at[1] = *found.Frontier
		case reason == len(reasons)-1:
			return list, nil
		default:
			reason++
			at = record.Key{reasons[reason], ""}
		}
	}
	list.After = at
	return list, nil
}

// looked is the result of a statement, and the value up to which it read, or nil at the end.
type looked struct {
	Frontier *string
	Groups   []found
}

type found struct {
	Value     string              `json:"value"`
	Count     int                 `json:"count"`
	Alike     []bool              `json:"alike"` // for each of the Reasons
	Customers []customer.Customer `json:"customers"`
}

func (f found) group() Group {
	g := Group{Count: f.Count, Customers: f.Customers, value: f.Value}
	for i, reason := range Reasons() {
		if f.Alike[i] {
			g.Why = append(g.Why, reason)
		}
	}
	return g
}

// alike returns the statement that reads the customers after @from in the order of a reason. It leaves out groups that are also similar
// by a surer reason, because they are listed there. The customers with the last value may be cut off, so they are left for the next
// statement, unless there is no other value.
func alike(reason string) string {
	column, surer := "alike_"+reason, "false"
	for i, other := range Reasons() {
		if other == reason {
			break
		}
		surer += ` OR in_common[` + string(rune('1'+i)) + `]`
	}
	return `
		WITH candidates AS MATERIALIZED (
			SELECT ` + column + ` AS value, id FROM customers
			WHERE tenant_id = @tenant_id AND merged_into IS NULL AND erased_at IS NULL AND ` + column + ` <> '' AND ` + column + ` > @from
			ORDER BY ` + column + `, id LIMIT ` + look + `
		), reach AS MATERIALIZED (
			SELECT CASE WHEN count(*) = ` + look + ` THEN COALESCE(
				(SELECT max(value) FROM candidates WHERE value < (SELECT max(value) FROM candidates)), max(value)) END AS frontier
			FROM candidates
		), alike AS MATERIALIZED (
			SELECT value, count(*)::integer AS n, (array_agg(id ORDER BY id))[1:` + most + `] AS ids
			FROM candidates WHERE value <= COALESCE((SELECT frontier FROM reach), value)
			GROUP BY value HAVING count(*) > 1
		), open AS MATERIALIZED (
			SELECT alike.*, m.in_common, m.customers FROM alike, LATERAL (
				SELECT
					ARRAY[
						count(DISTINCT r.alike_tax_id) = 1 AND min(r.alike_tax_id) <> '',
						count(DISTINCT r.alike_email) = 1 AND count(r.alike_email) = count(*),
						count(DISTINCT r.alike_name) = 1 AND min(r.alike_name) <> ''] AS in_common,
					json_agg(` + customer.Table.JSON() + ` ORDER BY r.id) AS customers
				FROM unnest(alike.ids) AS member (id), LATERAL (
					SELECT * FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = member.id LIMIT 1) AS r
				OFFSET 0) AS m
			WHERE NOT (` + surer + `) AND alike.n * (alike.n - 1) / 2 > (
				SELECT count(*) FROM unnest(alike.ids) AS one (id), unnest(alike.ids) AS other (id), LATERAL (
					SELECT FROM customer_distinct_pairs p
					WHERE p.tenant_id = @tenant_id AND p.one_id = one.id AND p.other_id = other.id LIMIT 1) AS known
				WHERE one.id < other.id)
			ORDER BY value LIMIT @limit
		)
		SELECT (SELECT frontier FROM reach), COALESCE((
			SELECT json_agg(json_build_object('value', value, 'count', n, 'alike', in_common, 'customers', customers) ORDER BY value)
			FROM open), '[]')`
}

// most is [MaxCustomers] as an SQL literal.
const most = "20"
