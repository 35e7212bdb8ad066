package site_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// secrets are the texts that only acme may read.
var secrets = []string{"secret@acme.example", "Secret Customer", "SECRET-7", "secret notes", "secret work", "secret reference",
	"secret-sign-up",
	"Secret Ltd", "secret street", "secret-person@acme.example", "Secret Person", "secret token", "secret actor", "secret replica"}

// secretIDs are the ids and queries that the other tenant uses.
type secretIDs struct {
	customer string
	ids      []string // one record of each kind, the customer's first
	queries  []string // with other possible ways there
	// sent is a resource with a command that another tenant can't carry out; it is sent to every route.
	sent sitetest.Resource
}

// setupSecrets creates for acme a customer, under key, and records of all other kinds.
func setupSecrets(t *testing.T) (*sitetest.Bundle, secretIDs) {
	t.Helper()
	b := setup(t)
	program := b.Program(b.Replica, b.Acme)
	a := program.Create(customercases.Customers(), sitetest.Key,
		sitetest.Change(customercases.Customers().Command, "email", "secret@acme.example", "name", "Secret Customer"))
	must.Thatf(t, a.Status == http.StatusCreated, "%v", a)
	of := secretIDs{customer: sitetest.Decode[sitetest.Created](b, a).ID}
	program.Create(peoplecases.Settings(), "settings",
		sitetest.Change(peoplecases.Settings().Command, "name", "Secret Ltd", "address", "1 secret street"))
	user := b.Prepared(b.Acme, "person", peoplecases.Users(),
		sitetest.Change(peoplecases.Users().Command, "email", "secret-person@acme.example", "name", "Secret Person"))
	b.Exec(`INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by)
		SELECT tenant_id, id, link_id, email, 'secret owner' FROM users WHERE id = $1`, user.ID)
	b.Exec(`INSERT INTO sign_ups (tenant_id, id, email) VALUES ($1, $1, 'secret-sign-up@acme.example')`, b.Acme.ID)
	b.Exec(`INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash) VALUES ($1, $1, $1, sha256(''))`, b.Acme.ID)
	token := b.Prepared(b.Acme, "token", peoplecases.APITokens(), url.Values{"name": {"secret token"}, "role": {"member"}})
	of.sent = customercases.Customers()
	of.sent.Command = sitetest.Change(of.sent.Command, "email", "nobody", "name", " ", "idempotency_key", sitetest.Key)
	of.ids = []string{of.customer, user.ID, token.ID, b.Acme.ID.String()}
	of.queries = []string{
		"", "customer_id=" + of.customer, "record=" + of.customer, "customer=" + of.customer, "key=" + sitetest.Key,
		"key=" + sitetest.Key + "&customer=" + of.customer,
	}
	for _, plain := range plainResources() {
		of.ids = append(of.ids, b.Prepared(b.Acme, plain.Name, plain, plain.Command).ID)
	}
	b.Exec(`INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, record_id, operation, key, 'secret effect' FROM intents WHERE record_id = $1`, of.customer)
	b.Exec(`INSERT INTO attempts (tenant_id, id, record_id, at, duration, operation, key, outcome, actor, reason, replica)
		SELECT tenant_id, new_id(), record_id, now(), 1, operation, key, 'replayed', 'secret actor', '', 'secret replica'
		FROM intents WHERE record_id = $1`, of.customer)
	merge := b.Prepared(b.Acme, "merge", customercases.Merges(), customercases.Merges().Command)
	distinction := b.Prepared(b.Acme, "distinction", customercases.Distinctions(), customercases.Distinctions().Other)
	b.Exec(`INSERT INTO customer_merge_rows (tenant_id, row_id, merge_id, table_name, column_name, was)
		SELECT tenant_id, winner_id, id, 'customers', 'merged_into', winner_id FROM customer_merges`)
	of.ids = append(of.ids, merge.ID, distinction.ID)
	secretInvoices(b, &of)
	return b, of
}

// TestOtherTenantsSeeNothing requests every route with the other tenant's login and token, and with everything that it could
// have learned: ids and the key.
func TestOtherTenantsSeeNothing(t *testing.T) {
	pgtest.Long(t)
	b, of := setupSecrets(t)
	before := b.Rows()
	person, program := b.Person(b.Replica, b.Globex), b.Program(b.Replica, b.Globex)
	hidden := append(slices.Clone(secrets), customercases.Merges().Label)
	for _, plain := range plainResources() {
		hidden = append(hidden, plain.Label)
	}
	tried := 0
	for _, route := range walk(b) {
		method, path, _ := strings.Cut(route, " ")
		caller, body := person, of.sent.Command.Encode()
		if strings.HasPrefix(path, "/api/") {
			caller, body = program, of.sent.API.Encode(of.sent.Command)
		} else {
			caller = caller.With("Content-Type", "application/x-www-form-urlencoded")
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
				a := caller.Must(caller.With("Idempotency-Key", sitetest.Key).Send(t.Context(), method, address, body))
				tried++
				if strings.Contains(path, "{id}") && a.Status != http.StatusNotFound && a.Status != http.StatusTooManyRequests {
					b.Errorf("%s %s: %v", method, address, a)
				}
				for _, secret := range hidden {
					assert.Thatf(b, !strings.Contains(a.Body, secret) && !strings.Contains(fmt.Sprint(a.Header), secret),
						"%s %s has %q: %v", method, address, secret, a)
				}
				if path == "/logout" {
					person.LogIn(b.Globex, sitetest.Password)
				}
			}
		}
	}
	assert.Thatf(b, tried >= 100, "only %d attempts", tried)
	after := b.Rows()
	assert.Thatf(b, after.Equal(before), "rows %+v before and %+v after", before, after)
}

// TestRowLevelSecurity runs queries without a tenant condition as the app's role.
func TestRowLevelSecurity(t *testing.T) {
	b, _ := setupSecrets(t)
	b.DB.Spoil(t)
	b.Exec(`INSERT INTO file_contents (tenant_id, digest, type, content) VALUES ($1, sha256('a'), 'text/plain', 'a')`, b.Acme.ID)
	b.Exec(`INSERT INTO customer_erasures (tenant_id, id, customer_id, reason) SELECT tenant_id, new_id(), id, '' FROM customers LIMIT 1`)
	imported := b.Prepared(b.Acme, "import", customercases.Imports(), customercases.Imports().Command).ID
	b.Exec(`
		INSERT INTO import_chunks (tenant_id, import_id, line, created, known, left_out)
		SELECT tenant_id, id, 2, 1, 0, 0 FROM imports WHERE id = $1`, imported)
	b.Exec(`
		INSERT INTO import_problems (tenant_id, import_id, line, problem)
		SELECT tenant_id, id, 2, 'Enter a name.' FROM imports WHERE id = $1`, imported)
	b.Exec(`INSERT INTO event_feeds (tenant_id, id, name) VALUES ($1, new_id(), 'Shop')`, b.Acme.ID)
	b.Exec(`
		INSERT INTO events (tenant_id, operation, key)
		SELECT tenant_id, operation, key FROM intents WHERE tenant_id = $1 LIMIT 1`, b.Acme.ID)
	b.Exec(`INSERT INTO endpoints (tenant_id, id, address, operations) VALUES ($1, new_id(), 'https://shop.example/', '')`, b.Acme.ID)
	b.Exec(`
		INSERT INTO deliveries (tenant_id, endpoint_id, n, event_id, operation, record_id)
		SELECT tenant_id, id, 0, id, '', id FROM endpoints`)
	b.Exec(`
		INSERT INTO endpoint_mails (tenant_id, endpoint_id, disabled_at, user_id, failing_since, answer)
		SELECT e.tenant_id, e.id, now(), u.id, now(), '' FROM endpoints e JOIN users u ON u.tenant_id = e.tenant_id LIMIT 1`)
	for _, table := range b.TenantTables() {
		// So that globex has no row in any table, such as its settings.
		b.Exec(`SET LOCAL session_replication_role = replica; DELETE FROM ` + table + ` WHERE tenant_id = '` + b.Globex.ID.String() + `'`)
		// Triggers and privileges also refuse some of the statements.
		b.Exec(`ALTER TABLE ` + table + ` DISABLE TRIGGER USER; GRANT UPDATE ON ` + table + ` TO onlyonce`)
		must.Thatf(t, sitetest.Get[int](b, `SELECT count(*) FROM `+table) != 0, "%s has no row to hide: give it one in this test", table)
		for who, c := range map[string]struct {
			tenant  string
			visible bool
		}{
			"nobody": {"", false}, "another tenant": {b.Globex.ID.String(), false}, "the tenant": {b.Acme.ID.String(), true},
		} {
			inTx(b, c.tenant, func(tx pgx.Tx) {
				seen, changed := seesAndChanges(b, tx, table)
				assert.Thatf(b, (seen > 0) == c.visible && (changed > 0) == c.visible,
					"%s: %s sees %d rows and may change %d", table, who, seen, changed)
			})
		}
		for _, as := range []string{"", b.Acme.ID.String()} {
			inTx(b, as, func(tx pgx.Tx) {
				_, err := tx.Exec(t.Context(), `INSERT INTO `+table+` (tenant_id) VALUES ($1)`, b.Globex.ID)
				refused, ok := errors.AsType[*pgconn.PgError](err)
				assert.Thatf(b, ok && refused.Code == "42501", "%s: tenant %q inserts for another: %v", table, as, err)
			})
		}
	}
}

// TestDirectoryWithinATenant: a transaction that entered a tenant sees and changes only the tenant's users and tokens, for any
// query.
func TestDirectoryWithinATenant(t *testing.T) {
	b, _ := setupSecrets(t)
	for _, table := range []string{"users", "api_tokens"} {
		all := sitetest.Get[int](b, `SELECT count(*) FROM `+table)
		own := sitetest.Get[int](b, `SELECT count(*) FROM `+table+` WHERE tenant_id = $1`, b.Acme.ID)
		for who, c := range map[string]struct {
			tenant string
			want   int
		}{"a login": {"", all}, "acme": {b.Acme.ID.String(), own}, "nobody": {uuid.NewString(), 0}} {
			inTx(b, c.tenant, func(tx pgx.Tx) {
				if seen, changed := seesAndChanges(b, tx, table); seen != c.want || changed != c.want {
					b.Errorf("%s: %s sees %d rows and changes %d, want %d", table, who, seen, changed, c.want)
				}
			})
		}
		inTx(b, b.Acme.ID.String(), func(tx pgx.Tx) {
			_, err := tx.Exec(t.Context(), `UPDATE `+table+` SET tenant_id = $1`, b.Globex.ID)
			refused, ok := errors.AsType[*pgconn.PgError](err)
			assert.Thatf(b, ok && refused.Code == "42501", "%s: moved to another tenant: %v", table, err)
		})
	}
}

// seesAndChanges returns the numbers of rows that a transaction sees and may change.
func seesAndChanges(b *sitetest.Bundle, tx pgx.Tx, table string) (seen, changed int) {
	b.Helper()
	must.OK(b, tx.QueryRow(b.Context(), `SELECT count(*) FROM `+table).Scan(&seen))
	tag, err := tx.Exec(b.Context(), `UPDATE `+table+` SET tenant_id = tenant_id`)
	must.OK(b, err)
	return seen, int(tag.RowsAffected())
}

// inTx runs statements as the app's role and a tenant, or none, and rolls back.
func inTx(b *sitetest.Bundle, tenant string, run func(pgx.Tx)) {
	b.Helper()
	tx, err := b.DB.Pool.Begin(b.Context())
	must.OK(b, err)
	defer tx.Rollback(b.Context())
	if tenant != "" {
		_, err := tx.Exec(b.Context(), `SELECT set_config('onlyonce.tenant_id', $1, true)`, tenant)
		must.OK(b, err)
	}
	run(tx)
}
