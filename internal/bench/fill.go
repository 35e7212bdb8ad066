package bench

import (
	"context"
	"fmt"
)

// fill gives the tenant a past: invoices of three lines each, one a second until today, and idempotency
// records. It works as the superuser and does not check foreign keys, which the rows satisfy; everything
// else is maintained row by row, as in production.
func fill(ctx context.Context, db database, invoices, records int) error {
	return db.admin().exec(ctx,
		`SET session_replication_role = replica`,
		`SET work_mem = '256MB'`,
		`SET synchronous_commit = off`,
		fmt.Sprintf(`
			INSERT INTO invoices (
				tenant_id, id, idempotency_key, number, customer_id, currency, issue_date, due_date, notes,
				subtotal, tax_total, total, likeness, created_at)
			SELECT '%s', `+pastID+`, gen_random_uuid()::text, 'F-' || n, customers[1 + n %% cardinality(customers)], 'EUR',
				at::date, at::date + 30, '', 28000, 5540, 33540, sha256(int8send(n)), at
			FROM (SELECT array_agg(id) AS customers FROM customers WHERE tenant_id = '%[1]s') AS known,
				generate_series(1, %d) AS n, `+pastTime+``, acme, invoices),
		fmt.Sprintf(`
			INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
			SELECT '%s', `+pastID+`, line.*
			FROM generate_series(1, %d) AS n, `+pastTime+`, (VALUES
				(1, 'Design', 2, 5000, 23, 10000),
				(2, 'Build', 1.5, 8000, 23, 12000),
				(3, 'Support', 3, 2000, 8, 6000)) AS line`, acme, invoices),
		fillRecords(records, "now() + interval '24 hours'"),
		`VACUUM ANALYZE`,
		`CHECKPOINT`,
	)
}

// The n-th of the past: one a second, the last a day before 2026-11-21.
const (
	pastTime = `LATERAL (SELECT timestamptz '2026-11-20' - (100000000 - n) * interval '1 second' AS at) AS past`
	pastID   = `(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
)

// fillRecords makes records with results as large as that of an invoice with three lines. Keys are
// random; they are inserted in their order, which is quick and gives the same index.
func fillRecords(records int, expiresAt string) string {
	return fmt.Sprintf(`
		INSERT INTO idempotency_records (tenant_id, operation, key, fingerprint, token, result, expires_at)
		SELECT '%s', 'invoice.create', key, sha256(key::bytea), key::uuid,
			json_build_object('id', key, 'padding', repeat(md5(key), 20)), %s
		FROM (SELECT gen_random_uuid()::text AS key FROM generate_series(1, %d) ORDER BY key) AS keys`,
		acme, expiresAt, records)
}
