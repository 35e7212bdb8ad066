package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// past inserts n attempts for acme, one a minute until now, and as many for globex: every third one is a replay, and every 700th failed.
func (b *bundle) past(n int) {
	b.Helper()
	b.Exec(`
		INSERT INTO attempts (tenant_id, id, record_id, at, duration, operation, key, outcome, actor, reason, replica)
		SELECT tenant, new_id(at), CASE WHEN n % 5 = 0 THEN $1::uuid END, at, n, 'op.' || n % 2, 'key ' || n % 7,
			CASE WHEN n % 700 = 0 THEN 'failed' WHEN n % 3 = 0 THEN 'replayed' ELSE 'created' END, 'ada', '', 'here'
		FROM unnest(ARRAY[$1, $2]::uuid[]) AS tenant, generate_series(1, $3::integer) AS n,
			LATERAL (SELECT now() - ($3 - n) * interval '1 minute' AS at OFFSET 0) AS ended`, b.acme, b.globex, n)
}

// TestEveryFilter reads each filtered list forwards and backwards, and compares it with all attempts.
func TestEveryFilter(t *testing.T) {
	b := setup(t)
	const n = 2500
	b.past(n)
	for name, c := range map[string]struct {
		filter attempt.Filter
		wants  func(n int) bool
	}{
		"all":               {attempt.Filter{}, func(int) bool { return true }},
		"failed":            {attempt.Filter{Outcome: idempotency.Failed}, func(n int) bool { return n%700 == 0 }},
		"an operation":      {attempt.Filter{Operation: "op.1"}, func(n int) bool { return n%2 == 1 }},
		"nothing":           {attempt.Filter{Operation: "op.2"}, func(int) bool { return false }},
		"failed, of a kind": {attempt.Filter{Outcome: idempotency.Failed, Operation: "op.1"}, func(int) bool { return false }},
		"ignored, of a kind": {
			attempt.Filter{Outcome: idempotency.Replayed, Operation: "op.1"}, func(n int) bool { return n%6 == 3 && n%700 != 0 },
		},
		"a key":                 {attempt.Filter{Key: "key 3"}, func(n int) bool { return n%7 == 3 }},
		"a key and an outcome":  {attempt.Filter{Key: "key 0", Outcome: idempotency.Failed}, func(n int) bool { return n%700 == 0 }},
		"a record":              {attempt.Filter{Record: b.acme}, func(n int) bool { return n%5 == 0 }},
		"a record, and the key": {attempt.Filter{Record: b.acme, Key: "key 1"}, func(n int) bool { return n%35 == 15 }},
	} {
		var want []int64
		for i := n; i > 0; i-- {
			if c.wants(i) {
				want = append(want, int64(i))
			}
		}
		var got []int64
		page, pages := record.Page{Limit: 100}, 0
		for {
			list, err := attempt.List(t.Context(), b.DB.Pool, b.acme, c.filter, page)
			must.Thatf(t, err == nil, "%s: %v", name, err)
			for _, a := range list.Rows {
				got = append(got, a.Duration)
			}
			if pages++; pages > 60 {
				t.Fatalf("%s has no end", name)
			}
			if (list.After == record.Key{}) {
				break
			}
			page.From = list.After
		}
		assert.Thatf(t, slices.Equal(got, want), "%s: %d found, want %d", name, len(got), len(want))
		var back []int64
		for page = (record.Page{Limit: 100, From: record.Key{"", uuid.Nil.String()}, Back: true}); ; {
			list, err := attempt.List(t.Context(), b.DB.Pool, b.acme, c.filter, page)
			must.OK(t, err)
			rows := slices.Clone(list.Rows)
			slices.Reverse(rows)
			for _, a := range rows {
				back = append(back, a.Duration)
			}
			if (list.Before == record.Key{}) {
				break
			}
			page.From = list.Before
		}
		slices.Reverse(back)
		assert.Thatf(t, slices.Equal(back, want), "%s, back: %d found, want %d", name, len(back), len(want))
	}
	elsewhere := record.Page{Limit: 1, From: record.Key{"", "x"}}
	if _, err := attempt.List(t.Context(), b.DB.Pool, b.acme, attempt.Filter{}, elsewhere); !errors.Is(err, record.ErrKey) {
		t.Errorf("a key of another list: %v", err)
	}
}

// TestExpire checks that two concurrent replicas delete only the old attempts of the tenant.
func TestExpire(t *testing.T) {
	b := setup(t)
	const n = 2*record.ExpireBatch + 500
	b.past(n)
	before := time.Now().Add(-100*time.Minute - 30*time.Second)
	var replicas sync.WaitGroup
	var deleted [2]int64
	for i := range deleted {
		replicas.Go(func() {
			var err error
			deleted[i], err = attempt.Expire(context.WithoutCancel(t.Context()), b.DB.Pool, b.acme, before, attempt.MaxKept)
			assert.Thatf(t, err == nil, "%v", err)
		})
	}
	replicas.Wait()
	const left = 101 // the last 100 minutes, and now
	assert.Equal(t, deleted[0]+deleted[1], n-left, deleted)
	for tenant, want := range map[uuid.UUID]int{b.acme: left, b.globex: n} {
		assert.Equal(t, b.count(`SELECT count(*) FROM attempts WHERE tenant_id = $1`, tenant), want, "attempts left")
	}
	assert.Equal(t, b.count(`SELECT count(*) FROM attempts WHERE tenant_id = $1 AND at < $2`, b.acme, before),
		0, fmt.Sprint(before), "old ones are left")
}

// TestNewestAreKept checks that above the maximum number the oldest attempts are deleted, even if they are young, but not those of
// another tenant.
func TestNewestAreKept(t *testing.T) {
	b := setup(t)
	const n, most = record.ExpireBatch + 500, 300 // two batches to write, and two to delete
	for i := range n {
		for _, tenant := range []uuid.UUID{b.acme, b.globex} {
			b.recorder.Observe(idempotency.Attempt{
				Operation: "test", Intent: b.intent(tenant, "k"), Outcome: idempotency.Failed,
				Duration: time.Duration(i+1) * time.Microsecond,
			})
		}
	}
	b.recorder.Close(t.Context())
	long := time.Now().Add(-365 * 24 * time.Hour)
	for _, want := range []int64{n - most, 0} {
		deleted, err := attempt.Expire(t.Context(), b.DB.Pool, b.acme, long, most)
		assert.Thatf(t, err == nil && deleted == want, "deleted %d, want %d: %v", deleted, want, err)
	}
	if deleted, err := attempt.Expire(t.Context(), b.DB.Pool, b.globex, long, n); err != nil || deleted != 0 {
		t.Errorf("deleted %d of those that are few: %v", deleted, err)
	}
	for tenant, want := range map[uuid.UUID]int{b.acme: most, b.globex: n} {
		assert.Equal(t, b.count(`SELECT count(*) FROM attempts WHERE tenant_id = $1 AND duration > $2`, tenant, n-want),
			want, "of the newest are left")
	}
	assert.Equal(t, b.count(`SELECT count(*) FROM attempts`), most+n, "attempts left")
}

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle has a database, two tenants, and a store whose attempts are kept.
type bundle struct {
	*storetest.Bundle

	recorder     *attempt.Recorder
	acme, globex uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: storetest.Setup(t), globex: uuid.New()}
	b.acme = b.Tenant
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Globex')`, b.globex)
	b.recorder = attempt.Start(attempt.Config{
		Pool: b.DB.Pool, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Replica: "here/1",
		Reason: func(err error) string {
			if errors.Is(err, idempotency.ErrNoKey) {
				return "key-missing"
			}
			return "problem"
		},
	})
	b.Store.Observe = func(_ context.Context, a idempotency.Attempt) { b.recorder.Observe(a) }
	return b
}

func (b *bundle) count(sql string, args ...any) int {
	b.Helper()
	return storetest.Value[int](b, sql, args...)
}

func (b *bundle) intent(tenant uuid.UUID, key string) idempotency.Intent {
	b.Helper()
	intent := b.Intent(key)
	intent.Tenant, intent.Actor = tenant, "ada"
	return intent
}

// create creates a customer, or returns the error.
func (b *bundle) create(tenant uuid.UUID, key, email string) (customer.Customer, error) {
	b.Helper()
	draft, err := customer.Input{Email: email, Name: "Ada"}.Draft()
	must.OK(b, err)
	done, err := customer.Upsert.Do(b.Context(), b.Store, b.intent(tenant, key), draft)
	return done.Value, err
}
