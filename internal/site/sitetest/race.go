package sitetest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// Race is a group of clients at two replicas with the same database.
type Race struct {
	*Case

	replicas []*Client
}

// Race returns clients that race for an operation.
func (b *Bundle) Race(of Case, f Format, settings ...func(*Config)) *Race {
	b.Helper()
	r := &Race{Case: b.caseRunOf(of, f)}
	for range 2 {
		r.replicas = append(r.replicas, f.Caller(b, b.Serve(settings...), b.Acme))
	}
	r.Caller = r.replicas[0]
	return r
}

// Run sends n commands at once, each returned by intent, and returns their answers.
func (r *Race) Run(n int, intent func(i int) (key string, command url.Values)) []Answer {
	r.Helper()
	answers, errs := make([]Answer, n), make([]error, n)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		key, command := intent(i)
		all.Go(func() {
			<-gate
			answers[i], errs[i] = r.Format.Send(r.Context(), r.replicas[i%2], *r.Case, key, command)
		})
	}
	close(gate)
	all.Wait()
	for _, err := range errs {
		must.OK(r, err)
	}
	return answers
}

// Races runs concurrent commands at two replicas: for the first resource that clients create, and for each change.
func Races(t *testing.T, resources ...Resource) {
	t.Helper()
	t.Parallel()
	all := setupHere(t).CasesOf(resources...)
	i := slices.IndexFunc(all, func(x Case) bool { return !x.Kind.Changes() && x.Resource.Parent == nil })
	parts := []Part{{all[i].Resource, all[i].Operation + "/one key", func(b *Bundle) { raceOneKey(b, all[i]) }}}
	for _, of := range all {
		if of.Kind == idempotency.Change && !of.Resource.People {
			parts = append(parts, Part{of.Resource, of.Operation + "/one version", func(b *Bundle) {
				raceOfOneVersion(b.caseRunOf(of, JSON{}))
			}})
		}
	}
	Walk(t, resources, parts)
}

// raceOneKey sends one command 200 times: one is carried out, and the others replay it.
func raceOneKey(b *Bundle, of Case) {
	r := b.Race(of, of.Resource.Formats()[len(of.Resource.Formats())-1])
	answers := r.Run(200, func(int) (string, url.Values) { return Key, r.Command })
	first := 0
	for _, a := range answers {
		must.Thatf(b, a.Status == answers[0].Status && a.Body == answers[0].Body && a.Location() == answers[0].Location() &&
			a.Header.Get("ETag") == answers[0].Header.Get("ETag"), "one got %v\nanother %v", answers[0], a)
		if a.Header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	assert.Thatf(b, (first == 1 || r.IsHTML()) && answers[0].Status < http.StatusBadRequest, "%d were first: %v", first, answers[0])
	r.WantRows(r.Leaves)
	r.WantOutcomes(append(slices.Repeat(Outcomes("replayed"), 199), "created")...)
}

// raceOfOneVersion: of two concurrent changes of the same version at two replicas, one is saved whole. The other one gets
// 412, and changes nothing.
func raceOfOneVersion(x *Case) {
	callers := []*Client{x.Caller, x.from(x.Serve())}
	commands := []url.Values{x.Command, x.theirs()}
	r := &Race{Case: x, replicas: callers}
	answers := r.Run(2, func(i int) (string, url.Values) { return fmt.Sprint("key-", i), commands[i] })
	saved, refused := answers[0], answers[1]
	if saved.Status == http.StatusPreconditionFailed {
		saved, refused = refused, saved
	}
	x.Format.Done(x, saved)
	x.Format.Refused(x, refused, "changed-meanwhile", nil)
	now := x.Caller.Get(x.at(x.API))
	assert.Thatf(x, now.Body == saved.Body && now.Header.Get("ETag") == ETag(x.Seen+1), "saved %v\nnow %v", saved, now)
	x.WantOutcomes(Did, "conflict")
}
