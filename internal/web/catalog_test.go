package web_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
)

// directory tables lead to a tenant, so they are read before one is known.
var directory = []string{"tenants", "users", "api_tokens", "sessions", "goose_db_version"}

// TestTenantComesFirst: in every key and reference of every tenant table, so that no constraint and no
// index can mix tenants.
func TestTenantComesFirst(t *testing.T) {
	b := setup(t)
	type key struct{ Table, Name, First string }
	rows, err := b.admin.Query(t.Context(), `
		SELECT c.relname::text, k.name::text, a.attname::text
		FROM (
			SELECT conrelid AS relation, conname AS name, conkey[1] AS first FROM pg_constraint WHERE contype IN ('p', 'u', 'f', 'x')
			UNION
			SELECT indrelid, indexrelid::regclass::text, indkey[0] FROM pg_index
		) AS k
		JOIN pg_class c ON c.oid = k.relation
		LEFT JOIN pg_attribute a ON a.attrelid = k.relation AND a.attnum = k.first
		WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`, directory)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
	if err != nil || len(keys) < 10 {
		t.Fatalf("found %d keys: %v", len(keys), err)
	}
	for _, k := range keys {
		if k.First != "tenant_id" {
			t.Errorf("%s of %s starts with %s", k.Name, k.Table, k.First)
		}
	}
}

// TestTenantTablesAreGuarded: every table is either in the directory or has forced row-level security
// with the one policy there is.
func TestTenantTablesAreGuarded(t *testing.T) {
	b := setup(t)
	open := get[[]string](b, `
		SELECT COALESCE(array_agg(relname::text), '{}') FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> ALL ($1)
			AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS (
				SELECT FROM pg_policies p WHERE p.tablename = relname AND p.cmd = 'ALL' AND p.permissive = 'PERMISSIVE'
					AND p.qual = '(tenant_id = current_tenant())' AND COALESCE(p.with_check, p.qual) = p.qual))`, directory)
	if len(open) > 0 {
		t.Errorf("without forced row-level security: %v", open)
	}
	if n := get[int](b, `SELECT count(*) FROM pg_policies`); n != len(b.tenantTables()) {
		t.Errorf("%d policies for %d tables", n, len(b.tenantTables()))
	}
}

// TestEveryUniquenessRuleIsEnforced and every unique constraint has its rule, in words.
func TestEveryUniquenessRuleIsEnforced(t *testing.T) {
	b := setup(t)
	enforced := get[[]string](b, `
		SELECT array_agg(i.relname::text ORDER BY i.relname)
		FROM pg_index x JOIN pg_class i ON i.oid = indexrelid JOIN pg_class c ON c.oid = indrelid
		WHERE c.relnamespace = 'public'::regnamespace AND indisunique AND indisvalid AND NOT indisprimary
			AND c.relname <> ALL ($1)`, directory)
	written := map[string]bool{}
	for _, rule := range append(invoice.Rules(), customer.Rules()...) {
		if rule.Sentence == "" || rule.Answer == "" || written[rule.Constraint] {
			t.Errorf("%+v", rule)
		}
		written[rule.Constraint] = true
	}
	if rules := slices.Sorted(maps.Keys(written)); !slices.Equal(rules, enforced) {
		t.Errorf("rules in words   %v\nrules in database %v", rules, enforced)
	}
	// A unique column that may be NULL lets the same thing in twice.
	nullable := get[[]string](b, `
		SELECT COALESCE(array_agg(indexrelid::regclass || '.' || attname), '{}')
		FROM pg_index x JOIN pg_class c ON c.oid = indrelid JOIN pg_attribute a ON a.attrelid = indrelid AND a.attnum = ANY (indkey::int2[])
		WHERE c.relnamespace = 'public'::regnamespace AND indisunique AND NOT attnotnull`)
	if len(nullable) > 0 {
		t.Errorf("unique, but may be NULL: %v", nullable)
	}
}
