package sitetest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// Directory lists the tables that are read before the tenant of a request is known.
var Directory = []string{"tenants", "users", "api_tokens", "api_token_uses", "sessions", "installation_admins", "goose_db_version"}

// Exec runs a statement as the superuser.
func (b *Bundle) Exec(sql string, args ...any) {
	b.Helper()
	_, err := b.Admin.Exec(b.Context(), sql, args...)
	must.Thatf(b, err == nil, "%s: %v", sql, err)
}

// Get reads one value as the superuser, who sees the rows of all tenants.
func Get[T any](b *Bundle, sql string, args ...any) T {
	b.Helper()
	rows, _ := b.Admin.Query(b.Context(), sql, args...) // CollectExactlyOneRow returns the error
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	must.Thatf(b, err == nil, "%s: %v", sql, err)
	return value
}

// All reads rows as the superuser, whose columns are the fields of T.
func All[T any](b *Bundle, sql string, args ...any) []T {
	b.Helper()
	rows, _ := b.Admin.Query(b.Context(), sql, args...) // CollectRows returns the error
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	must.Thatf(b, err == nil, "%s: %v", sql, err)
	return all
}

// derived are the tables whose rows are derived from those of others: see TestLooksLikeARepeat, TestStandingOfMany, TestBalance,
// TestReaderBesideWriters and TestOrder, and TestSearchFollowsChanges for the words.
var derived = []string{"likenesses", "standing", "account_entries", "events", "deliveries"}

// Rows counts the rows of tables that belong to tenants, over all tenants, without empty tables.
type Rows map[string]int

// Equal reports whether the counts are equal.
func (r Rows) Equal(other Rows) bool { return len(r.minus(other)) == 0 }

// minus returns the rows added since before.
func (r Rows) minus(before Rows) Rows {
	more := Rows{}
	maps.Copy(more, r)
	for table, n := range before {
		more[table] -= n
	}
	maps.DeleteFunc(more, func(_ string, n int) bool { return n == 0 })
	return more
}

// WantRows compares the rows of all tables.
func (b *Bundle) WantRows(want Rows) {
	b.Helper()
	got := b.Rows()
	assert.Thatf(b, got.Equal(want), "rows %v, want %v", got, want)
}

// byOperations are conditions on the users and tokens that operations made. Every tenant of a test has others too.
var byOperations = map[string]string{"users": `email NOT LIKE 'user-%'`, "api_tokens": `created_by <> ''`}

// Rows counts the rows of all tables that operations write.
func (b *Bundle) Rows() Rows {
	b.Helper()
	var counts []string
	for _, table := range b.TenantTables() {
		if table == "settings" || table == "mail_texts" {
			continue // every tenant has one row: TestEveryTenantHasSettings, TestWording
		}
		if strings.HasSuffix(table, "_words") || slices.Contains(derived, table) {
			continue
		}
		counts = append(counts, `('`+table+`', (SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+`))`)
	}
	for table, byOperations := range byOperations {
		counts = append(counts, `('`+table+`', (SELECT count(*) FROM `+table+` WHERE `+byOperations+`))`)
	}
	counted := Get[Rows](b, `SELECT jsonb_object_agg(name, n) FROM (VALUES `+strings.Join(counts, `, `)+`) AS counted (name, n)`)
	return counted.minus(nil)
}

// Written returns the transactions that wrote the existing rows, except for the known ones.
func (b *Bundle) Written(known ...string) []string {
	b.Helper()
	var each []string
	for _, table := range b.TenantTables() {
		each = append(each, `SELECT xmin FROM `+pgx.Identifier{table}.Sanitize())
	}
	return Get[[]string](b, `SELECT COALESCE(array_agg(DISTINCT xmin::text), '{}') FROM (`+strings.Join(each, ` UNION ALL `)+`) AS written
		WHERE xmin::text <> ALL ($1)`, append([]string{}, known...))
}

// empty deletes all rows, without operations, of tables that belong to tenants, except for some tables.
func (b *Bundle) empty(except ...string) {
	b.Helper()
	tables := slices.DeleteFunc(b.TenantTables(), func(table string) bool { return slices.Contains(except, table) })
	for table, byOperations := range byOperations {
		tables = append(tables, table+` WHERE `+byOperations)
	}
	b.Exec(`SET LOCAL session_replication_role = replica; DELETE FROM ` + strings.Join(tables, `; DELETE FROM `)) // bypasses append_only
	b.Store.Forget()
}

// HoldIntent keeps every attempt at acme's intent with the key waiting at the end of the work, until the release: an
// uncommitted row has the same key. No table is locked, so statements can be prepared.
func (b *Bundle) HoldIntent(operation string) (release func()) {
	b.Helper()
	tx, err := b.Admin.Begin(b.Context())
	must.OK(b, err)
	_, err = tx.Exec(b.Context(), `
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
		VALUES ($1, $2, $3, sha256(''), gen_random_uuid(), 'in the way', gen_random_uuid(), 'created', '{}', now())`,
		b.Acme.ID, operation, Key)
	must.OK(b, err)
	release = func() { _ = tx.Rollback(context.Background()) }
	b.Cleanup(release)
	return release
}

// Waiting waits until n connections of the app wait for locks, other than the known ones, and returns
// their process ids.
func (b *Bundle) Waiting(n int, known ...int32) []int32 {
	b.Helper()
	known = append([]int32{}, known...) // a nil slice would be NULL
	var pids []int32
	must.Until(b, "waiting for a lock", func() bool {
		pids = Get[[]int32](b, `
			SELECT COALESCE(array_agg(pid), '{}') FROM pg_stat_activity
			WHERE datname = current_database() AND usename = 'onlyonce'
				AND wait_event_type = 'Lock' AND pid <> ALL ($1)`, known)
		return len(pids) == n
	})
	return pids
}

// Expire ends the retention of all results, and clears the copies in memory.
func (b *Bundle) Expire(of Tenant) {
	b.Helper()
	b.Exec(`UPDATE intents SET expires_at = now() - interval '1 second'`)
	_, err := idempotency.Expire(b.Context(), b.DB.Pool, of.ID)
	must.OK(b, err)
	b.Store.Forget()
	left := Get[int](b, `SELECT count(*) FROM intents WHERE result IS NOT NULL`)
	must.Thatf(b, left == 0, "%d results did not expire", left)
}

// Tables returns the names of all tables.
func (b *Bundle) Tables() []string {
	b.Helper()
	return Get[[]string](b, `
		SELECT array_agg(relname::text) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`)
}

// TenantTables returns the tables with a tenant_id, from the catalog, except those that are read before a tenant is known.
func (b *Bundle) TenantTables() []string {
	b.Helper()
	tables := Get[[]string](b, `
		SELECT array_agg(relname::text ORDER BY relname) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attname = 'tenant_id'`)
	tables = slices.DeleteFunc(tables, func(table string) bool { return slices.Contains(Directory, table) })
	must.Thatf(b, len(tables) >= 5, "found only %v", tables)
	return tables
}

// Requests that must not change anything: reads, natural routes, and refused requests.

// Contents returns a digest of all rows of all tables that belong to tenants.
func (b *Bundle) Contents() string {
	b.Helper()
	return b.digest(append(b.TenantTables(), "users", "api_tokens"))
}

// Everything returns a digest of all tables, including the directory, without the times of the last requests of sessions and tokens.
func (b *Bundle) Everything() string {
	b.Helper()
	return b.digest(append(slices.Clone(Directory), b.TenantTables()...))
}

func (b *Bundle) digest(tables []string) string {
	b.Helper()
	var digests []string
	for _, table := range tables {
		row := `row::text`
		switch table {
		case "sessions":
			row = `token`
		case "api_token_uses":
			continue
		}
		digests = append(digests, `'`+table+` ' || (SELECT COALESCE(md5(string_agg(`+row+`, ',' ORDER BY `+row+`)), '') FROM `+
			pgx.Identifier{table}.Sanitize()+` AS row)`)
	}
	return Get[string](b, `SELECT concat_ws(E'\n', `+strings.Join(digests, `, `)+`)`)
}

// WantUnchanged fails if two digests differ, and names the tables.
func WantUnchanged(b *Bundle, what, before, after string) {
	b.Helper()
	if before == after {
		return
	}
	was := strings.Split(before, "\n")
	for i, table := range strings.Split(after, "\n") {
		if table != was[i] {
			name, _, _ := strings.Cut(table, " ")
			b.Errorf("%s changed the table %s", what, name)
		}
	}
}

// The treatment of texts when a customer is erased: see [Resource.OfCustomer].
const (
	Erased    = "erased"
	Undecided = "kept until it is decided"
)

// ColumnsWith returns the columns of all tables, also those of the jobs, that contain a text, without regard to case.
func (b *Bundle) ColumnsWith(text string) []string {
	b.Helper()
	each := Get[[]string](b, `
		SELECT array_agg(format('SELECT %L WHERE EXISTS (SELECT FROM %I.%I WHERE strpos(lower(%s), %L) > 0)', relname || '.' || attname,
			nspname, relname, format(CASE atttypid WHEN 'bytea'::regtype THEN 'encode(%I, ''escape'')' ELSE '%I::text' END, attname),
			lower($1)))
		FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname IN ('public', 'river') AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`, text)
	return Get[[]string](b, `
		SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM (`+strings.Join(each, ` UNION ALL `)+`) AS found (name)`)
}
