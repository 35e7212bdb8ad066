package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"onlyonce/internal/idempotency"
	"slices"
	"sync"
	"testing"
)

// race is a group of clients at two replicas with the same database.
type race struct {
	*caseRun

	replicas []*client
}

// race returns clients that race for an operation.
func (b *bundle) race(of caseRun, f format, settings ...func(*config)) *race {
	b.Helper()
	r := &race{caseRun: b.caseRunOf(of, f)}
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

func TestRaces(t *testing.T) { races(t, resources()...) }

// races runs concurrent commands at two replicas: for the first resource that clients create, and for each change.
func races(t *testing.T, resources ...resource) {
	t.Helper()
	t.Parallel()
	all := setupHere(t).casesOf(resources...)
	i := slices.IndexFunc(all, func(x caseRun) bool { return !x.kind.Changes() && x.resource.parent == nil })
	parts := []part{{all[i].resource, all[i].operation + "/one key", func(b *bundle) { raceOneKey(b, all[i]) }}}
	for _, of := range all {
		if of.kind == idempotency.Change && !of.resource.people {
			parts = append(parts, part{of.resource, of.operation + "/one version", func(b *bundle) {
				raceOfOneVersion(b.caseRunOf(of, jsonFormat{}))
			}})
		}
	}
	walk(t, resources, parts)
}

// raceOneKey sends one command 200 times: one is carried out, and the others replay it.
func raceOneKey(b *bundle, of caseRun) {
	r := b.race(of, of.resource.formats()[len(of.resource.formats())-1])
	answers := r.run(200, func(int) (string, url.Values) { return key, r.command })
	first := 0
	for _, a := range answers {
		if a.status != answers[0].status || a.body != answers[0].body || a.location() != answers[0].location() ||
			a.header.Get("ETag") != answers[0].header.Get("ETag") {
			b.Fatalf("one got %v\nanother %v", answers[0], a)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if first != 1 && !r.isHTML() || answers[0].status >= http.StatusBadRequest {
		b.Errorf("%d were first: %v", first, answers[0])
	}
	r.wantRows(r.leaves)
	r.wantOutcomes(append(slices.Repeat(outcomes("replayed"), 199), "created")...)
}

// raceOfOneVersion: of two concurrent changes of the same version at two replicas, one is saved whole. The other one gets
// 412, and changes nothing.
func raceOfOneVersion(x *caseRun) {
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
}
