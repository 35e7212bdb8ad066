package bench

import (
	"context"
	_ "embed" // for the SQL
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

// fill fills every table of a database with at least that many rows, all of one tenant where a table
// belongs to tenants. A table that it knows nothing about is an error: what is not grown is not measured.
//
// It works as the superuser, whom no trigger and no foreign key bind here; the rows satisfy them. Indexes
// are maintained row by row, as in production.
func fill(ctx context.Context, db database, rows int) error {
	statements := []string{
		`SET session_replication_role = replica`,
		`SET work_mem = '256MB'`,
		`SET synchronous_commit = off`,
		past(rows),
		fillTables,
	}
	for _, p := range plains() {
		statements = append(statements, p.fill)
	}
	statements = append(statements, fillIntents(rows, "now() + interval '24 hours'"), `VACUUM ANALYZE`, `CHECKPOINT`)
	if err := db.admin().exec(ctx, statements...); err != nil {
		return err
	}
	return grown(ctx, db, rows)
}

//go:embed fill.sql
var fillTables string

// past makes the table that fill.sql reads. It lasts as long as the connection.
func past(rows int) string {
	return fmt.Sprintf(`
		CREATE TEMPORARY TABLE past AS
		SELECT '%s'::uuid AS tenant_id, n, at, key, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
			|| '70008000' || lpad(to_hex(n), 12, '0'))::uuid AS id
		FROM (SELECT key, row_number() OVER (ORDER BY key) AS n
				FROM (SELECT gen_random_uuid() AS key FROM generate_series(1, %d)) AS random) AS keys,
			LATERAL (SELECT now() - interval '1 day' - (%[2]d - n) * interval '1 second' AS at) AS moment
		ORDER BY n`, acme, rows)
}

// fillIntents makes intents with results as large as that of an invoice with three lines. Every fourth changed a
// customer. Keys are random; they are inserted in their order, which is quick and gives the same index.
func fillIntents(intents int, expiresAt string) string {
	return fmt.Sprintf(`
		INSERT INTO intents (
			tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, changes, actor, result, expires_at)
		SELECT '%s', operation, key, sha256(key::bytea),
			key::uuid AS attempt_id, key::uuid AS record_id, outcome, changes::jsonb, 'token demo',
			json_build_object('id', key, 'padding', repeat(md5(key), 20)), %s
		FROM (SELECT gen_random_uuid()::text AS key, n %% 4 = 0 AS changed FROM generate_series(1, %d) AS n ORDER BY key) AS keys
		JOIN (VALUES
			(false, 'invoice.create', 'created', NULL),
			(true, 'customer.edit', 'changed', '{"name": ["Ada Lovelace", "Ada King"]}')) AS kinds (changed, operation, outcome, changes)
		USING (changed)`,
		acme, expiresAt, intents)
}

// grown returns an error that names each table with fewer rows than asked for. It asks the catalog which
// tables there are; only those of goose and River are left out, which have a row for each migration and waiting job.
func grown(ctx context.Context, db database, rows int) error {
	conn, err := server.Connect(ctx, db.admin().url())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	tables, err := tablesOf(ctx, conn)
	if err != nil {
		return err
	}
	var small []error
	for _, t := range tables {
		var there int
		// A table without a tenant counts as a whole, and so do the settings, of which a tenant has one row.
		sql := "SELECT count(*) FROM " + pgx.Identifier{t.Name}.Sanitize()
		if t.OfTenant && t.Name != "settings" {
			sql += " WHERE tenant_id = '" + acme + "'"
		}
		if err := conn.QueryRow(ctx, sql).Scan(&there); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		if there < rows {
			small = append(small, fmt.Errorf("table %s has %d rows of %d: fill.sql has to say how it grows", t.Name, there, rows))
		}
	}
	return errors.Join(small...)
}

// table is one that the app has made.
type table struct {
	Name     string
	OfTenant bool
}

func tablesOf(ctx context.Context, conn *pgx.Conn) ([]table, error) {
	rows, err := conn.Query(ctx, `
		SELECT c.relname, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'goose_db_version'
			AND n.nspname = 'public'
		ORDER BY c.relname`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[table])
}
