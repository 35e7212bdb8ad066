package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

func TestTxIsOfNoUseOutsideOfItsWork(t *testing.T) {
	b := setup(t)
	var smuggled *idempotency.Tx
	s := spec()
	work := s.Statements
	s.Statements = func(tx *idempotency.Tx, o order) idempotency.Result {
		smuggled = tx
		return work(tx, o)
	}
	b.OK(idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"}))
	for name, tx := range map[string]*idempotency.Tx{"nil": nil, "zero": {}, "smuggled": smuggled} {
		assert.Thatf(t, panics(func() { tx.Exec(`DELETE FROM items`, nil) }), "a %s Tx was usable", name)
	}
}

// TestOneStatementTwice: a transaction may run the same SQL with other arguments, also on a connection that has not prepared it.
func TestOneStatementTwice(t *testing.T) {
	b := setup(t)
	s := spec()
	work := s.Statements
	s.Statements = func(tx *idempotency.Tx, o order) idempotency.Result {
		for _, name := range []string{"first", "second"} {
			tx.Check(errGone, `SELECT @name <> ''`, pgx.NamedArgs{"name": name})
		}
		return work(tx, o)
	}
	b.OK(idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"}))
}

func TestArgumentsAreChecked(t *testing.T) {
	b := setup(t)
	s := spec()
	s.Statements = func(tx *idempotency.Tx, _ order) idempotency.Result { return tx.Return(`SELECT @nothing::json`, nil) }
	_, err := idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err != nil, "an argument that is not there became NULL")
	s.Statements = func(tx *idempotency.Tx, _ order) idempotency.Result {
		return tx.Return(`SELECT '{}'::json`, pgx.NamedArgs{"tenant_id": "another"})
	}
	assert.Thatf(t, panics(func() { _, _ = idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"}) }),
		"work could name its own tenant")
}

func TestIncompleteOperations(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*idempotency.Spec[order, item]){
		"no name":               func(s *idempotency.Spec[order, item]) { s.Name = "" },
		"no work":               func(s *idempotency.Spec[order, item]) { s.Statements = nil },
		"work in both styles":   func(s *idempotency.Spec[order, item]) { s.Run = interactive().Run },
		"a state without Made":  func(s *idempotency.Spec[order, item]) { s.Kind = idempotency.Transition },
		"Made of a new record":  func(s *idempotency.Spec[order, item]) { s.Made = `r.done` },
		"Locks of a new record": func(s *idempotency.Spec[order, item]) { s.Locks = `SELECT` },
		"negative Retain":       func(s *idempotency.Spec[order, item]) { s.Retain = -time.Hour },
		"Retain without a unit": func(s *idempotency.Spec[order, item]) { s.Retain = 72 },
		"Retain of 292 years":   func(s *idempotency.Spec[order, item]) { s.Retain = math.MaxInt64 },
		"a field named in NotInFingerprint that is in it": func(s *idempotency.Spec[order, item]) {
			s.NotInFingerprint = []string{"Name"}
		},
	} {
		s := spec()
		if spoil(&s); !panics(func() { idempotency.Define(s) }) {
			t.Errorf("%s: defined", name)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

var errGone = errors.New("the item is gone")

// A statement that changes too few or too many rows is rolled back in the same round trip.
func TestRequire(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	for _, name := range []string{"a", "b"} {
		b.OK(create.Do(t.Context(), b.Store, b.Intent(name), order{name}))
	}
	rename := func(rows int64, where string) idempotency.Operation[order, item] {
		s := spec()
		s.Name = "item.rename"
		s.Statements = func(tx *idempotency.Tx, o order) idempotency.Result {
			tx.Require(rows, errGone, `UPDATE items SET name = name || @suffix WHERE tenant_id = @tenant_id AND `+where,
				pgx.NamedArgs{"suffix": o.Name})
			return tx.Return(`
				SELECT json_build_object('id', id, 'name', name) FROM items WHERE tenant_id = @tenant_id AND name LIKE 'a%'`, nil)
		}
		return idempotency.Define(s)
	}
	for where, rows := range map[string]int64{`name = 'nobody'`: 1, `true`: 1, `name = 'a'`: 2} {
		_, err := rename(rows, where).Do(t.Context(), b.Store, b.Intent("k"), order{"x"})
		assert.Thatf(t, errors.Is(err, errGone), "%s: %v", where, err)
	}
	b.want(2, `SELECT count(*) FROM items WHERE name IN ('a', 'b')`)
	if done, err := rename(1, `name = 'a'`).Do(t.Context(), b.Store, b.Intent("k"), order{"x"}); err != nil || done.Value.Name != "ax" {
		t.Errorf("%+v, %v", done, err)
	}
	want := []idempotency.Outcome{"created", "created", "conflict", "conflict", "conflict", "reused"}
	got := b.outcomes()
	assert.Thatf(t, slices.Equal(got, want), "outcomes %v", got)
}

func TestUsed(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	intent := b.Intent("k")
	if _, used, err := create.Definition.Used(t.Context(), b.Store, intent.Tenant, intent.Key); used || err != nil {
		t.Errorf("used %v, %v", used, err)
	}
	done, err := create.Do(t.Context(), b.Store, intent, order{"a"})
	must.OK(t, err)
	id, used, err := create.Definition.Used(t.Context(), b.Store, intent.Tenant, intent.Key)
	assert.Thatf(t, used && id == done.Value.ID && err == nil, "%s, used %v, %v", id, used, err)
	if _, used, err := create.Definition.Used(t.Context(), b.Store, uuid.New(), intent.Key); used || err != nil {
		t.Errorf("by another tenant: %v, %v", used, err)
	}
}

// Attempts wait for the lock, but the primary key holds even without it.
func TestPrimaryKeyHoldsWithoutTheLock(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	b.Exec(`
		CREATE OR REPLACE FUNCTION intent_lock(in_tenant uuid, in_operation text, in_key text) RETURNS bigint
		LANGUAGE sql AS 'SELECT (random() * 1e15)::bigint'`)
	stores := []*idempotency.Store{b.Store, b.replica(), b.replica(), b.replica()}
	create := idempotency.Define(spec())
	const attempts = 40
	var created atomic.Int64
	rush(attempts, func(i int) {
		done, err := create.Do(context.Background(), stores[i%len(stores)], b.Intent("k"), order{fmt.Sprint("name ", i%len(stores))})
		var mismatch *idempotency.MismatchError
		if err == nil && !done.Replayed {
			created.Add(1)
		} else if err != nil && !errors.As(err, &mismatch) && !errors.Is(err, idempotency.ErrBusy) {
			t.Error(err)
		}
	})()
	n := b.count(`SELECT count(*) FROM items`)
	assert.Thatf(t, n == 1 && created.Load() == 1, "%d items, %d acknowledged", n, created.Load())
}

var nameTaken = conflict.Kind{Slug: "name-taken"}

// explaining returns an operation that calls meanwhile before its explanation looks for the record with the name.
func explaining(spec idempotency.Spec[order, item], meanwhile func()) idempotency.Operation[order, item] {
	taken := idempotency.Taken(items, `r.name = @name`,
		func(o order) pgx.NamedArgs { return pgx.NamedArgs{"name": o.Name} },
		func(_ order, holder item) error { return &conflict.Error{Kind: &nameTaken, Existing: holder.ID} })
	spec.Explain = map[string]idempotency.Explanation[order]{"items_name_once": func(
		ctx context.Context, store *idempotency.Store, intent idempotency.Intent, o order, broken *pgconn.PgError,
	) error {
		meanwhile()
		return taken(ctx, store, intent, o, broken)
	}}
	return idempotency.Define(spec)
}

// hold inserts an item with a name.
func (b *bundle) hold(name string) (id uuid.UUID) {
	b.Helper()
	id = uuid.New()
	b.Exec(`INSERT INTO items (tenant_id, id, name) VALUES ('` + b.Tenant.String() + `', '` + id.String() + `', '` + name + `')`)
	return id
}

// TestHolderMovesOn checks that the work is done if the conflicting record gives up the name between the refusal and the lookup. Nothing
// conflicts then, so the error is never ErrNotFound.
func TestHolderMovesOn(t *testing.T) {
	t.Parallel()
	inStylesOf(t, spec, interactive, func(b *bundle, work idempotency.Spec[order, item]) {
		b.hold("a")
		b.Store.Pool = b.pool(single) // the lookup needs the connection of the attempt
		create := explaining(work, func() { b.Exec(`UPDATE items SET name = 'moved on'`) })
		done, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"})
		assert.Thatf(b, err == nil && done.Outcome == idempotency.Created && !done.Replayed, "%+v, %v", done, err)
		got := b.outcomes()
		assert.Thatf(b, slices.Equal(got, []idempotency.Outcome{idempotency.Created}), "outcomes %v", got)
	})
}

// TestHolderChangesEachTime checks that the attempt ends with ErrBusy if the name is given up before each lookup and taken again before
// each send.
func TestHolderChangesEachTime(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	b.hold("a")
	b.Exec(`
		CREATE FUNCTION retake() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			UPDATE items SET name = 'a' WHERE name = 'moved on';
			RETURN NEW;
		END $$;
		CREATE TRIGGER retake BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION retake()`)
	looks := 0
	create := explaining(spec(), func() {
		looks++
		b.Exec(`UPDATE items SET name = 'moved on'`)
	})
	_, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, errors.Is(err, idempotency.ErrBusy) && !errors.Is(err, record.ErrNotFound) && looks == 10,
		"%v after %d looks", err, looks)
	b.Exec(`DROP TRIGGER retake ON items`)
	if done, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}); err != nil || done.Replayed {
		t.Errorf("trying again: %+v, %v", done, err)
	}
}

// TestHolderStays checks that the attempt is a conflict with the holder, after one lookup.
func TestHolderStays(t *testing.T) {
	b := setup(t)
	holder, looks := b.hold("a"), 0
	create := explaining(spec(), func() { looks++ })
	_, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	c, ok := errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && c.Existing == holder && looks == 1, "%v after %d looks", err, looks)
	got := b.outcomes()
	assert.Thatf(t, slices.Equal(got, []idempotency.Outcome{idempotency.Conflict}), "outcomes %v", got)
}
