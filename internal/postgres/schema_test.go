package postgres_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// tenantFunctions may use the setting with the tenant of a transaction. Any other function that uses it could show a tenant the rows of
// another tenant.
var tenantFunctions = []string{
	"claim_intent",   // enters the tenant of the request
	"current_tenant", // reads it, for the policies
	"settle_tenant",  // enters a new tenant to write its settings, and leaves it
	"begin_business", // enters a new tenant to write its owner, and leaves it
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
	"endpoint_mails.message_id":   "a name that mail servers read",
	"link_mails.message_id":       "a name that mail servers read",
	"sign_ups.tenant_id":          "the tenant of strangers is an id without a row",
	"sign_up_mails.message_id":    "a name that mail servers read",
	"tenants.sign_up_id":          "sign-ups are deleted, and tenants never",
	"settings.tax_id":             "the number of a tax office",
	"customers.tax_id":            "the number of a tax office",
	"customers.alike_tax_id":      "the number of a tax office, folded",
	"customers.live_id":           "the id of the customer itself, as long as it is not merged",
	"customer_merge_rows.row_id":  "a row of any table",
	"webhook_events.event_id":     "the sender's id",
	"deliveries.event_id":         "attempts are no records",
	"deliveries.record_id":        "a record of any table",
}

// look is a query for the names of faults in a schema.
type look struct {
	sql    string
	except []string // names that may be found
	advice string
	// The query finds these names after these additions.
	additions, finds []string
}

// try checks that the query finds no fault in the schema, and finds the faults that are added to it.
func (l look) try(t *testing.T) {
	t.Helper()
	t.Parallel()
	db := spoiled(t)
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	must.OK(t, err)
	defer conn.Close(context.Background())
	find := func() []string {
		rows, _ := conn.Query(t.Context(), l.sql) // CollectRows returns its error
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must.OK(t, err)
		return slices.DeleteFunc(found, func(name string) bool { return slices.Contains(l.except, name) })
	}
	if found := find(); len(found) > 0 {
		t.Errorf("%q: %s", found, l.advice)
	}
	for _, sql := range l.additions {
		must.Exec(t, conn, sql)
	}
	if found := find(); !slices.Equal(found, l.finds) {
		t.Errorf("after the additions these are found: %q", found)
	}
}

// TestFunctionsStayInTheirTenant finds functions that run as their owner, or use the setting and are not in tenantFunctions.
func TestFunctionsStayInTheirTenant(t *testing.T) {
	look{
		sql: `
			SELECT proname FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
			WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND (prosecdef
				OR concat(prosrc, pg_get_function_sqlbody(pg_proc.oid), proconfig) ILIKE '%onlyonce.tenant\_id%')
			ORDER BY proname`,
		except: tenantFunctions,
		advice: "no function may run as its owner: leave out SECURITY DEFINER. If it uses onlyonce.tenant_id, " +
			"do without, since claim_intent enters the tenant, or add it to tenantFunctions with the reason",
		additions: []string{
			"CREATE FUNCTION as_owner() RETURNS integer LANGUAGE sql SECURITY DEFINER RETURN 1",
			"CREATE FUNCTION sets() RETURNS text LANGUAGE sql RETURN set_config('onlyonce.tenant_id', '', true)",
			"CREATE FUNCTION sets_by_command() RETURNS void LANGUAGE plpgsql AS 'BEGIN SET onlyonce.tenant_id = 1; END'",
			"CREATE FUNCTION set_around() RETURNS integer LANGUAGE sql SET onlyonce.tenant_id = '' RETURN 1",
		},
		finds: []string{"as_owner", "set_around", "sets", "sets_by_command"},
	}.try(t)
}

// TestNoExtensions checks that the schema needs no extension, because a managed server may lack it. Every new database has plpgsql.
func TestNoExtensions(t *testing.T) {
	t.Parallel()
	wantValue(t, pgtest.New(t).AdminURL, "SELECT string_agg(extname, ' ') FROM pg_extension", "plpgsql")
}

// TestNoFunctionIsThereTwice checks that a migration that adds an argument to a function drops the old one.
func TestNoFunctionIsThereTwice(t *testing.T) {
	look{
		sql: `
			SELECT DISTINCT f.proname FROM pg_proc f JOIN pg_proc other USING (proname, pronamespace)
			WHERE f.pronamespace = 'public'::regnamespace AND f.oid < other.oid`,
		advice:    "there are several functions of the name: drop the old one in the migration that adds an argument",
		additions: []string{"CREATE FUNCTION new_id(again integer) RETURNS integer LANGUAGE sql RETURN again"},
		finds:     []string{"new_id"},
	}.try(t)
}

// TestEveryReferenceHasAForeignKey finds columns that end in _id and have no foreign key. It leaves out tables of words, which triggers
// write with each record, and no record is deleted; and the ids of other systems.
func TestEveryReferenceHasAForeignKey(t *testing.T) {
	all := maps.Clone(notReferences)
	maps.Copy(all, notReferencesOfInvoices())
	look{
		sql: `
			SELECT relname || '.' || attname
			FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
			WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT LIKE '%\_words'
				AND attname LIKE '%\_id' AND atttypid <> 'external_id'::regtype AND attnum > 0 AND NOT attisdropped
				AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = attrelid AND attnum = ANY (conkey))`,
		except: slices.Collect(maps.Keys(all)),
		advice: "no foreign key: add one that begins with tenant_id, or add it to notReferences with the reason",
		additions: []string{
			"ALTER TABLE customers ADD group_id uuid, ADD referrer_id uuid",
			"ALTER TABLE customers ADD FOREIGN KEY (tenant_id, referrer_id) REFERENCES customers",
		},
		finds: []string{"customers.group_id"},
	}.try(t)
}

// notLookedUp are references by which no page finds rows, each with the reason.
var notLookedUp = map[string]string{
	"customer_distinct_pairs_other": "looked up as a pair",
	"events_intent":                 "looked up by their number",
}

// TestReferencesHaveAnIndex finds references to records without an index that begins with their columns: a page with the rows that refer
// to a record would read all rows of the tenant. An index may leave out NULL.
func TestReferencesHaveAnIndex(t *testing.T) {
	all := maps.Clone(notLookedUp)
	maps.Copy(all, notLookedUpOfInvoices())
	look{
		sql: `
			SELECT conname FROM pg_constraint f
			WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND confrelid <> 'tenants'::regclass AND NOT EXISTS (
				SELECT FROM pg_index
				WHERE indrelid = conrelid AND (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
					AND COALESCE(pg_get_expr(indpred, indrelid), '') ~ '^(\(\w+ IS NOT NULL\))?$')
			ORDER BY conname`,
		except: slices.Collect(maps.Keys(all)),
		advice: "no index begins with the columns of these references: CREATE INDEX ... ON the table (tenant_id, the column, id), or add " +
			"them to notLookedUp with the reason",
		additions: []string{
			"CREATE TABLE cards (tenant_id uuid, id uuid, customer_id uuid, other_id uuid, PRIMARY KEY (tenant_id, id))",
			"ALTER TABLE cards ADD CONSTRAINT cards_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers",
			"ALTER TABLE cards ADD CONSTRAINT cards_other FOREIGN KEY (tenant_id, other_id) REFERENCES customers",
			"CREATE INDEX cards_of_customer ON cards (tenant_id, customer_id, id)",
			"CREATE TABLE card_lines (tenant_id uuid, card_id uuid, position integer, PRIMARY KEY (tenant_id, card_id, position))",
			"ALTER TABLE card_lines ADD CONSTRAINT card_lines_card FOREIGN KEY (tenant_id, card_id) REFERENCES cards",
		},
		finds: []string{"cards_other"},
	}.try(t)
}

// TestIndexesDependOnNoLocale checks that text in an index is ordered by code point. The job queue's schema is left out: its few names
// consist of small letters, and unique jobs are identified by a digest.
func TestIndexesDependOnNoLocale(t *testing.T) {
	look{
		sql: `
			SELECT DISTINCT relname
			FROM pg_index JOIN pg_class c ON c.oid = indexrelid, unnest(indcollation::oid[]) AS ordered
			WHERE relnamespace = 'public'::regnamespace AND ordered NOT IN (0, '"C"'::regcollation) ORDER BY relname`,
		advice: `text is ordered by a locale, which may change with an upgrade: write COLLATE "C" behind the type of the column`,
		additions: []string{
			"CREATE TABLE notes (tenant_id uuid, code text, label text, UNIQUE (tenant_id, code))",
			"CREATE INDEX notes_by_label ON notes (tenant_id, lower(label))",
		},
		finds: []string{"notes_by_label", "notes_tenant_id_code_key"},
	}.try(t)
}

// TestIndexesDependOnNoSystem checks that no key is stored that an upgrade of the system may compute otherwise: by a hash of PostgreSQL,
// with the time zones, or from a floating-point number, also through a function of the schema. UTC is no zone that changes.
func TestIndexesDependOnNoSystem(t *testing.T) {
	look{
		sql: `
			WITH stored AS (
				SELECT c.relname AS name, indexrelid AS id, pg_get_indexdef(indexrelid) AS sql,
					EXISTS (
						SELECT FROM pg_attribute
						WHERE attrelid = indexrelid AND atttypid IN ('float4'::regtype, 'float8'::regtype)) AS floats
				FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace = 'public'::regnamespace
				UNION ALL
				SELECT relname || '.' || attname, d.oid, pg_get_expr(adbin, adrelid), false
				FROM pg_attrdef d JOIN pg_class c ON c.oid = adrelid JOIN pg_attribute a ON attrelid = adrelid AND attnum = adnum
				WHERE relnamespace = 'public'::regnamespace AND attgenerated <> ''
			)
			SELECT name FROM stored
			WHERE floats OR sql ~* 'hash\w*\(|timezone\(|at time zone ''(?!utc'')' OR EXISTS (
				SELECT FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND sql LIKE '%' || proname || '(%'
					AND (prosrc || COALESCE(pg_get_function_sqlbody(p.oid), '')) ~* 'hash\w*\(|timezone\(|at time zone ''(?!utc'')')
			ORDER BY name`,
		advice: "it may be computed otherwise after an upgrade of PostgreSQL or of the time zones",
		additions: []string{
			`CREATE FUNCTION lock_number(of text) RETURNS bigint IMMUTABLE RETURN hashtextextended(of COLLATE "C", 0)`,
			"CREATE TABLE notes (tenant_id uuid, at timestamptz, hash bigint GENERATED ALWAYS AS (lock_number('a')) STORED)",
			"CREATE UNIQUE INDEX notes_by_hash ON notes (tenant_id, hash)",
			"CREATE UNIQUE INDEX notes_by_day ON notes (tenant_id, ((at AT TIME ZONE 'Europe/Dublin')::date))",
			"CREATE TABLE weights (tenant_id uuid, weight float8, UNIQUE (tenant_id, weight))",
		},
		finds: []string{"notes.hash", "notes_by_day", "weights_tenant_id_weight_key"},
	}.try(t)
}

// TestEveryRowCanBeReplicated checks that each table has columns that identify a row and aren't generated. Logical replication to a
// server of the next major version (docs/upgrade.md) needs them, and doesn't send generated columns.
func TestEveryRowCanBeReplicated(t *testing.T) {
	look{
		sql: `
			SELECT relname
			FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
			WHERE relkind = 'r' AND relpersistence = 'p' AND nspname NOT IN ('pg_catalog', 'information_schema') AND NOT EXISTS (
				SELECT FROM pg_index i
				WHERE indrelid = c.oid AND CASE relreplident WHEN 'i' THEN indisreplident WHEN 'd' THEN indisprimary END AND NOT EXISTS (
					SELECT FROM pg_attribute WHERE attrelid = c.oid AND attnum = ANY (indkey) AND attgenerated <> ''))`,
		except:    []string{"settings"}, // the documentation names other columns for it
		advice:    "logical replication refuses its changes: give it a key without a generated column",
		additions: []string{"CREATE TABLE unidentified (name text)"},
		finds:     []string{"unidentified"},
	}.try(t)
}
