package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
)

// race is a group of clients at two replicas with the same database.
type race struct {
	*caseRun

	replicas []*client
}

func setupRace(t *testing.T, of resource, f format, settings ...func(*config)) *race {
	t.Helper()
	b := setup(t)
	r := &race{caseRun: b.caseRun(of, f)}
	for range 2 {
		r.replicas = append(r.replicas, f.caller(b, b.serve(settings...), b.acme))
	}
	r.caller = r.replicas[0]
	return r
}

// run sends n commands at once, each returned by intent, and returns their answers.
func (r *race) run(n int, intent func(i int) (key string, command url.Values)) []answer {
	r.Helper()
	answers, errs := make([]answer, n), make([]error, n)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		key, command := intent(i)
		all.Go(func() {
			<-gate
			answers[i], errs[i] = r.format.send(r.Context(), r.replicas[i%2], *r.caseRun, key, command)
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
	r := setupRace(t, createdResources()[0], jsonFormat{})
	answers := r.run(200, func(int) (string, url.Values) { return key, r.command })
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

// TestRaceOfOneVersion: of two concurrent changes of the same version at two replicas, one is saved whole. The other one gets
// 412, and changes nothing.
func TestRaceOfOneVersion(t *testing.T) {
	eachSubject(t, changes, jsonFormat{}, func(x *caseRun) {
		callers := []*client{x.caller, x.from(x.serve())}
		commands := []url.Values{x.command, x.theirs()}
		r := &race{caseRun: x, replicas: callers}
		answers := r.run(2, func(i int) (string, url.Values) { return fmt.Sprint("key-", i), commands[i] })
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
