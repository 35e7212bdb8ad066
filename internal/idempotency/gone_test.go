package idempotency_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

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
		config := b.DB.Pool.Config()
		config.MaxConns = 1 // the lookup needs the connection of the attempt
		b.Store.Pool = b.pool(config)
		create := explaining(work, func() { b.Exec(`UPDATE items SET name = 'moved on'`) })
		done, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"})
		if err != nil || done.Outcome != idempotency.Created || done.Replayed {
			b.Errorf("%+v, %v", done, err)
		}
		if got := b.outcomes(); !slices.Equal(got, []idempotency.Outcome{idempotency.Created}) {
			b.Errorf("outcomes %v", got)
		}
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
	if !errors.Is(err, idempotency.ErrBusy) || errors.Is(err, record.ErrNotFound) || looks != 10 {
		t.Errorf("%v after %d looks", err, looks)
	}
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
	if c, ok := errors.AsType[*conflict.Error](err); !ok || c.Existing != holder || looks != 1 {
		t.Errorf("%v after %d looks", err, looks)
	}
	if got := b.outcomes(); !slices.Equal(got, []idempotency.Outcome{idempotency.Conflict}) {
		t.Errorf("outcomes %v", got)
	}
}
