package idempotency_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// item is the smallest resource: a name, unique in its tenant.
type item struct {
	record.Alike

	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type order struct {
	Name string `json:"name"`
}

var items = record.Table[item]{Name: "items", Fields: `'name', r.name, 'done', r.done`}

// withItems is a database with the table items.
var withItems = pgtest.Template{Fill: func(ctx context.Context, db *pgtest.Database) error {
	_, err := db.Pool.Exec(ctx, `
		CREATE TABLE items (
			tenant_id uuid, id uuid, name text NOT NULL, done boolean NOT NULL DEFAULT false,
			source external_source, source_folded text COLLATE "C" GENERATED ALWAYS AS (fold_text(source)) STORED,
			external_id external_id, external_digest sha256_digest,
			version record_version NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(),
			PRIMARY KEY (tenant_id, id),
			CONSTRAINT items_name_once UNIQUE (tenant_id, name));
		CREATE UNIQUE INDEX items_external_once ON items (tenant_id, source_folded, external_id) WHERE external_id IS NOT NULL;
		CREATE TRIGGER note_likeness AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION note_likeness('1 hour', 'name');
		CREATE TRIGGER next_version BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION next_version()`)
	return err
}}

// spec returns the operation that creates an item. Tests change copies.
func spec() idempotency.Spec[order, item] {
	return idempotency.Spec[order, item]{
		Name: "item.create",
		Statements: func(tx *idempotency.Tx, o order) idempotency.Result {
			tx.Exec(`INSERT INTO items (tenant_id, id, name) VALUES (@tenant_id, @record_id, @name)`, pgx.NamedArgs{"name": o.Name})
			return tx.Return(`
				SELECT json_build_object('id', id, 'name', name)
				FROM items WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		},
		Table: items,
	}
}

// interactive returns spec in the style of Run.
func interactive() idempotency.Spec[order, item] {
	s := spec()
	s.Statements = nil
	s.Run = func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		_, err := tx.Exec(ctx, `INSERT INTO items (tenant_id, id, name) VALUES ($1, $2, $3)`, intent.Tenant, intent.Record, o.Name)
		return item{ID: intent.Record, Name: o.Name}, err
	}
	return s
}

// inBothStyles runs a test with each style of work.
func inBothStyles(t *testing.T, test func(*bundle, idempotency.Operation[order, item])) {
	t.Helper()
	inStylesOf(t, spec, interactive, func(b *bundle, s idempotency.Spec[order, item]) { test(b, idempotency.Define(s)) })
}

// inStylesOf runs a test with each of two styles of an operation.
func inStylesOf[S any](t *testing.T, statements, interactive func() S, test func(*bundle, S)) {
	t.Helper()
	for name, spec := range map[string]func() S{"statements": statements, "interactive": interactive} {
		t.Run(name, func(t *testing.T) { test(setup(t), spec()) })
	}
}

// bundle is a store on a database with the table items.
type bundle struct {
	*storetest.Bundle

	mu       sync.Mutex
	attempts []idempotency.Attempt
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{Bundle: storetest.On(t, withItems.New(t))}
	b.Store.Wait, b.Store.Timeout = 5*time.Second, 20*time.Second
	b.Store.Observe = func(_ context.Context, a idempotency.Attempt) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.attempts = append(b.attempts, a)
	}
	return b
}

// replica returns a store like the bundle's in another process: they share the database, and Redis if there is one.
func (b *bundle) replica() *idempotency.Store {
	return &idempotency.Store{
		Pool: b.Store.Pool, Wait: b.Store.Wait, Timeout: b.Store.Timeout, Observe: b.Store.Observe, Shared: b.Store.Shared,
	}
}

// rush starts n attempts from one gate. wait returns when all have ended.
func rush(n int, attempt func(i int)) (wait func()) {
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-gate
			attempt(i)
		})
	}
	close(gate)
	return all.Wait
}

// firsts fails unless one attempt was the first with each key. Attempt i has key i modulo keys, and must return the same as the others
// with that key.
func (b *bundle) firsts(done []idempotency.Done[item], errs []error, keys int) {
	b.Helper()
	n := 0
	for i, d := range done {
		assert.Thatf(b, errs[i] == nil && d.Value == done[i%keys].Value, "%+v, %v, and another got %+v", d, errs[i], done[i%keys])
		if !d.Replayed {
			n++
		}
	}
	assert.Thatf(b, n == keys, "%d were first, want %d", n, keys)
}

// count returns the number that a query selects, regardless of row-level security.
func (b *bundle) count(sql string) int {
	b.Helper()
	return storetest.Value[int](b, sql)
}

// want fails unless a query selects the number n.
func (b *bundle) want(n int, sql string) {
	b.Helper()
	got := b.count(sql)
	assert.Thatf(b, got == n, "%s: %d, want %d", sql, got, n)
}

// outcomes returns the outcomes of the attempts, in order.
func (b *bundle) outcomes() (list []idempotency.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.attempts {
		list = append(list, a.Outcome)
	}
	return list
}
