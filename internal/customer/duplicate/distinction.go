package duplicate

import (
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Distinction is a user's statement that no two of these customers are the same, though they look alike.
type Distinction struct {
	record.Header

	Customers []record.Reference `json:"customers"`
}

// Distinctions has what was said.
var Distinctions = record.Table[Distinction]{Name: "customer_distinctions", Fields: `
	'customers', ` + References(customer.Names, "customer_ids")}

// NameApart is what people call a distinction: "Ada King, Ada Lovelace".
func NameApart(d Distinction) string { return Joined(d.Customers) }

// References is the SQL expression for the JSON of the records whose ids the row r has in a column.
func References(of record.Names, column string) string {
	return `(
		SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.` + column + `) AS one (id), LATERAL (
			SELECT c.id, c.` + of.Column + ` AS name FROM ` + of.Table + ` c
			WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)`
}

// Joined has the names of records, with commas between.
func Joined(all []record.Reference) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// Distinguish is the work that remembers that records are not the same, no two of them. What one is called begins the names of
// the tables: customer_distinctions has customer_ids, and customer_distinct_pairs each pair.
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
