package postgres_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// tenantFunctions may use the setting with the tenant of a transaction. Any other function that uses it could show a tenant the rows of
// another tenant.
var tenantFunctions = []string{
	"claim_intent",   // enters the tenant of the request
	"current_tenant", // reads it, for the policies
	"settle_tenant",  // enters a new tenant to write its settings, and leaves it
}

// notReferences are columns that end in _id and have no foreign key, each with the reason.
var notReferences = map[string]string{
	"goose_db_version.version_id": "goose's own",
	"intents.tenant_id":           "a foreign key would look at tenants with each create, and tenants are never deleted",
	"likenesses.tenant_id":        "as in intents",
	"likenesses.record_id":        "a record of any table",
	"intents.attempt_id":          "attempts are no records",
	"intents.record_id":           "a record of any table",
	"intent_effects.record_id":    "a record of any table",
	"attempts.tenant_id":          "written in the background, by transactions that must not lock what a create waits for",
	"attempts.record_id":          "a record of any table",
	"users.link_id":               "part of a link that was sent, and in no table",
	"link_mails.link_id":          "part of a link that was sent, and in no table",
	"link_mails.message_id":       "a name that mail servers read",
	"settings.tax_id":             "the number of a tax office",
	"customers.tax_id":            "the number of a tax office",
	"customers.alike_tax_id":      "the number of a tax office, folded",
	"customers.live_id":           "the id of the customer itself, as long as it is not merged",
	"customer_merge_rows.row_id":  "a row of any table",
	"webhook_events.event_id":     "the sender's id",
}

func TestFunctionsStayInTheirTenant(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	if found := leavingTenant(t, db); len(found) > 0 {
		t.Errorf("%q run as their owner (no function may: leave out SECURITY DEFINER), or use onlyonce.tenant_id "+
			"(do without, since claim_intent enters the tenant, or add them to tenantFunctions with the reason)", found)
	}
	for _, sql := range []string{
		"CREATE FUNCTION as_owner() RETURNS integer LANGUAGE sql SECURITY DEFINER RETURN 1",
		"CREATE FUNCTION sets() RETURNS text LANGUAGE sql RETURN set_config('onlyonce.tenant_id', '', true)",
		"CREATE FUNCTION sets_by_command() RETURNS void LANGUAGE plpgsql AS 'BEGIN SET onlyonce.tenant_id = 1; END'",
		"CREATE FUNCTION set_around() RETURNS integer LANGUAGE sql SET onlyonce.tenant_id = '' RETURN 1",
	} {
		query(t, db.AdminURL, sql)
	}
	if found := leavingTenant(t, db); !slices.Equal(found, []string{"as_owner", "set_around", "sets", "sets_by_command"}) {
		t.Errorf("of the functions that were added these are found: %q", found)
	}
}

// leavingTenant returns the functions that run as their owner, or use the setting and are not in tenantFunctions.
func leavingTenant(t *testing.T, db *pgtest.Database) []string {
	t.Helper()
	return lines(query(t, db.AdminURL, `
		SELECT string_agg(proname, E'\n' ORDER BY proname) FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
		WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND (prosecdef
			OR concat(prosrc, pg_get_function_sqlbody(pg_proc.oid), proconfig) ILIKE '%onlyonce.tenant\_id%'
				AND proname <> ALL ('{`+strings.Join(tenantFunctions, ",")+`}'))`))
}

// TestNoExtensions checks that the schema needs no extension, because a managed server may lack it. Every new database has plpgsql.
func TestNoExtensions(t *testing.T) {
	t.Parallel()
	if found := query(t, pgtest.New(t).AdminURL, "SELECT string_agg(extname, ' ') FROM pg_extension"); found != "plpgsql" {
		t.Errorf("the database has the extensions %s", found)
	}
}

// TestNoFunctionIsThereTwice checks that a migration that adds an argument to a function drops the old one.
func TestNoFunctionIsThereTwice(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	const twice = `
		SELECT string_agg(DISTINCT f.proname, E'\n') FROM pg_proc f JOIN pg_proc other USING (proname, pronamespace)
		WHERE f.pronamespace = 'public'::regnamespace AND f.oid < other.oid`
	if found := lines(query(t, db.AdminURL, twice)); len(found) > 0 {
		t.Errorf("there are several functions of the name %s: drop the old one in the migration that adds an argument", found)
	}
	query(t, db.AdminURL, "CREATE FUNCTION new_id(again integer) RETURNS integer LANGUAGE sql RETURN again")
	if found := lines(query(t, db.AdminURL, twice)); !slices.Equal(found, []string{"new_id"}) {
		t.Errorf("of the functions that are there twice these are found: %q", found)
	}
}

func TestEveryReferenceHasAForeignKey(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	all := maps.Clone(notReferences)
	maps.Copy(all, notReferencesOfInvoices())
	for _, column := range withoutForeignKey(t, db) {
		if all[column] == "" {
			t.Errorf("%s has no foreign key: add one that begins with tenant_id, or add it to notReferences with the reason", column)
		}
	}
	query(t, db.AdminURL, "ALTER TABLE customers ADD group_id uuid, ADD referrer_id uuid")
	query(t, db.AdminURL, "ALTER TABLE customers ADD FOREIGN KEY (tenant_id, referrer_id) REFERENCES customers")
	found := withoutForeignKey(t, db)
	if !slices.Contains(found, "customers.group_id") || slices.Contains(found, "customers.referrer_id") {
		t.Errorf("of the columns that were added these are found: %q", found)
	}
}

// TestIndexesDependOnNoLocale checks that text in an index is ordered by code point. The job queue's schema is left out: its few names
// consist of small letters, and unique jobs are identified by a digest.
func TestIndexesDependOnNoLocale(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	if found := byLocale(t, db); len(found) > 0 {
		t.Errorf("%q order text by a locale, which may change with an upgrade: write COLLATE \"C\" behind the type of the column", found)
	}
	query(t, db.AdminURL, "CREATE TABLE notes (tenant_id uuid, code text, label text, UNIQUE (tenant_id, code))")
	query(t, db.AdminURL, "CREATE INDEX notes_by_label ON notes (tenant_id, lower(label))")
	if found := byLocale(t, db); !slices.Equal(found, []string{"notes_by_label", "notes_tenant_id_code_key"}) {
		t.Errorf("of the indexes that were added these are found: %q", found)
	}
}

// TestIndexesDependOnNoSystem checks that no key is stored that an upgrade of the system may compute otherwise: by a hash of PostgreSQL,
// with the time zones, or from a floating-point number.
func TestIndexesDependOnNoSystem(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	if found := bySystem(t, db); len(found) > 0 {
		t.Errorf("%q may be computed otherwise after an upgrade of PostgreSQL or of the time zones", found)
	}
	query(t, db.AdminURL, "CREATE FUNCTION lock_number(of text) RETURNS bigint IMMUTABLE RETURN hashtextextended(of COLLATE \"C\", 0)")
	query(t, db.AdminURL, "CREATE TABLE notes (tenant_id uuid, at timestamptz, hash bigint GENERATED ALWAYS AS (lock_number('a')) STORED)")
	query(t, db.AdminURL, "CREATE UNIQUE INDEX notes_by_hash ON notes (tenant_id, hash)")
	query(t, db.AdminURL, "CREATE UNIQUE INDEX notes_by_day ON notes (tenant_id, ((at AT TIME ZONE 'Europe/Dublin')::date))")
	query(t, db.AdminURL, "CREATE TABLE weights (tenant_id uuid, weight float8, UNIQUE (tenant_id, weight))")
	if found := bySystem(t, db); !slices.Equal(found, []string{"notes.hash", "notes_by_day", "weights_tenant_id_weight_key"}) {
		t.Errorf("of what was added this is found: %q", found)
	}
}

// bySystem returns the indexes and generated columns that depend on a hash of PostgreSQL, on time zones or on a floating-point number,
// also through a function of the schema. UTC is no zone that changes.
func bySystem(t *testing.T, db *pgtest.Database) []string {
	t.Helper()
	return lines(query(t, db.AdminURL, `
		WITH stored AS (
			SELECT c.relname AS name, indexrelid AS id, pg_get_indexdef(indexrelid) AS sql,
				EXISTS (
					SELECT FROM pg_attribute WHERE attrelid = indexrelid AND atttypid IN ('float4'::regtype, 'float8'::regtype)) AS floats
			FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace = 'public'::regnamespace
			UNION ALL
			SELECT relname || '.' || attname, d.oid, pg_get_expr(adbin, adrelid), false
			FROM pg_attrdef d JOIN pg_class c ON c.oid = adrelid JOIN pg_attribute a ON attrelid = adrelid AND attnum = adnum
			WHERE relnamespace = 'public'::regnamespace AND attgenerated <> ''
		)
		SELECT string_agg(name, E'\n' ORDER BY name) FROM stored
		WHERE floats OR sql ~* 'hash\w*\(|timezone\(|at time zone ''(?!utc'')' OR EXISTS (
			SELECT FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND sql LIKE '%' || proname || '(%'
				AND (prosrc || COALESCE(pg_get_function_sqlbody(p.oid), '')) ~* 'hash\w*\(|timezone\(|at time zone ''(?!utc'')')`))
}

// byLocale returns the indexes that order text by a collation other than "C".
func byLocale(t *testing.T, db *pgtest.Database) []string {
	t.Helper()
	return lines(query(t, db.AdminURL, `
		SELECT string_agg(DISTINCT relname, E'\n' ORDER BY relname)
		FROM pg_index JOIN pg_class c ON c.oid = indexrelid, unnest(indcollation::oid[]) AS ordered
		WHERE relnamespace = 'public'::regnamespace AND ordered NOT IN (0, '"C"'::regcollation)`))
}

// withoutForeignKey returns the columns that end in _id and have no foreign key. It leaves out tables of words, which triggers write
// with each record, and no record is deleted; and the ids of other systems.
func withoutForeignKey(t *testing.T, db *pgtest.Database) []string {
	t.Helper()
	return lines(query(t, db.AdminURL, `
		SELECT string_agg(relname || '.' || attname, E'\n' ORDER BY relname, attname)
		FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT LIKE '%\_words'
			AND attname LIKE '%\_id' AND atttypid <> 'external_id'::regtype AND attnum > 0 AND NOT attisdropped
			AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = attrelid AND attnum = ANY (conkey))`))
}

// lines returns the lines of a result of query, none for NULL.
func lines(text string) []string {
	if text == "<nil>" {
		return nil
	}
	return strings.Split(text, "\n")
}
