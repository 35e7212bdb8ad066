package site_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// exec runs a statement as the superuser.
func (b *bundle) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.admin.Exec(b.Context(), sql, args...); err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
}

// get reads one value as the superuser, who sees the rows of all tenants.
func get[T any](b *bundle, sql string, args ...any) T {
	b.Helper()
	rows, err := b.admin.Query(b.Context(), sql, args...)
	if err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	return value
}

// rows counts the rows of tables that belong to tenants, over all tenants, without empty tables.
type rows map[string]int

func (r rows) equal(other rows) bool { return len(r.minus(other)) == 0 }

// minus returns the rows added since before.
func (r rows) minus(before rows) rows {
	more := rows{}
	maps.Copy(more, r)
	for table, n := range before {
		more[table] -= n
	}
	maps.DeleteFunc(more, func(_ string, n int) bool { return n == 0 })
	return more
}

func (b *bundle) wantRows(want rows) {
	b.Helper()
	if got := b.rows(); !got.equal(want) {
		b.Errorf("rows %v, want %v", got, want)
	}
}

// byOperations are conditions on the users and tokens that operations made. Every tenant of a test has others too.
var byOperations = map[string]string{"users": `email NOT LIKE 'user-%'`, "api_tokens": `created_by <> ''`}

func (b *bundle) rows() rows {
	b.Helper()
	var counts []string
	for _, table := range b.tenantTables() {
		if table == "settings" {
			continue // every tenant has one row: TestEveryTenantHasSettings
		}
		if strings.HasSuffix(table, "_words") || table == "likenesses" || table == "standing" {
			continue // derived from other rows: TestSearchFollowsChanges, TestLooksLikeARepeat, TestStandingOfMany
		}
		counts = append(counts, `'`+table+`', (SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+`)`)
	}
	for table, byOperations := range byOperations {
		counts = append(counts, `'`+table+`', (SELECT count(*) FROM `+table+` WHERE `+byOperations+`)`)
	}
	counted := get[rows](b, `SELECT jsonb_build_object(`+strings.Join(counts, `, `)+`)`)
	return counted.minus(nil)
}

// written returns the transactions that wrote the existing rows, except for the known ones.
func (b *bundle) written(known ...string) []string {
	b.Helper()
	var each []string
	for _, table := range b.tenantTables() {
		each = append(each, `SELECT xmin FROM `+pgx.Identifier{table}.Sanitize())
	}
	return get[[]string](b, `SELECT COALESCE(array_agg(DISTINCT xmin::text), '{}') FROM (`+strings.Join(each, ` UNION ALL `)+`) AS written
		WHERE xmin::text <> ALL ($1)`, append([]string{}, known...))
}

// empty deletes all rows, without operations, of tables that belong to tenants, except for some tables.
func (b *bundle) empty(except ...string) {
	b.Helper()
	tables := slices.DeleteFunc(b.tenantTables(), func(table string) bool { return slices.Contains(except, table) })
	sql := `SET LOCAL session_replication_role = replica; DELETE FROM ` + strings.Join(tables, `; DELETE FROM `) // bypasses append_only
	for table, byOperations := range byOperations {
		sql += `; DELETE FROM ` + table + ` WHERE ` + byOperations
	}
	b.exec(sql)
	b.store.Forget()
}

// holdIntent keeps every attempt at acme's intent with the key waiting at the end of the work, until the release: an
// uncommitted row has the same key. No table is locked, so statements can be prepared.
func (b *bundle) holdIntent(operation string) (release func()) {
	b.Helper()
	tx, err := b.admin.Begin(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	_, err = tx.Exec(b.Context(), `
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
		VALUES ($1, $2, $3, sha256(''), gen_random_uuid(), 'in the way', gen_random_uuid(), 'created', '{}', now())`,
		b.acme.id, operation, key)
	if err != nil {
		b.Fatal(err)
	}
	release = func() { _ = tx.Rollback(context.Background()) }
	b.Cleanup(release)
	return release
}

// waiting waits until n connections of the app wait for locks, other than the known ones, and returns
// their process ids.
func (b *bundle) waiting(n int, known ...int32) []int32 {
	b.Helper()
	known = append([]int32{}, known...) // a nil slice would be NULL
	var pids []int32
	must.Until(b, "waiting for a lock", func() bool {
		pids = get[[]int32](b, `
			SELECT COALESCE(array_agg(pid), '{}') FROM pg_stat_activity
			WHERE datname = current_database() AND usename = 'onlyonce'
				AND wait_event_type = 'Lock' AND pid <> ALL ($1)`, known)
		return len(pids) == n
	})
	return pids
}

// expire ends the retention of all results, and clears the copies in memory.
func (b *bundle) expire(of tenant) {
	b.Helper()
	b.exec(`UPDATE intents SET expires_at = now() - interval '1 second'`)
	if _, err := idempotency.Expire(b.Context(), b.db.Pool, of.id); err != nil {
		b.Fatal(err)
	}
	b.store.Forget()
	if left := get[int](b, `SELECT count(*) FROM intents WHERE result IS NOT NULL`); left != 0 {
		b.Fatalf("%d results did not expire", left)
	}
}
