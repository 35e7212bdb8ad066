package duplicate

import (
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Distinction is a user's statement that similar customers are all different.
type Distinction struct {
	record.Header

	Customers []record.Reference `json:"customers"`
}

// Distinctions is the table of distinctions.
var Distinctions = record.Table[Distinction]{Name: "customer_distinctions", Fields: `
	'customers', ` + References(customer.Names.Names, "customer_ids")}

// NameApart returns the display name of a distinction: "Ada King, Ada Lovelace".
func NameApart(d Distinction) string { return Joined(d.Customers) }

// References returns the SQL expression for the JSON of the records whose ids are in a column of the row r.
func References(of record.Names, column string) string {
	return `(
		SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.` + column + `) AS one (id), LATERAL (
			SELECT c.id, c.` + of.Column + ` AS name FROM ` + of.Table + ` c
			WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)`
}

// Joined returns the names of records, separated by commas.
func Joined(all []record.Reference) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// Distinguish is the work that stores that records are all different. The names of the tables begin with one: customer_distinctions has
// customer_ids, and customer_distinct_pairs has each pair.
func Distinguish(tx *idempotency.Tx, one string, ids []uuid.UUID) idempotency.Result {
	args := pgx.NamedArgs{"ids": record.IDs(ids)}
	tx.Exec(`
		INSERT INTO `+one+`_distinct_pairs (tenant_id, one_id, other_id)
		SELECT @tenant_id, one, other FROM unnest(@ids::uuid[]) AS one, unnest(@ids::uuid[]) AS other WHERE one < other
		ORDER BY one, other
		ON CONFLICT DO NOTHING`, args)
	tx.Exec(`INSERT INTO `+one+`_distinctions (tenant_id, id, `+one+`_ids) VALUES (@tenant_id, @record_id, @ids::uuid[])`, args)
	tx.Exec(`
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT @tenant_id, id, @operation, @idempotency_key, 'said to be no duplicate'
		FROM unnest(@ids::uuid[]) AS id`, args)
	return tx.Record()
}
