package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/must"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/record"
)

// TestAttemptsAreKept checks that attempts with any outcome are kept with their details, in their tenant.
func TestAttemptsAreKept(t *testing.T) {
	b := setup(t)
	began := time.Now()
	made, err := b.create(b.acme, "one", "ada@example.com")
	must.OK(t, err)
	b.OK(b.create(b.acme, "one", "ada@example.com"))
	if _, err := b.create(b.acme, "one", "bob@example.com"); err == nil {
		t.Fatal("a key for two commands")
	}
	b.OK(b.create(b.globex, "one", "secret@example.com"))
	customer.Upsert.Definition.Reject(t.Context(), b.Store, idempotency.Intent{Tenant: b.acme, Actor: "sync"}, idempotency.ErrNoKey)
	changed := b.intent(b.acme, "change")
	changed.Record = made.ID
	customer.Edit.Definition.Reject(t.Context(), b.Store, changed, &invalid.Error{})
	changed.Record = uuid.New()
	customer.Edit.Definition.Reject(t.Context(), b.Store, changed, record.ErrNotFound)
	b.recorder.Close(t.Context())
	assert.Thatf(t, b.recorder.Kept() == 7 && b.recorder.Dropped() == 0 && b.recorder.Took() > 0,
		"kept %d, dropped %d, in %v", b.recorder.Kept(), b.recorder.Dropped(), b.recorder.Took())

	list, err := attempt.List(t.Context(), b.DB.Pool, b.acme, attempt.Filter{}, record.Page{Limit: 100})
	must.OK(t, err)
	want := []attempt.Attempt{ // newest first
		{Operation: "customer.edit", Key: "change", Outcome: "rejected", Actor: "ada", Reason: "problem"},
		{Operation: "customer.edit", Key: "change", Outcome: "rejected", Actor: "ada", Reason: "problem", Record: made.ID},
		{Operation: "customer.upsert", Outcome: "rejected", Actor: "sync", Reason: "key-missing"},
		{Operation: "customer.upsert", Key: "one", Outcome: "mismatch", Actor: "ada", Reason: "problem", Record: made.ID},
		{Operation: "customer.upsert", Key: "one", Outcome: "replayed", Actor: "ada", Record: made.ID},
		{Operation: "customer.upsert", Key: "one", Outcome: "created", Actor: "ada", Record: made.ID},
	}
	var got []attempt.Attempt
	for _, a := range list.Rows {
		_, zone := a.At.Zone()
		assert.Thatf(t, zone == 0 && !a.At.Before(began.Add(-time.Second)) && !a.At.After(time.Now().Add(time.Second)), "at %v", a.At)
		assert.Thatf(t, a.Outcome != "created" || a.Duration > 0 && a.Duration <= time.Since(began).Microseconds(),
			"it took %d µs", a.Duration)
		assert.Thatf(t, a.Replica == "here/1", "replica %q", a.Replica)
		a.ID, a.At, a.Duration, a.Replica = uuid.Nil, time.Time{}, 0, ""
		got = append(got, a)
	}
	assert.Thatf(t, slices.Equal(got, want), "got %+v\nwant %+v", got, want)

	about, err := attempt.OfRecord(t.Context(), b.DB.Pool, b.acme, made.ID)
	must.OK(t, err)
	var outcomes []string
	for _, a := range about {
		outcomes = append(outcomes, fmt.Sprint(a.Outcome, a.Making))
	}
	assert.Thatf(t, slices.Equal(outcomes, []string{"rejectedfalse", "mismatchtrue", "replayedtrue", "createdtrue"}),
		"of the record: %v", outcomes)
	if others, err := attempt.OfRecord(t.Context(), b.DB.Pool, b.globex, made.ID); err != nil || len(others) > 0 {
		t.Errorf("another tenant sees %v, %v", others, err)
	}
}

// TestFailedAttemptsOfARecord checks that a record has the failed attempts of its intent from before it existed.
func TestFailedAttemptsOfARecord(t *testing.T) {
	b := setup(t)
	b.recorder.Observe(idempotency.Attempt{
		Operation: customer.Upsert.Definition.Name(), Intent: b.intent(b.acme, "one"), Outcome: idempotency.Failed, Err: errors.New("down"),
	})
	b.recorder.Observe(idempotency.Attempt{ // another operation with the same key
		Operation: customer.Edit.Definition.Name(), Intent: b.intent(b.acme, "one"), Outcome: idempotency.Failed, Err: errors.New("down"),
	})
	made, err := b.create(b.acme, "one", "ada@example.com")
	must.OK(t, err)
	for range 30 {
		b.OK(b.create(b.acme, "one", "ada@example.com"))
	}
	b.recorder.Close(t.Context())
	about, err := attempt.OfRecord(t.Context(), b.DB.Pool, b.acme, made.ID)
	must.Thatf(t, err == nil && len(about) == 20, "%d, %v", len(about), err)
	b.Exec(`DELETE FROM attempts WHERE outcome = 'replayed'`)
	about, err = attempt.OfRecord(t.Context(), b.DB.Pool, b.acme, made.ID)
	assert.Thatf(t, err == nil && len(about) == 2 && about[1].Outcome == "failed" && about[1].Making, "%+v, %v", about, err)
}

// TestNobodyWaits checks that creates continue while no attempt can be written, and that attempts beyond the queue are dropped and
// counted.
func TestNobodyWaits(t *testing.T) {
	b := setup(t)
	admin, err := b.DB.Admin().Begin(t.Context())
	must.OK(t, err)
	defer admin.Rollback(context.WithoutCancel(t.Context()))
	must.Exec(t, admin, `LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE`)
	for n := range 5 {
		_, err := b.create(b.acme, fmt.Sprint(n), fmt.Sprint(n, "@example.com"))
		assert.Thatf(t, err == nil, "a create while attempts cannot be written: %v", err)
	}
	const many = 20000
	start := time.Now()
	for range many {
		b.recorder.Observe(idempotency.Attempt{Operation: "test", Intent: b.intent(b.acme, "k"), Outcome: idempotency.Failed})
	}
	took := time.Since(start)
	assert.Thatf(t, took <= 5*time.Second, "%d attempts were waited for: %v", many, took)
	if dropped := b.recorder.Dropped(); dropped < many/2 {
		t.Errorf("%d of %d were dropped: the rest is kept in memory", dropped, many)
	}
	must.OK(t, admin.Rollback(t.Context()))
	b.recorder.Close(t.Context())
	kept, dropped := b.recorder.Kept(), b.recorder.Dropped()
	if n := b.count(`SELECT count(*) FROM attempts`); int64(n) != kept || kept+dropped != many+5 || kept == 0 {
		t.Errorf("%d rows, kept %d, dropped %d of %d", n, kept, dropped, many+5)
	}
}

// TestCloseIsBounded checks that a hanging database loses the queue, and doesn't delay the end of the program.
func TestCloseIsBounded(t *testing.T) {
	b := setup(t)
	admin, err := b.DB.Admin().Begin(t.Context())
	must.OK(t, err)
	defer admin.Rollback(context.WithoutCancel(t.Context()))
	must.Exec(t, admin, `LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE`)
	const many = 1500 // two batches
	for range many {
		b.recorder.Observe(idempotency.Attempt{Operation: "test", Intent: b.intent(b.acme, "k"), Outcome: idempotency.Failed})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	b.recorder.Close(ctx)
	if took := time.Since(start); took > 900*time.Millisecond { // less than the wait for a single lock
		t.Errorf("it took %v", took)
	}
	assert.Thatf(t, b.recorder.Dropped() == many, "dropped %d", b.recorder.Dropped())
}

// TestFloodIsNotPassedOn checks that a process writes at most its rate, and the whole of its queue.
func TestFloodIsNotPassedOn(t *testing.T) {
	b := setup(t)
	const many = 3500 // four batches
	start := time.Now()
	for range many {
		b.recorder.Observe(idempotency.Attempt{Operation: "test", Intent: b.intent(b.acme, "k"), Outcome: idempotency.Failed})
	}
	for patience := time.After(time.Minute); b.recorder.Kept() < many; {
		select {
		case <-patience:
			t.Fatalf("kept %d, dropped %d", b.recorder.Kept(), b.recorder.Dropped())
		case <-time.After(5 * time.Millisecond):
		}
	}
	took := time.Since(start)
	assert.Thatf(t, took >= 2*time.Second, "%d attempts were written in %v", many, took)
	b.recorder.Close(t.Context())
}
