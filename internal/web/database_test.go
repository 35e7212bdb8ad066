package web_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
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

// rows counts what a create leaves behind, of all tenants.
type rows struct{ Invoices, Lines, Customers, Effects, Intents int }

func (b *bundle) wantRows(want rows) {
	b.Helper()
	if got := b.rows(); got != want {
		b.Errorf("rows %+v, want %+v", got, want)
	}
}

func (b *bundle) rows() rows {
	b.Helper()
	found, err := b.admin.Query(b.Context(), `
		SELECT (SELECT count(*) FROM invoices), (SELECT count(*) FROM invoice_lines), (SELECT count(*) FROM customers),
			(SELECT count(*) FROM intent_effects), (SELECT count(*) FROM intents)`)
	if err != nil {
		b.Fatal(err)
	}
	counted, err := pgx.CollectExactlyOneRow(found, pgx.RowToStructByPos[rows])
	if err != nil {
		b.Fatal(err)
	}
	return counted
}

// transactions counts those that have written the rows there are.
func (b *bundle) transactions() int {
	b.Helper()
	return get[int](b, `
		SELECT count(DISTINCT xmin::text) FROM (
			SELECT xmin FROM invoices UNION ALL SELECT xmin FROM invoice_lines UNION ALL SELECT xmin FROM customers
			UNION ALL SELECT xmin FROM intent_effects UNION ALL SELECT xmin FROM intents) AS written`)
}

// hold keeps whoever creates acme's customer Ada waiting in the middle of the transaction, until the
// release: an uncommitted row has her email. No table is locked, so statements can be prepared.
func (b *bundle) hold() (release func()) {
	b.Helper()
	tx, err := b.admin.Begin(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	_, err = tx.Exec(b.Context(), `
		INSERT INTO customers (tenant_id, id, email, name)
		VALUES ($1, gen_random_uuid(), 'ada@example.com', 'In the way')`, b.acme.id)
	if err != nil {
		b.Fatal(err)
	}
	release = func() { _ = tx.Rollback(context.Background()) }
	b.Cleanup(release)
	return release
}

// waiting waits until n connections of the app wait for locks, other than the known ones, and gives
// their process ids.
func (b *bundle) waiting(n int, known ...int32) []int32 {
	b.Helper()
	known = append([]int32{}, known...) // NULL would be another list
	var pids []int32
	b.until("waiting for a lock", func() bool {
		pids = get[[]int32](b, `
			SELECT COALESCE(array_agg(pid), '{}') FROM pg_stat_activity
			WHERE datname = current_database() AND usename = 'onlyonce' AND wait_event_type = 'Lock' AND pid <> ALL ($1)`, known)
		return len(pids) == n
	})
	return pids
}

// until waits for a condition.
func (b *bundle) until(what string, holds func() bool) {
	b.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			b.Fatal("it never came true: " + what)
		}
	}
}

// expire lets the retention of all results end, as time would.
func (b *bundle) expire(of tenant) {
	b.Helper()
	b.exec(`UPDATE intents SET expires_at = now() - interval '1 second'`)
	if _, err := idempotency.Expire(b.Context(), b.db.Pool, of.id); err != nil {
		b.Fatal(err)
	}
	if left := get[int](b, `SELECT count(*) FROM intents WHERE result IS NOT NULL`); left != 0 {
		b.Fatalf("%d results did not expire", left)
	}
}
