package event_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/event"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// bundle is a tenant with a feed, and the place up to which a program has read it.
type bundle struct {
	*storetest.Bundle

	after idempotency.EventPlace
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: storetest.Setup(t)}
	b.OK(event.Start.Do(t.Context(), b.Store, b.Intent("start"), event.Draft{Name: "Shop"}))
	if got := keys(b.next(100)); !slices.Equal(got, []string{"start"}) {
		t.Errorf("the feed begins with %q", got)
	}
	return b
}

// next reads the next events, at most limit.
func (b *bundle) next(limit int) []idempotency.Event {
	last, err := idempotency.LastEvent(b.Context(), b.DB.Pool, b.Tenant, b.after)
	assert.Thatf(b, err == nil, "%v", err)
	events, err := idempotency.Events(b.Context(), b.DB.Pool, b.Tenant, b.after, last, limit)
	assert.Thatf(b, err == nil, "%v", err)
	if len(events) > 0 {
		b.after = events[len(events)-1].Place
	}
	return events
}

func keys(events []idempotency.Event) (all []string) {
	for _, e := range events {
		all = append(all, e.Key)
	}
	return all
}

// numbered returns a transaction that has numbered the event of an intent.
func (b *bundle) numbered(key string) pgx.Tx {
	b.Helper()
	tx, err := b.DB.Pool.Begin(b.Context())
	must.OK(b, err)
	b.OK(tx.Exec(b.Context(), `SELECT claim_intent($1, 'test', $2, '20s')`, b.Tenant, key))
	b.OK(tx.Exec(b.Context(), `
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, expires_at)
		VALUES ($1, 'test', $2, sha256(''), $3, $3, 'created', '', now())`, b.Tenant, key, uuid.New()))
	b.OK(tx.Exec(b.Context(), `SET CONSTRAINTS note_event IMMEDIATE`))
	return tx
}

// TestNothingAppearsBehindTheReader checks that a reader waits for the transactions that have numbered their events, if they commit in
// another order or roll back.
func TestNothingAppearsBehindTheReader(t *testing.T) {
	b := setup(t)
	first, second, third := b.numbered("first"), b.numbered("second"), b.numbered("third")
	must.OK(t, third.Commit(t.Context()))
	read := make(chan []string)
	go func() { read <- keys(b.next(100)) }()
	b.Waiting(1)
	must.OK(t, second.Rollback(t.Context()))
	must.OK(t, first.Commit(t.Context()))
	if got := <-read; !slices.Equal(got, []string{"first", "third"}) {
		t.Errorf("read %q", got)
	}
	open := b.numbered("open")
	if got := b.next(100); len(got) > 0 { // and it doesn't wait: nothing was committed since
		t.Errorf("then read %q", keys(got))
	}
	must.OK(t, open.Commit(t.Context()))
	if got := keys(b.next(100)); !slices.Equal(got, []string{"open"}) {
		t.Errorf("last read %q", got)
	}
}

// TestReaderGivesUp checks that a reader behind a commit that hangs returns an error, and releases the commits that wait for it.
func TestReaderGivesUp(t *testing.T) {
	b := setup(t)
	hanging, done := b.numbered("hanging"), b.numbered("done")
	must.OK(t, done.Commit(t.Context()))
	_, err := idempotency.LastEvent(t.Context(), b.DB.Pool, b.Tenant, b.after)
	assert.Thatf(t, errors.Is(err, idempotency.ErrUnavailable), "%v", err)
	must.OK(t, hanging.Rollback(t.Context()))
	if got := keys(b.next(100)); !slices.Equal(got, []string{"done"}) {
		t.Errorf("then read %q", got)
	}
}

// TestReaderBesideWriters follows the feed while customers are created, and one is archived and restored. It has the event of each
// customer once, and those of a customer in the order of its changes.
func TestReaderBesideWriters(t *testing.T) {
	b := setup(t)
	create := func(key string) (idempotency.Done[customer.Customer], error) {
		d, err := customer.Input{Name: key}.Draft()
		must.OK(t, err)
		return customer.Upsert.Do(t.Context(), b.Store, b.Intent(key), d)
	}
	one, err := create("one")
	must.OK(t, err)
	const writers, each = 6, 20
	written, followed := make(chan struct{}), make(chan []idempotency.Event)
	go func() {
		var all []idempotency.Event
		for ended := false; !ended; {
			select {
			case <-written:
				ended = true
			default:
			}
			for read := b.next(7); len(read) > 0; read = b.next(7) {
				all = append(all, read...)
			}
		}
		followed <- all
	}()
	errs := storetest.Together(writers, func(w int) error {
		for i := range each {
			key := fmt.Sprintf("%d of %d", i, w)
			if _, err := create(key); err != nil {
				return err
			}
			move := customer.Archive
			if i%2 == 1 {
				move = customer.Restore
			}
			if _, err := move.Do(t.Context(), b.Store, b.Of("move "+key, one.Value.ID, 0), struct{}{}); err != nil {
				return err
			}
		}
		return nil
	})
	close(written)
	times, moves := map[string]int{}, []string{}
	for _, e := range <-followed {
		if times[e.Key]++; e.What == string(idempotency.Changed) {
			moves = append(moves, e.Operation)
		}
	}
	for w, err := range errs {
		must.OK(t, err)
		for i := range each {
			key := fmt.Sprintf("%d of %d", i, w)
			assert.Thatf(t, times[key] == 1, "%s was created once, and read %d times", key, times[key])
		}
	}
	changed := storetest.Value[int](b, `SELECT count(*) FROM intents WHERE outcome = 'changed'`)
	assert.Thatf(t, len(moves) == changed, "%d of %d changes were read", len(moves), changed)
	for i, move := range moves {
		want := []string{customer.Archive.Definition.Name(), customer.Restore.Definition.Name()}[i%2]
		assert.Thatf(t, move == want, "change %d is %s", i, move)
	}
}

// TestPlaceOfAnotherHistory checks that a place is refused if its number has another event, as after a backup was restored.
func TestPlaceOfAnotherHistory(t *testing.T) {
	b := setup(t)
	for name, place := range map[string]idempotency.EventPlace{
		"of another event": {N: b.after.N, ID: uuid.New()}, "ahead of the feed": {N: b.after.N + 1, ID: b.after.ID},
	} {
		_, err := idempotency.LastEvent(t.Context(), b.DB.Pool, b.Tenant, place)
		assert.Thatf(t, errors.Is(err, record.ErrKey), "%s: %v", name, err)
	}
}

// TestTenantWithoutAFeedHasNoEvents: nothing is recorded before a feed was started, by another tenant either.
func TestTenantWithoutAFeedHasNoEvents(t *testing.T) {
	b := setup(t)
	other := uuid.New()
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Other')`, other)
	b.Tenant, b.after = other, idempotency.EventPlace{}
	tx := b.numbered("one")
	must.OK(t, tx.Commit(t.Context()))
	assert.Thatf(t, len(b.next(100)) == 0, "there are events without a feed")
}
