package site_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/postgres/pgtest"
)

// secrets are the texts that only acme may read.
var secrets = []string{"secret@acme.example", "Secret Customer", "SECRET-7", "secret notes", "secret work", "secret reference",
	"Secret Ltd", "secret street", "secret-person@acme.example", "Secret Person", "secret token", "secret actor", "secret replica"}

// secretIDs are the ids and queries that the other tenant uses.
type secretIDs struct {
	customer string
	ids      []string // one record of each kind, the customer's first
	queries  []string // with other possible ways there
	// sent is a resource with a command that another tenant can't carry out; it is sent to every route.
	sent resource
}

// setupSecrets creates for acme a customer, under key, and records of all other kinds.
func setupSecrets(t *testing.T) (*bundle, secretIDs) {
	t.Helper()
	b := setup(t)
	program := b.program(b.replica, b.acme)
	a := program.create(customers(), key, change(customers().command, "email", "secret@acme.example", "name", "Secret Customer"))
	if a.status != http.StatusCreated {
		t.Fatal(a)
	}
	of := secretIDs{customer: decode[created](b, a).ID}
	program.create(settings(), "settings", change(settings().command, "name", "Secret Ltd", "address", "1 secret street"))
	user := b.prepared(b.acme, "person", users(), change(users().command, "email", "secret-person@acme.example", "name", "Secret Person"))
	b.exec(`INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by)
		SELECT tenant_id, id, link_id, email, 'secret owner' FROM users WHERE id = $1`, user.ID)
	token := b.prepared(b.acme, "token", apiTokens(), url.Values{"name": {"secret token"}, "role": {"member"}})
	of.sent = customers()
	of.sent.command = change(of.sent.command, "email", "nobody", "name", " ", "idempotency_key", key)
	of.ids = []string{of.customer, user.ID, token.ID}
	of.queries = []string{
		"", "customer_id=" + of.customer, "record=" + of.customer, "customer=" + of.customer, "key=" + key,
		"key=" + key + "&customer=" + of.customer,
	}
	for _, plain := range plainResources() {
		of.ids = append(of.ids, b.prepared(b.acme, plain.name, plain, plain.command).ID)
	}
	b.exec(`INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, record_id, operation, key, 'secret effect' FROM intents WHERE record_id = $1`, of.customer)
	b.exec(`INSERT INTO attempts (tenant_id, id, record_id, at, duration, operation, key, outcome, actor, reason, replica)
		SELECT tenant_id, new_id(), record_id, now(), 1, operation, key, 'replayed', 'secret actor', '', 'secret replica'
		FROM intents WHERE record_id = $1`, of.customer)
	merge := b.prepared(b.acme, "merge", merges(), merges().command)
	distinction := b.prepared(b.acme, "distinction", distinctions(), distinctions().other)
	b.exec(`INSERT INTO customer_merge_rows (tenant_id, row_id, merge_id, table_name, column_name, was)
		SELECT tenant_id, winner_id, id, 'customers', 'merged_into', winner_id FROM customer_merges`)
	of.ids = append(of.ids, merge.ID, distinction.ID)
	b.secretInvoices(&of)
	return b, of
}

// TestOtherTenantsSeeNothing requests every route with the other tenant's login and token, and with everything that it could
// have learned: ids and the key.
func TestOtherTenantsSeeNothing(t *testing.T) {
	pgtest.Long(t)
	b, of := setupSecrets(t)
	before := b.rows()
	person, program := b.person(b.replica, b.globex), b.program(b.replica, b.globex)
	hidden := append(slices.Clone(secrets), merges().label)
	for _, plain := range plainResources() {
		hidden = append(hidden, plain.label)
	}
	tried := 0
	for _, route := range b.walk() {
		method, path, _ := strings.Cut(route, " ")
		caller, body := person, of.sent.command.Encode()
		if strings.HasPrefix(path, "/api/") {
			caller, body = program, of.sent.api.encode(of.sent.command)
		} else {
			caller = caller.with("Content-Type", "application/x-www-form-urlencoded")
		}
		ids := of.ids
		if !strings.Contains(path, "{id}") {
			ids = ids[:1]
		}
		for _, id := range ids {
			for n, query := range of.queries {
				if path == "/logout" && n > 0 { // each round needs another login, and logins are limited
					break
				}
				address := strings.ReplaceAll(path, "{id}", id) + "?" + query
				a := caller.must(caller.with("Idempotency-Key", key).send(t.Context(), method, address, body))
				tried++
				if strings.Contains(path, "{id}") && a.status != http.StatusNotFound {
					b.Errorf("%s %s: %v", method, address, a)
				}
				for _, secret := range hidden {
					if strings.Contains(a.body, secret) || strings.Contains(fmt.Sprint(a.header), secret) {
						b.Errorf("%s %s has %q: %v", method, address, secret, a)
					}
				}
				if path == "/logout" {
					person.logIn(b.globex, password)
				}
			}
		}
	}
	if tried < 100 {
		b.Errorf("only %d attempts", tried)
	}
	if after := b.rows(); !after.equal(before) {
		b.Errorf("rows %+v before and %+v after", before, after)
	}
}

// tenantTables returns the tables with a tenant_id, from the catalog, except those that are read before a tenant is known.
func (b *bundle) tenantTables() []string {
	b.Helper()
	tables := get[[]string](b, `
		SELECT array_agg(relname::text ORDER BY relname) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attname = 'tenant_id'`)
	tables = slices.DeleteFunc(tables, func(table string) bool { return slices.Contains(directory, table) })
	if len(tables) < 5 {
		b.Fatalf("found only %v", tables)
	}
	return tables
}

// TestRowLevelSecurity runs queries without a tenant condition as the app's role.
func TestRowLevelSecurity(t *testing.T) {
	b, _ := setupSecrets(t)
	b.db.Spoil(t)
	b.exec(`DELETE FROM settings WHERE tenant_id = $1`, b.globex.id) // so that globex has no row in any table
	for _, table := range b.tenantTables() {
		// Triggers and privileges also refuse some of the statements.
		b.exec(`ALTER TABLE ` + table + ` DISABLE TRIGGER USER; GRANT UPDATE ON ` + table + ` TO onlyonce`)
		if get[int](b, `SELECT count(*) FROM `+table) == 0 {
			t.Fatalf("%s has no row to hide: give it one in this test", table)
		}
		for who, c := range map[string]struct {
			tenant  string
			visible bool
		}{
			"nobody": {"", false}, "another tenant": {b.globex.id.String(), false}, "the tenant": {b.acme.id.String(), true},
		} {
			inTx(b, c.tenant, func(tx pgx.Tx) {
				var seen, changed int
				if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&seen); err != nil {
					t.Fatal(err)
				}
				tag, err := tx.Exec(t.Context(), `UPDATE `+table+` SET tenant_id = tenant_id`)
				if err != nil {
					t.Fatal(err)
				}
				changed = int(tag.RowsAffected())
				if (seen > 0) != c.visible || (changed > 0) != c.visible {
					b.Errorf("%s: %s sees %d rows and may change %d", table, who, seen, changed)
				}
			})
		}
		for _, as := range []string{"", b.acme.id.String()} {
			inTx(b, as, func(tx pgx.Tx) {
				_, err := tx.Exec(t.Context(), `INSERT INTO `+table+` (tenant_id) VALUES ($1)`, b.globex.id)
				var refused *pgconn.PgError
				if !errors.As(err, &refused) || refused.Code != "42501" {
					b.Errorf("%s: tenant %q inserts for another: %v", table, as, err)
				}
			})
		}
	}
}

// TestDirectoryWithinATenant: a transaction that entered a tenant sees and changes only the tenant's users and tokens, for any
// query.
func TestDirectoryWithinATenant(t *testing.T) {
	b, _ := setupSecrets(t)
	for _, table := range []string{"users", "api_tokens"} {
		all := get[int](b, `SELECT count(*) FROM `+table)
		own := get[int](b, `SELECT count(*) FROM `+table+` WHERE tenant_id = $1`, b.acme.id)
		for who, c := range map[string]struct {
			tenant string
			want   int
		}{"a login": {"", all}, "acme": {b.acme.id.String(), own}, "nobody": {uuid.NewString(), 0}} {
			inTx(b, c.tenant, func(tx pgx.Tx) {
				var seen int
				if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&seen); err != nil {
					t.Fatal(err)
				}
				changed, err := tx.Exec(t.Context(), `UPDATE `+table+` SET tenant_id = tenant_id`)
				if err != nil || seen != c.want || int(changed.RowsAffected()) != c.want {
					b.Errorf("%s: %s sees %d rows and changes %v, want %d: %v", table, who, seen, changed, c.want, err)
				}
			})
		}
		inTx(b, b.acme.id.String(), func(tx pgx.Tx) {
			_, err := tx.Exec(t.Context(), `UPDATE `+table+` SET tenant_id = $1`, b.globex.id)
			if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "42501" {
				b.Errorf("%s: moved to another tenant: %v", table, err)
			}
		})
	}
}

// inTx runs statements as the app's role and a tenant, or none, and rolls back.
func inTx(b *bundle, tenant string, run func(pgx.Tx)) {
	b.Helper()
	tx, err := b.db.Pool.Begin(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback(b.Context())
	if tenant != "" {
		if _, err := tx.Exec(b.Context(), `SELECT set_config('onlyonce.tenant_id', $1, true)`, tenant); err != nil {
			b.Fatal(err)
		}
	}
	run(tx)
}
