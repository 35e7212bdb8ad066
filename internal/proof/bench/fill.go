package bench

import (
	"context"
	_ "embed" // for the SQL
	"fmt"
)

//go:embed fill.sql
var fillScript string

// fill inserts at least that many rows of acme into every table that the measured requests read. It connects as the superuser, with
// triggers and foreign keys disabled; the rows satisfy them. Indexes are maintained row by row, as in production.
func fill(ctx context.Context, db database, rows int) error {
	return db.admin().exec(ctx,
		`SET session_replication_role = replica`,
		`SET work_mem = '256MB'`,
		`SET synchronous_commit = off`,
		fmt.Sprintf(`
			CREATE TEMPORARY TABLE past AS
			SELECT '%s'::uuid AS tenant_id, n, at, key, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
				|| '70008000' || lpad(to_hex(n), 12, '0'))::uuid AS id
			FROM (SELECT key, row_number() OVER (ORDER BY key) AS n
					FROM (SELECT gen_random_uuid() AS key FROM generate_series(1, %d)) AS random) AS keys,
				LATERAL (SELECT now() - interval '1 day' - (%[2]d - n) * interval '1 second' AS at) AS moment
			ORDER BY n`, acme, rows),
		fillScript, `VACUUM ANALYZE`, `CHECKPOINT`)
}
