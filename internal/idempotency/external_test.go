package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/must"
)

// parcel is a command for an item with an external id.
type parcel struct {
	Name string `json:"name"`
	idempotency.External
}

// storing returns the operation that creates an item with an external id.
func storing() idempotency.Spec[parcel, item] {
	return idempotency.Spec[parcel, item]{
		Name: "item.store", Table: items, External: func(p parcel) idempotency.External { return p.External },
		Statements: func(tx *idempotency.Tx, p parcel) idempotency.Result {
			tx.Exec(insertExternal, pgx.NamedArgs{"name": p.Name})
			return tx.Record()
		},
	}
}

const insertExternal = `
	INSERT INTO items (tenant_id, id, name, ` + idempotency.ExternalColumns + `)
	VALUES (@tenant_id, @record_id, @name, ` + idempotency.ExternalValues + `)`

func storingInteractive() idempotency.Spec[parcel, item] {
	s := storing()
	s.Statements = nil
	s.Run = func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, p parcel) (item, error) {
		args := intent.External()
		args["tenant_id"], args["record_id"], args["name"] = intent.Tenant, intent.Record, p.Name
		_, err := tx.Exec(ctx, insertExternal, args)
		return item{ID: intent.Record, Name: p.Name}, err
	}
	return s
}

// changing returns the operation that changes such an item.
func changing() idempotency.Spec[parcel, item] {
	s := storing()
	s.Kind, s.Name = idempotency.Change, "item.restore"
	s.Statements = func(tx *idempotency.Tx, p parcel) idempotency.Result {
		tx.Exec(`
			UPDATE items SET (name, `+idempotency.ExternalColumns+`) = (@name, `+idempotency.ExternalKept+`)
			WHERE tenant_id = @tenant_id AND id = @record_id`, pgx.NamedArgs{"name": p.Name})
		return tx.Record()
	}
	return s
}

// externally runs a test with each style of work.
func externally(t *testing.T, test func(*bundle, idempotency.Operation[parcel, item])) {
	t.Helper()
	inStylesOf(t, storing, storingInteractive, func(b *bundle, s idempotency.Spec[parcel, item]) { test(b, idempotency.Define(s)) })
}

// taken returns the record in an [idempotency.ExternalTaken] error, or uuid.Nil for any other error.
func taken(err error) uuid.UUID {
	if c, ok := errors.AsType[*conflict.Error](err); ok && c.Kind == &idempotency.ExternalTaken {
		return c.Existing
	}
	return uuid.Nil
}

// TestExternalOnce checks that under another key, the same content finds the same record, and other content is refused with a link to it.
func TestExternalOnce(t *testing.T) {
	externally(t, func(b *bundle, store idempotency.Operation[parcel, item]) {
		send := func(key, name, source, id string) (idempotency.Done[item], error) {
			return store.Do(b.Context(), b.Store, b.Intent(key), parcel{name, idempotency.External{Source: source, ExternalID: id}})
		}
		first, err := send("first", "box", "Shop", "a-1")
		must.Thatf(b, err == nil && first.Outcome == idempotency.Created, "%v %v", first, err)
		for _, source := range []string{"Shop", "SHOP", "ｓｈｏｐ"} {
			key := fmt.Sprintf("%+q", source)
			again, err := send(key, "box", source, "a-1")
			assert.Thatf(b, err == nil && again.Value.ID == first.Value.ID && again.Outcome == idempotency.Reused && !again.Replayed,
				"%s: %+v, %v", source, again, err)
			replay, err := send(key, "box", source, "a-1")
			assert.Thatf(b, err == nil && replay.Replayed && replay.Value == again.Value, "%s, replayed: %+v, %v", source, replay, err)
		}
		for range 2 { // the key stays free
			_, err := send("other", "crate", "Shop", "a-1")
			assert.Thatf(b, taken(err) == first.Value.ID, "%v", err)
		}
		for i, of := range [][2]string{{"Shop", "A-1"}, {"Mart", "a-1"}, {"", ""}} {
			done, err := send(fmt.Sprint("other ", i), fmt.Sprint("crate ", i), of[0], of[1])
			assert.Thatf(b, err == nil && done.Outcome == idempotency.Created, "%v: %+v, %v", of, done, err)
		}
		b.want(4, `SELECT count(*) FROM items`)
	})
}

// TestSyncTwiceAtOnce runs a sync twice concurrently on two stores, each with its own keys, and a third time afterwards.
func TestSyncTwiceAtOnce(t *testing.T) {
	const records, runs = 40, 3
	externally(t, func(b *bundle, store idempotency.Operation[parcel, item]) {
		stores := []*idempotency.Store{b.Store, b.replica()}
		var ids [runs][records]uuid.UUID
		var made, reused atomic.Int64
		sync := func(run, i int, at *idempotency.Store) {
			p := parcel{fmt.Sprint("item ", i), idempotency.External{Source: "shop", ExternalID: fmt.Sprint(i)}}
			done, err := store.Do(b.Context(), at, b.Intent(fmt.Sprint(run, "/", i)), p)
			switch {
			case err != nil:
				b.Error(err)
			case done.Outcome == idempotency.Created:
				made.Add(1)
			case done.Outcome == idempotency.Reused:
				reused.Add(1)
			}
			ids[run][i] = done.Value.ID
		}
		rush(2*records, func(n int) { sync(n%2, n/2, stores[n%2]) })()
		assert.Thatf(b, made.Load() == records && reused.Load() == records, "made %d, reused %d", made.Load(), reused.Load())
		rush(records, func(i int) { sync(2, i, stores[i%2]) })()
		assert.Thatf(b, made.Load() == records && reused.Load() == 2*records && ids[0] == ids[1] && ids[1] == ids[2],
			"then made %d, reused %d, and the ids are the same: %v", made.Load(), reused.Load(), ids[0] == ids[2])
		b.want(records, `SELECT count(*) FROM items`)
	})
}

// TestExternalPastTheLock checks that the unique index holds for inserts without the lock, such as a manual import, and that a concurrent
// attempt finds out whether the content was the same.
func TestExternalPastTheLock(t *testing.T) {
	for name, c := range map[string]struct {
		digest, end string
		want        func(done idempotency.Done[item], err error, theirs uuid.UUID) bool
	}{
		"same content": {"external_digest", "COMMIT", func(done idempotency.Done[item], err error, theirs uuid.UUID) bool {
			return err == nil && done.Outcome == idempotency.Reused && done.Value.ID == theirs
		}},
		"other content": {"sha256('')", "COMMIT", func(_ idempotency.Done[item], err error, theirs uuid.UUID) bool {
			return taken(err) == theirs
		}},
		"taken back": {"external_digest", "ROLLBACK", func(done idempotency.Done[item], err error, _ uuid.UUID) bool {
			return err == nil && done.Outcome == idempotency.Created
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			store := idempotency.Define(storing())
			box := parcel{"box", idempotency.External{Source: "shop", ExternalID: "1"}}
			b.OK(store.Do(t.Context(), b.Store, b.Intent("before"), box))
			theirs := uuid.New()
			conn, err := b.DB.Admin().Acquire(t.Context())
			must.OK(t, err)
			defer conn.Release()
			exec := func(sql string) {
				_, err := conn.Exec(t.Context(), sql)
				assert.Thatf(t, err == nil, "%v", err)
			}
			exec(`
				CREATE TEMP TABLE was AS SELECT tenant_id, source, external_id, external_digest FROM items; DELETE FROM items`)
			exec(`BEGIN; INSERT INTO items (tenant_id, id, name, source, external_id, external_digest)
				SELECT tenant_id, '` + theirs.String() + `', 'theirs', source, external_id, ` + c.digest + ` FROM was`)
			wait := rush(1, func(int) {
				done, err := store.Do(b.Context(), b.Store, b.Intent("k"), box)
				assert.Thatf(t, c.want(done, err, theirs), "%+v, %v", done, err)
			})
			b.Waiting(1)
			exec(c.end)
			wait()
		})
	}
}

// TestExternalOfAChange checks that a change keeps the external id, attaches one, or is refused the external id of a second record. A
// change with the external id replaces the content of its source.
func TestExternalOfAChange(t *testing.T) {
	b := setup(t)
	store, change := idempotency.Define(storing()), idempotency.Define(changing())
	of := func(id string) idempotency.External { return idempotency.External{Source: "shop", ExternalID: id} }
	create := func(key, name, id string) (idempotency.Done[item], error) {
		return store.Do(t.Context(), b.Store, b.Intent(key), parcel{name, of(id)})
	}
	box, err := create("box", "box", "1")
	crate, err2 := store.Do(t.Context(), b.Store, b.Intent("crate"), parcel{Name: "crate"})
	must.OK(t, errors.Join(err, err2))
	edit := func(key string, seen int, record uuid.UUID, p parcel) error {
		intent := b.Intent(key)
		intent.Record, intent.Seen = record, seen
		_, err := change.Do(t.Context(), b.Store, intent, p)
		return err
	}
	must.OK(t, edit("by hand", 1, box.Value.ID, parcel{Name: "big box"}))
	if again, err := create("again", "box", "1"); err != nil || again.Value.ID != box.Value.ID || again.Value.Name != "big box" {
		t.Errorf("what the source said last, after a change by hand: %+v, %v", again, err)
	}
	if err := edit("not mine", 1, crate.Value.ID, parcel{"crate", of("1")}); taken(err) != box.Value.ID {
		t.Error(err)
	}
	must.OK(t, edit("attach", 1, crate.Value.ID, parcel{"crate", of("2")}))
	must.OK(t, edit("update", 2, box.Value.ID, parcel{"red box", of("1")}))
	for name, id := range map[string]string{"red box": "1", "crate": "2"} {
		again, err := create("then "+id, name, id)
		assert.Thatf(t, err == nil && again.Outcome == idempotency.Reused, "%s: %+v, %v", name, again, err)
	}
	if _, err := create("stale", "box", "1"); taken(err) != box.Value.ID {
		t.Errorf("what the source does not say any more: %v", err)
	}
	b.want(2, `SELECT count(*) FROM items`)
}

// TestExternalAfterARelease checks that a new field of the command that is blank does not change the content.
func TestExternalAfterARelease(t *testing.T) {
	b := setup(t)
	type line struct {
		Text  string `json:"text"`
		Count int    `json:"count"`
	}
	type later struct {
		Colour  string    `json:"colour"`
		Fragile bool      `json:"fragile"`
		Weight  int       `json:"weight"`
		Owner   uuid.UUID `json:"owner"`
		Lines   []line    `json:"lines"`
		parcel
	}
	next := idempotency.Define(idempotency.Spec[later, item]{
		Name: "item.store.later", Table: items, External: func(l later) idempotency.External { return l.External },
		Statements: func(tx *idempotency.Tx, l later) idempotency.Result {
			tx.Exec(insertExternal, pgx.NamedArgs{"name": l.Name})
			return tx.Record()
		},
	})
	box := parcel{"box", idempotency.External{Source: "shop", ExternalID: "1"}}
	before, err := idempotency.Define(storing()).Do(t.Context(), b.Store, b.Intent("before"), box)
	must.OK(t, err)
	if done, err := next.Do(t.Context(), b.Store, b.Intent("same"), later{parcel: box}); err != nil || done.Value.ID != before.Value.ID {
		t.Errorf("%+v, %v", done, err)
	}
	for i, other := range []later{
		{Colour: "red"}, {Fragile: true}, {Weight: 1}, {Owner: uuid.New()}, {Lines: []line{{}}}, {Lines: []line{{Count: 1}}},
	} {
		other.parcel = box
		_, err := next.Do(t.Context(), b.Store, b.Intent(fmt.Sprint(i)), other)
		assert.Thatf(t, taken(err) == before.Value.ID, "%d: %v", i, err)
	}
}

func TestExternalCheck(t *testing.T) {
	t.Parallel()
	long := fmt.Sprintf("%0201d", 0)
	for _, c := range []struct {
		source, id string
		wrong      []string
	}{
		{"", "", nil}, {"Shop", "a 1", nil}, {" My   shop ", long[1:], nil},
		{"shop", "", []string{"/external_id"}}, {"", "1", []string{"/source"}},
		{"shop", " 1", []string{"/external_id"}}, {"shop", "1\n", []string{"/external_id"}}, {"shop", "ä", []string{"/external_id"}},
		{"shop", long, []string{"/external_id"}}, {long[:41], "1", []string{"/source"}}, {"sh\u202eop", "1", []string{"/source"}},
	} {
		var problems invalid.Error
		checked := idempotency.External{Source: c.source, ExternalID: c.id}.Check("", &problems)
		var wrong []string
		for _, f := range problems.Fields {
			wrong = append(wrong, f.Pointer)
		}
		assert.Thatf(t, slices.Equal(wrong, c.wrong) && checked.ExternalID == c.id, "%+v: %+v, %v", c, checked, wrong)
	}
}
