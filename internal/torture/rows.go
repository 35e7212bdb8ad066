package torture

import (
	"context"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"
)

// origin says which intent a row came from, in the words of the database.
type origin struct {
	tenant    int // index into tokens
	operation string
	key       string
}

// row is a record as the database has it: an invoice, or a customer, who has no number, total and notes.
type row struct {
	origin

	id     string
	number string
	total  string // like 123.00
	notes  string
	email  string // of the customer, in lower case
}

// rows are the records that were made during the run.
type rows struct {
	all      []row
	byOrigin map[origin][]row
	byEmail  map[origin][]row // customers; the key is the email
	changes  []stored
	// customers as they are, by id.
	customers map[string]profile
}

// loadRows reads all records but those that the demo data brought.
func loadRows(ctx context.Context, conn *pgx.Conn, demo map[string]bool) (rows, error) {
	found := rows{byOrigin: map[origin][]row{}, byEmail: map[origin][]row{}, customers: map[string]profile{}}
	result, err := conn.Query(ctx, `
		WITH `+numberedTenants+`
		SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), i.id::text, number, round(total / 100.0, 2)::text, notes, c.email_folded
		FROM invoices i JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = i.customer_id
		JOIN tenant ON tenant.tenant_id = i.tenant_id
		LEFT JOIN intents o ON o.tenant_id = i.tenant_id AND o.record_id = i.id AND o.operation = 'invoice.create'
		UNION ALL
		SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), c.id::text, '', '', '', email_folded
		FROM customers c JOIN tenant USING (tenant_id)
		LEFT JOIN (
			SELECT tenant_id, record_id, operation, key FROM intents WHERE outcome = 'created'
			UNION ALL
			SELECT tenant_id, record_id, operation, key FROM intent_effects
		) AS o ON o.tenant_id = c.tenant_id AND o.record_id = c.id`, tokens[:])
	if err != nil {
		return found, err
	}
	all, err := pgx.CollectRows(result, func(scan pgx.CollectableRow) (r row, err error) {
		return r, scan.Scan(&r.tenant, &r.operation, &r.key, &r.id, &r.number, &r.total, &r.notes, &r.email)
	})
	if err != nil {
		return found, fmt.Errorf("read the records: %w", err)
	}
	for _, r := range all {
		if r.number == "" {
			at := origin{tenant: r.tenant, key: r.email}
			found.byEmail[at] = append(found.byEmail[at], r)
		}
		if demo[r.id] {
			continue
		}
		found.all = append(found.all, r)
		if r.number != "" {
			found.byOrigin[r.origin] = append(found.byOrigin[r.origin], r)
		}
	}
	return found, found.loadChanges(ctx, conn)
}

// numberedTenants gives the tenants their indexes into tokens, which are argument 1.
const numberedTenants = `tenant AS (
	SELECT tenant_id, ordinality::int - 1 AS n
	FROM unnest($1::text[]) WITH ORDINALITY AS token (token, ordinality)
	JOIN api_tokens ON token_hash = sha256(token::bytea)
)`

// of gives the records of an intent: customers by email, since another intent may have brought them.
func (r rows) of(in intent, attempts []attempt) []row {
	if in.kind == contact {
		return r.byEmail[origin{tenant: in.tenant, key: in.email}]
	}
	var found []row
	seen := map[string]bool{}
	for _, a := range attempts {
		if !seen[a.Key] {
			seen[a.Key] = true
			found = append(found, r.byOrigin[origin{in.tenant, in.kind.operation(), a.Key}]...)
		}
	}
	return found
}

// matches tells whether an answer is about this row and agrees with it.
func (r row) matches(a attempt) bool {
	return a.ID == r.id && (a.Outcome == mismatch || (a.Number == r.number && a.Total == r.total))
}

var ofSeries = regexp.MustCompile(`^\d{4}-\d{4,}$`)

// unlike says what about the row is not what the intent asked for.
func (r row) unlike(in intent) string {
	switch {
	case r.email != in.email:
		return "wrong customer"
	case in.kind == contact:
		return ""
	case in.kind == typed && r.number != in.number:
		return "wrong number"
	case in.kind == allocated && !ofSeries.MatchString(r.number):
		return "number not of the series"
	case r.notes != content(in.n, 0) && r.notes != content(in.n, 1):
		return "wrong command"
	default:
		return ""
	}
}
