package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/web"
)

// race is a crowd of clients at two replicas of one database.
type race struct {
	*try

	replicas []*client
}

func setupRace(t *testing.T, f format, settings ...func(*web.Config)) *race {
	t.Helper()
	b := setup(t)
	r := &race{try: b.try(invoices(), f)}
	for range 2 {
		r.replicas = append(r.replicas, f.caller(b, b.serve(settings...), b.acme))
	}
	r.caller = r.replicas[0]
	return r
}

// run sends n commands from one gate, the i-th as intent says, and gives their answers.
func (r *race) run(n int, intent func(i int) (key, number string)) []answer {
	r.Helper()
	answers, errs := make([]answer, n), make([]error, n)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		key, number := intent(i)
		// Equal commands look like repeats, which only people are asked about.
		typed := change(r.command, "number", number)
		all.Go(func() {
			<-gate
			answers[i], errs[i] = r.format.send(r.Context(), r.replicas[i%2], r.target, key, typed)
		})
	}
	close(gate)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			r.Fatal(err)
		}
	}
	return answers
}

func TestRaceOneKey(t *testing.T) {
	r := setupRace(t, jsonFormat{})
	answers := r.run(200, func(int) (string, string) { return key, "" })
	first := 0
	for _, a := range answers {
		if a.status != http.StatusCreated || a.body != answers[0].body || a.location() != answers[0].location() ||
			a.header.Get("ETag") != answers[0].header.Get("ETag") {
			t.Fatalf("one got %v\nanother %v", answers[0], a)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d were first", first)
	}
	r.wantRows(r.leaves)
	r.wantOutcomes(append(slices.Repeat(outcomes("replayed"), 199), "created")...)
}

func TestRaceOneForm(t *testing.T) {
	r := setupRace(t, htmlFormat{})
	answers := r.run(50, func(int) (string, string) { return key, "" })
	for _, a := range answers {
		if a.status != http.StatusSeeOther || a.location() != answers[0].location() {
			t.Fatalf("one got %v\nanother %v", answers[0], a)
		}
	}
	r.wantRows(r.leaves)
	r.wantOutcomes(append(slices.Repeat(outcomes("replayed"), 49), "created")...)
}

func TestRaceOneNumber(t *testing.T) {
	r := setupRace(t, jsonFormat{})
	answers := r.run(100, func(i int) (string, string) { return fmt.Sprint("key-", i), "2026-0042" })
	var winner string
	for _, a := range answers {
		if a.status == http.StatusCreated {
			winner = decode[created](r.bundle, a).ID
		}
	}
	conflicts := 0
	for _, a := range answers {
		if a.status == http.StatusConflict {
			conflicts++
			p := decode[problem](r.bundle, a)
			if p.ExistingID != winner || p.Type != "/problems/number-taken" || p.NextNumber != "2026-0001" {
				t.Errorf("%s won, and the conflict is %v", winner, a)
			}
		}
	}
	if conflicts != 99 {
		t.Errorf("%d conflicts", conflicts)
	}
	r.wantRows(r.leaves)
}

func TestRaceForNumbers(t *testing.T) {
	r := setupRace(t, jsonFormat{})
	answers := r.run(50, func(i int) (string, string) { return fmt.Sprint("key-", i), "" })
	var got, want []string
	for i, a := range answers {
		got = append(got, decode[created](r.bundle, a).Number)
		want = append(want, fmt.Sprintf("2026-%04d", i+1))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("numbers %v", got)
	}
	r.wantRows(rows{"invoices": 50, "invoice_lines": 100, "invoice_number_runs": 1, "customers": 1, "intent_effects": 1, "intents": 50})
}

// TestRaceOfEverything: 40 intents, each sent five times. Ten want one number, ten bring a number each,
// twenty take the next.
func TestRaceOfEverything(t *testing.T) {
	r := setupRace(t, jsonFormat{})
	answers := r.run(200, func(i int) (string, string) {
		switch intent := i % 40; {
		case intent < 10:
			return fmt.Sprint("key-", intent), "wanted"
		case intent < 20:
			return fmt.Sprint("key-", intent), fmt.Sprint("own-", intent)
		default:
			return fmt.Sprint("key-", intent), ""
		}
	})
	byKey := map[int]map[string]bool{}
	acknowledged := map[string]bool{}
	for i, a := range answers {
		switch a.status {
		case http.StatusCreated:
			id := decode[created](r.bundle, a).ID
			acknowledged[id] = true
			if byKey[i%40] == nil {
				byKey[i%40] = map[string]bool{}
			}
			byKey[i%40][a.body] = true
		case http.StatusConflict:
			if i%40 >= 10 {
				t.Errorf("a conflict about nothing: %v", a)
			}
		default:
			t.Errorf("%v", a)
		}
	}
	for intent, bodies := range byKey {
		if len(bodies) != 1 {
			t.Errorf("intent %d got different answers: %v", intent, bodies)
		}
	}
	// Both ways: each acknowledged invoice is there, and each that is there was acknowledged.
	stored := get[[]string](r.bundle, `SELECT array_agg(id::text ORDER BY id) FROM invoices`)
	for _, id := range stored {
		if !acknowledged[id] {
			t.Errorf("nobody was told of %s", id)
		}
	}
	if len(stored) != 31 || len(acknowledged) != 31 || len(byKey) != 31 {
		t.Errorf("%d stored, %d acknowledged, %d intents served, want 31 each", len(stored), len(acknowledged), len(byKey))
	}
	numbers := get[int](r.bundle, `SELECT count(DISTINCT number) FROM invoices WHERE number BETWEEN '2026-0001' AND '2026-0020'`)
	if numbers != 20 {
		t.Errorf("%d of the numbers 1 to 20", numbers)
	}
}

// TestRaceWithExpiry: results expire at once and are erased all the time, and still nothing is created
// twice.
func TestRaceWithExpiry(t *testing.T) {
	r := setupRace(t, jsonFormat{}, func(c *web.Config) { c.Store.Retain = time.Microsecond })
	ctx, stop := context.WithCancel(t.Context())
	var sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for ctx.Err() == nil {
				if _, err := idempotency.Expire(ctx, r.db.Pool, r.acme.id); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	answers := r.run(200, func(i int) (string, string) { return fmt.Sprint("key-", i%20), "" })
	stop()
	sweepers.Wait()
	ids := map[int]string{}
	for i, a := range answers {
		if a.status != http.StatusCreated && a.status != http.StatusOK {
			t.Fatalf("%v", a)
		}
		id := decode[created](r.bundle, a).ID
		if ids[i%20] == "" {
			ids[i%20] = id
		}
		if ids[i%20] != id {
			t.Errorf("key %d made %s and %s", i%20, ids[i%20], id)
		}
	}
	if n := r.rows()["invoices"]; n != 20 {
		t.Errorf("%d invoices of 20 intents", n)
	}
}

// TestRaceOfOneVersion: of two changes of what both have seen, at two replicas, one is saved whole. The other one gets
// 412, and changes nothing.
func TestRaceOfOneVersion(t *testing.T) {
	eachTask(t, changes, jsonFormat{}, func(x *try) {
		callers := []*client{x.caller, x.from(x.serve())}
		commands := []url.Values{x.command, x.theirs()}
		answers := make([]answer, 2)
		for _, err := range invoicetest.Together(2, func(i int) (err error) {
			answers[i], err = x.format.send(x.Context(), callers[i], x.target, fmt.Sprint("key-", i), commands[i])
			return err
		}) {
			if err != nil {
				x.Fatal(err)
			}
		}
		saved, refused := answers[0], answers[1]
		if saved.status == http.StatusPreconditionFailed {
			saved, refused = refused, saved
		}
		x.format.done(x, saved)
		x.format.refused(x, refused, "changed-meanwhile", nil)
		if now := x.caller.get(x.at(x.api)); now.body != saved.body || now.header.Get("ETag") != etag(x.seen+1) {
			x.Errorf("saved %v\nnow %v", saved, now)
		}
		x.wantOutcomes(did, "conflict")
	})
}
