package installation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/installation"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type read[R any] func(context.Context, *pgxpool.Pool, record.Page) (record.List[R], error)

func users(beginning string) read[installation.User] {
	return func(ctx context.Context, pool *pgxpool.Pool, page record.Page) (record.List[installation.User], error) {
		return installation.Users(ctx, pool, beginning, page)
	}
}

// fill inserts five tenants with a user each, and jobs in all states.
func fill(t *testing.T) *pgtest.Database {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	for n := range 5 {
		must.Exec(t, db.Admin(), `
			INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, '2026-11-01'::timestamptz + $3 * interval '1 day')`,
			id(n), fmt.Sprintf("Tenant %d", n), n/2) // two of each day
		must.Exec(t, db.Admin(), `INSERT INTO users (tenant_id, id, email, password_hash) VALUES ($1, $1, $2, '')`,
			id(n), fmt.Sprintf("user-%d@example.com", n))
	}
	must.Exec(t, db.Admin(), `
		INSERT INTO users (tenant_id, email, password_hash) SELECT $1, n || '@example.com', '' FROM generate_series(1, 150) n`, id(0))
	must.Exec(t, db.Admin(), `INSERT INTO installation_admins SELECT tenant_id, id, 0 FROM users WHERE id = $1`, id(1))
	for day, generation := range []int{0, 0, 1} { // the last one is over
		must.Exec(t, db.Admin(), `
			INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry, seen_at)
			VALUES ($1, $2::uuid, $1, $3, '', $2::uuid::text, '', now(), '2026-11-01'::timestamptz + $4 * interval '1 day')`,
			id(1), id(day), generation, day)
	}
	must.Exec(t, db.Admin(), `
		INSERT INTO river.river_job (kind, queue, args, state, attempt, max_attempts, scheduled_at, finalized_at, errors)
		SELECT 'test', queue, jsonb_build_object('tenant', $1::text), state, 3, 3, '2026-11-01'::timestamptz + n / 2 * interval '1 day',
			CASE WHEN state::text IN ('cancelled', 'completed', 'discarded') THEN now() END,
			ARRAY['{"error": "first"}', jsonb_build_object('error', repeat('x', 300) || E'\nSECRET')]::jsonb[]
		FROM unnest(enum_range(NULL::river.river_job_state)) WITH ORDINALITY AS s (state, n),
			unnest(ARRAY['default', 'mail']) AS queue`, id(2))
	return db
}

func id(n int) string { return fmt.Sprintf("01900000-0000-7000-8000-%012x", n) }

// pages reads a list page by page to its end, and back to its beginning. It fails unless both ways have the same rows.
func pages[R any](t *testing.T, pool *pgxpool.Pool, list read[R]) (rows []R) {
	t.Helper()
	page := record.Page{Limit: 2}
	var last record.List[R]
	for {
		found, err := list(t.Context(), pool, page)
		must.OK(t, err)
		if rows, last = append(rows, found.Rows...), found; (found.After == record.Key{}) {
			break
		}
		page.From = found.After
	}
	back := slices.Clone(last.Rows)
	for last.Before != (record.Key{}) {
		found, err := list(t.Context(), pool, record.Page{Limit: 2, From: last.Before, Back: true})
		must.OK(t, err)
		back, last = append(slices.Clone(found.Rows), back...), found
	}
	assert.Thatf(t, fmt.Sprintf("%+v", withoutPointers(back)) == fmt.Sprintf("%+v", withoutPointers(rows)),
		"forward %+v\nback %+v", rows, back)
	return rows
}

func withoutPointers[R any](rows []R) (all []R) {
	for _, row := range rows {
		if u, ok := any(&row).(*installation.User); ok {
			u.Seen = nil
		}
		all = append(all, row)
	}
	return all
}

func TestLists(t *testing.T) {
	db := fill(t)
	var said []string
	for _, tenant := range pages(t, db.Pool, installation.Tenants) {
		said = append(said, fmt.Sprint(tenant.Name, " ", tenant.Users))
	}
	if want := []string{"Tenant 4 1", "Tenant 3 1", "Tenant 2 1", "Tenant 1 1", "Tenant 0 101"}; !slices.Equal(said, want) {
		t.Errorf("tenants %q", said)
	}
	said = nil
	for _, u := range pages(t, db.Pool, users("user-")) {
		line := fmt.Sprint(u.Email, " ", u.Tenant, " ", u.Admin)
		if u.Seen != nil {
			line += u.Seen.UTC().Format(" Jan 2")
		}
		said = append(said, line)
	}
	assert.Thatf(t, len(said) == 5 && said[1] == "user-1@example.com Tenant 1 true Nov 2" && said[2] == "user-2@example.com Tenant 2 false",
		"users %q", said)
	all := pages(t, db.Pool, users(""))
	assert.Thatf(t, len(all) == 155, "%d users", len(all))
	said = nil
	for _, j := range pages(t, db.Pool, installation.Jobs) {
		said = append(said, fmt.Sprint(j.Queue, " ", j.State, " ", j.Tenant, " ", j.MayRetry()))
		assert.Thatf(t, j.Error == strings.Repeat("x", 200), "error %q", j.Error)
	}
	if want := []string{
		"mail retryable Tenant 2 true", "mail discarded Tenant 2 true", "mail cancelled Tenant 2 false",
		"default retryable Tenant 2 true", "default discarded Tenant 2 true", "default cancelled Tenant 2 false",
	}; !slices.Equal(said, want) {
		t.Errorf("jobs %q", said)
	}
}

// TestForeignKeys checks that a key of another list, or one that was made up, is refused.
func TestForeignKeys(t *testing.T) {
	db := fill(t)
	for _, key := range []record.Key{
		{"x", "y"}, {"", "\x00"}, {"\x00", "1 2026-11-01T00:00:00Z 1"}, {"mail", "99999 2026-11-01T00:00:00Z 1"},
	} {
		page := record.Page{Limit: 2, From: key}
		_, ofTenants := installation.Tenants(t.Context(), db.Pool, page)
		_, ofJobs := installation.Jobs(t.Context(), db.Pool, page)
		_, ofUsers := installation.Users(t.Context(), db.Pool, "", page)
		assert.Thatf(t, errors.Is(ofTenants, record.ErrKey) && errors.Is(ofJobs, record.ErrKey) &&
			(!strings.Contains(key[0]+key[1], "\x00") || errors.Is(ofUsers, record.ErrKey)),
			"%q: %v, %v, %v", key, ofTenants, ofUsers, ofJobs)
	}
}

// TestRetry checks that of many clicks at once, and of later ones, one makes the job run: while it waits, runs, and after it ended.
func TestRetry(t *testing.T) {
	db := fill(t)
	for _, state := range []string{"retryable", "discarded", "cancelled", "available", "running", "completed"} {
		var job int64
		must.OK(t, db.Admin().QueryRow(t.Context(), `
			SELECT id FROM river.river_job WHERE queue = 'mail' AND state::text = $1`, state).Scan(&job))
		clicks := func() int64 {
			var all sync.WaitGroup
			var retried atomic.Int64
			for range 10 {
				all.Go(func() {
					done, err := installation.Retry(t.Context(), db.Pool, job, 3)
					if done {
						retried.Add(1)
					}
					assert.Thatf(t, err == nil, "%v", err)
				})
			}
			all.Wait()
			return retried.Load()
		}
		want, mayRetry := state, state == "retryable" || state == "discarded"
		if mayRetry {
			want = "available"
		}
		if n := clicks(); n > 1 || (n == 1) != mayRetry {
			t.Errorf("%s: %d of ten clicks did something", state, n)
		}
		for _, next := range []string{"", "running", "completed", "retryable"} {
			if next != "" {
				must.Exec(t, db.Admin(), `
					UPDATE river.river_job SET state = $2::river.river_job_state, attempt = 4,
						finalized_at = CASE WHEN $2 = 'completed' THEN now() END WHERE id = $1`, job, next)
				want = next
			}
			n := clicks()
			var is string
			must.OK(t, db.Admin().QueryRow(t.Context(), `SELECT state::text FROM river.river_job WHERE id = $1`, job).Scan(&is))
			assert.Thatf(t, n == 0 && is == want, "%s, then %q: %d of ten clicks did something, and it is %s", state, next, n, is)
		}
	}
}

// TestRetryBesideAnother checks that a job isn't run again while another one does the same work.
func TestRetryBesideAnother(t *testing.T) {
	db := fill(t)
	var job int64
	must.OK(t, db.Admin().QueryRow(t.Context(), `
		INSERT INTO river.river_job (kind, args, max_attempts, attempt, state, finalized_at, unique_key, unique_states)
		VALUES ('nightly', '{}', 3, 3, 'discarded', now(), 'night', B'00000001'),
			('nightly', '{}', 3, 0, 'available', NULL, 'night', B'00000001')
		RETURNING id`).Scan(&job))
	retried, err := installation.Retry(t.Context(), db.Pool, job, 3)
	assert.Thatf(t, !retried && err == nil, "%v, %v", retried, err)
}

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	page := record.Page{Limit: 25}
	sql.Section("list", "tenants", func() error {
		_, err := installation.Tenants(t.Context(), sql.Pool, page)
		return err
	})
	sql.Section("list", "users", func() error {
		_, err := installation.Users(t.Context(), sql.Pool, "ada", page)
		return err
	})
	sql.Section("list", "jobs", func() error {
		_, err := installation.Jobs(t.Context(), sql.Pool, page)
		return err
	})
	sql.Section("change", "retry a job", func() error {
		_, err := installation.Retry(t.Context(), sql.Pool, 1, 1)
		return err
	})
}
