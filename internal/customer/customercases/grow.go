package customercases

import (
	"fmt"

	"onlyonce/internal/site/sitetest"
)

// GrowMerges inserts merges of acme, with merged customers, distinctions and erasures.
func GrowMerges(b *sitetest.Bundle) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		CREATE OR REPLACE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS
			$$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
		INSERT INTO customers (tenant_id, id, email, name, archived_at, merged_into)
		SELECT '%[1]s', pg_temp.id(n), n || '@example.com', 'Customer', now(), pg_temp.id(n - 2 * %[2]d)
		FROM generate_series(2 * %[2]d + 1, 3 * %[2]d) AS n;
		INSERT INTO customer_merges (tenant_id, id, moved, winner_id, loser_ids)
		SELECT '%[1]s', pg_temp.id(n), 1, pg_temp.id(n), ARRAY[pg_temp.id(n + 2 * %[2]d)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_merge_rows (tenant_id, row_id, merge_id, table_name, column_name, was)
		SELECT '%[1]s', pg_temp.id(n + 1), pg_temp.id(n), 'customers', 'merged_into', pg_temp.id(n + 2 * %[2]d)
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_erasures (tenant_id, id, customer_id, reason)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + 2 * %[2]d), '' FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_distinctions (tenant_id, id, customer_ids)
		SELECT '%[1]s', pg_temp.id(n), ARRAY[pg_temp.id(n), pg_temp.id(n + %[2]d)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_distinct_pairs (tenant_id, one_id, other_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + %[2]d) FROM generate_series(1, %[2]d) AS n`, b.Acme.ID, sitetest.Many))
}
