package postgres_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

var update = flag.Bool("update", false, "write catalog.txt anew")

// TestCatalogIsFresh checks that catalog.txt describes the schema that the migrations make.
func TestCatalogIsFresh(t *testing.T) {
	t.Parallel()
	made, err := postgres.Catalog(t.Context(), pgtest.New(t).Pool)
	must.OK(t, err)
	if *update {
		must.OK(t, os.WriteFile("catalog.txt", []byte(made), 0o600))
		return
	}
	assert.Thatf(t, made == postgres.EmbeddedCatalog(),
		"the migrations make another schema than internal/postgres/catalog.txt has: run make catalog, and commit the file")
}

// TestCatalogIsWhole checks that the migrations make only objects of the kinds that are compared.
func TestCatalogIsWhole(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	beside := query(t, db.AdminURL, `
		SELECT string_agg(pg_describe_object(classid, objid, 0), ', ')
		FROM pg_depend LEFT JOIN pg_class c ON classid = 'pg_class'::regclass AND c.oid = objid
			LEFT JOIN pg_type t ON classid = 'pg_type'::regclass AND t.oid = objid
		WHERE refclassid = 'pg_namespace'::regclass AND refobjid = 'public'::regnamespace AND classid <> 'pg_proc'::regclass
			AND c.relkind IS DISTINCT FROM 'r' AND t.typtype IS DISTINCT FROM 'd'
			AND NOT EXISTS (SELECT FROM pg_depend column_of WHERE column_of.objid = c.oid AND column_of.deptype = 'i')`, // of an identity
	)
	assert.Thatf(t, beside == "<nil>", "catalogQuery leaves out %s", beside)
}

// sabotage is a change of the catalog, and the prefixes of the sentences about it, one a line.
type sabotage struct{ spoil, want string }

const (
	different = " is not as the migrations made it: "
	missing   = " is missing: "
	foreign   = " is not ours: "
)

// TestDifferences removes, adds and changes one object after the other, as the superuser, and rolls each change back.
func TestDifferences(t *testing.T) {
	t.Parallel()
	all := []sabotage{
		// Objects that the migrations did not make, and changes by another version of the program.
		{"", ""},
		{"CREATE TABLE strange (id integer UNIQUE CHECK (id > 0))", ""},
		{"CREATE FUNCTION strange() RETURNS integer LANGUAGE sql RETURN 1", ""},
		{"CREATE INDEX strange ON customers (tenant_id, name)", ""},
		{"CREATE ROLE reporting; GRANT SELECT ON intents TO reporting", ""},
		{"ALTER TABLE customers SET (autovacuum_enabled = false)", ""},
		{"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true); ALTER TABLE customers ADD strange text", ""},

		{"ALTER TABLE customers NO FORCE ROW LEVEL SECURITY", "the row-level security of customers" + different + "tenants may see"},
		{"ALTER TABLE customers DISABLE ROW LEVEL SECURITY", "the row-level security of customers" + different},
		{"DROP POLICY tenant_isolation ON customers", "the policy tenant_isolation of customers" + missing + "tenants may see"},
		{"ALTER POLICY tenant_isolation ON customers USING (true)", "the policy tenant_isolation of customers" + different},
		{"ALTER POLICY tenant_isolation ON customers WITH CHECK (true)", "the policy tenant_isolation of customers" + different},
		{"ALTER POLICY tenant_isolation ON customers TO postgres", "the policy tenant_isolation of customers" + different},
		{"CREATE POLICY open ON customers USING (true)", "the policy open of customers" + foreign + "tenants may see"},

		{"GRANT UPDATE ON intents TO onlyonce", "the access list of intents" + different},
		{"GRANT UPDATE (actor) ON intents TO onlyonce", "the access list of intents" + different},
		{"GRANT DELETE ON intent_effects TO PUBLIC", "the access list of intent_effects" + different},
		{"GRANT SELECT ON customers TO PUBLIC", "the access list of customers" + different},
		{"CREATE ROLE writing; GRANT INSERT ON customers TO writing", "the access list of customers" + different},
		{"REVOKE INSERT ON customers FROM onlyonce", "the access list of customers" + different},

		{
			"ALTER TABLE intents DROP CONSTRAINT intents_pkey CASCADE",
			"the constraint events_intent of events" + missing + "\nthe constraint intent_effects_intent of intent_effects" + missing +
				"\nthe constraint intents_pkey of intents" + missing,
		},
		{"ALTER TABLE customers DROP CONSTRAINT customers_external", "the constraint customers_external of customers" + missing},
		{"ALTER TABLE customers DROP CONSTRAINT customers_email_ascii", "the constraint customers_email_ascii of customers" + missing},
		{"ALTER TABLE users DROP CONSTRAINT users_tenant_id_fkey", "the constraint users_tenant_id_fkey of users" + missing},
		{"ALTER TABLE users ALTER CONSTRAINT users_tenant_id_fkey DEFERRABLE", "the constraint users_tenant_id_fkey of users" + different},
		{
			"UPDATE pg_constraint SET convalidated = false WHERE conname = 'users_tenant_id_fkey'",
			"the constraint users_tenant_id_fkey of users" + different,
		},
		{
			"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_email_once'::regclass",
			"the constraint users_email_once of users" + different,
		},
		{"ALTER TABLE customers ADD CONSTRAINT strange CHECK (name <> 'Bob')", "the constraint strange of customers" + foreign},

		{"DROP INDEX tenants_name_once", "the unique index tenants_name_once of tenants" + missing},
		{"CREATE UNIQUE INDEX strange ON customers (tenant_id, name)", "the unique index strange of customers" + foreign},
		{
			"DROP INDEX tenants_name_once; CREATE INDEX tenants_name_once ON tenants (fold_text(name)) WHERE NOT demo",
			"the unique index tenants_name_once of tenants" + missing,
		},
		{"DROP INDEX customers_active", "the index customers_active of customers" + missing},
		{
			"DROP INDEX customers_active; CREATE INDEX customers_active ON customers (id)",
			"the index customers_active of customers" + different,
		},
		{
			"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'customers_active'::regclass",
			"the index customers_active of customers" + different,
		},

		{"DROP TRIGGER next_version ON customers", "the trigger next_version of customers" + missing},
		{"ALTER TABLE customers DISABLE TRIGGER next_version", "the trigger next_version of customers" + different},
		{"ALTER TABLE customers ENABLE REPLICA TRIGGER next_version", "the trigger next_version of customers" + different},
		{
			"CREATE TRIGGER strange BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
			"the trigger strange of sessions" + foreign,
		},
		{ // the triggers of foreign keys too
			"ALTER TABLE api_tokens DISABLE TRIGGER ALL",
			"the constraint api_token_uses_token of api_token_uses" + different +
				"\nthe constraint api_tokens_tenant_id_fkey of api_tokens" + different +
				"\nthe trigger next_version of api_tokens" + different,
		},
		{"CREATE RULE strange AS ON INSERT TO customers DO INSTEAD NOTHING", "the rule strange of customers" + foreign},

		{
			`CREATE OR REPLACE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text) RETURNS void
				LANGUAGE sql AS $$ SELECT set_config('onlyonce.tenant_id', in_tenant::text, true) $$`,
			"the function claim_intent(uuid, text, text, text)" + different, //nolint:dupword // their types
		},
		{
			"CREATE OR REPLACE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE RETURN NULL::uuid",
			"the function current_tenant()" + different,
		},
		{"ALTER FUNCTION current_tenant() SECURITY DEFINER", "the function current_tenant()" + different},
		{"ALTER FUNCTION current_tenant() SET search_path = x", "the function current_tenant()" + different},
		{"DROP FUNCTION require_rows", "the function require_rows(bigint, bigint)" + missing},
		{
			"REVOKE EXECUTE ON FUNCTION require_rows FROM PUBLIC, onlyonce",
			"the function require_rows(bigint, bigint)" + different,
		},
		{
			"CREATE FUNCTION require_rows(integer, integer) RETURNS void LANGUAGE sql AS ''",
			"the function require_rows(integer, integer)" + foreign,
		},

		{
			"ALTER DOMAIN record_version DROP CONSTRAINT record_version_check",
			"the constraint record_version_check of record_version" + missing,
		},
		{"ALTER DOMAIN record_version ADD CONSTRAINT strange CHECK (VALUE < 5)", "the constraint strange of record_version" + foreign},
		{"ALTER DOMAIN record_version SET DEFAULT 7", "the domain record_version" + different},

		{"ALTER TABLE customers ALTER name DROP NOT NULL", "the column name of customers" + different},
		{"ALTER TABLE customers ALTER version SET DEFAULT 2", "the column version of customers" + different},
		{"ALTER TABLE customers ALTER email_folded DROP EXPRESSION", "the column email_folded of customers" + different},
		{`ALTER TABLE sessions ALTER token TYPE text COLLATE "POSIX"`, "the column token of sessions" + different},
		{
			"ALTER TABLE settings RENAME payment_days TO days",
			"the column days of settings" + foreign + "\nthe column payment_days of settings" + missing,
		},
		{
			"DO $$ BEGIN FOR n IN 1..25 LOOP EXECUTE 'ALTER TABLE customers ADD strange' || n || ' text'; END LOOP; END $$",
			strings.Repeat("the column strange\n", 20) + "and 5 objects more",
		},
		{"ALTER SEQUENCE events_n_seq CACHE 10", "the sequence n of events" + different},
		{"ALTER TABLE sessions SET UNLOGGED", "the table sessions" + different},
		{"DROP TABLE sessions", "the table sessions" + missing},
	}
	all = append(all, invoiceSabotages()...)
	db := spoiled(t)
	for _, c := range all {
		t.Run(strings.ReplaceAll(c.spoil, "\n", " "), func(t *testing.T) { //nolint:paralleltest // they share a database
			tx, err := db.Admin().Begin(t.Context())
			must.OK(t, err)
			defer tx.Rollback(t.Context())
			must.Exec(t, tx, c.spoil)
			got, err := postgres.Differences(t.Context(), tx)
			must.OK(t, err)
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "\n")
			}
			assert.Thatf(t, slices.EqualFunc(got, want, strings.HasPrefix), "got %q, want %q", got, want)
		})
	}
}

// TestCopyDatabaseRefuses checks that CopyDatabase refuses a database with objects that it would lose. It isn't parallel, because
// databases of other tests would count as such.
func TestCopyDatabaseRefuses(t *testing.T) { //nolint:paralleltest // see above
	to := pgtest.New(t)
	to.Spoil(t) // removes the schema pgtest, which the other databases lack as well
	for want, sql := range map[string]string{
		"the table notes;":                               `CREATE TABLE notes (text text)`,
		"of mine.notes;":                                 `CREATE SCHEMA mine CREATE TABLE notes (text text)`,
		"the index mine of users;":                       `CREATE INDEX mine ON users (id)`,
		"the unique index tenants_name_once of tenants;": `DROP INDEX tenants_name_once`,
		"the large object 4711":                          `SELECT lo_create(4711)`,
		"settings: 1 rows": `
			SET session_replication_role = replica;
			INSERT INTO settings (tenant_id, name) VALUES (gen_random_uuid(), 'Acme');
			UPDATE pg_attribute SET attgenerated = '' WHERE attrelid = 'settings'::regclass AND attname = 'id';
			UPDATE settings SET id = gen_random_uuid();
			UPDATE pg_attribute SET attgenerated = 's' WHERE attrelid = 'settings'::regclass AND attname = 'id'`,
	} {
		t.Run(want, func(t *testing.T) { //nolint:paralleltest // see above
			from := spoiled(t)
			must.Exec(t, from.Admin(), sql)
			err := postgres.CopyDatabase(t.Context(), from.AdminURL, to.AdminURL)
			assert.Thatf(t, err != nil && strings.Contains(err.Error(), want), "%v", err)
		})
	}
}
