package site_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/web"
)

// attemptPages returns the addresses of the list of attempts: for each index, with additional filters, and from the middle.
func attemptPages() (all []string) {
	const path = "/attempts"
	for _, query := range []string{
		"", "outcome=failed", "outcome=created", "outcome=failed&operation=customer.upsert", "operation=customer.upsert",
		"operation=customer.edit", "key=past+0", "key=past+7&outcome=failed", "record=" + rowID(7),
		"record=" + rowID(7) + "&outcome=failed",
	} {
		all = append(all, path+"?limit=100&"+query,
			at(path+"?limit=100&"+query, "", rowID(many/2), false), at(path+"?limit=100&"+query, "", rowID(many/2), true))
	}
	return all
}

// recorded returns a replica that keeps attempts, and a function that flushes them to the database.
func (b *bundle) recorded() (s *replica, written func()) {
	b.Helper()
	var recorder *attempt.Recorder
	s = b.serve(keeping, func(c *config) {
		recorder = attempt.Start(attempt.Config{Pool: c.Pool, Log: c.Log, Replica: "here/1", Reason: web.ProblemName})
		c.Store.Observe = func(_ context.Context, a idempotency.Attempt) { recorder.Observe(a) }
	})
	return s, func() { recorder.Close(b.Context()) }
}

// TestAttemptsOfARecord: the page of a record shows each attempt with its outcome, and one creation.
func TestAttemptsOfARecord(t *testing.T) {
	b := setup(t)
	s, written := b.recorded()
	program, of := b.program(s, b.acme), customers()
	made := program.create(of, key, of.command)
	path := "/customers/" + decode[created](b, made).ID
	owner, member := b.person(s, b.acme), b.person(s, b.member(b.acme))
	program.create(of, key, of.command)
	program.create(of, key, of.command)
	program.create(of, key, of.other)
	program.create(of, "another key", of.command) // finds the same record
	written()
	const summary = "Created once. At least 4 attempts, 2 ignored, 1 refused."
	for who, c := range map[string]*client{"owner": owner, "member": member} {
		p := b.page(c.get(path)).says(summary, "It was done before", "Idempotency key already used for something else",
			"It existed already", "token test")
		if strings.Contains(text(p.root), "here/1") {
			t.Error("everybody sees the replica")
		}
		if (who == "owner") != strings.Contains(c.get(path).body, "/attempts?record=") {
			t.Errorf("the way to all attempts leads the wrong ones there: %s", who)
		}
	}
	b.exec(`DELETE FROM attempts WHERE outcome <> 'reused'`)
	b.page(owner.get(path)).says("At least 1 attempt in the last 7 days.")
	if a := b.person(b.replica, b.acme).get(path); strings.Contains(a.body, "At least") {
		t.Error("told although none are kept")
	}
}

// TestListOfAttempts: attempts can be filtered by outcome, operation, key and record.
func TestListOfAttempts(t *testing.T) {
	b := setup(t)
	s, written := b.recorded()
	owner := b.person(s, b.acme)
	b.page(owner.get("/attempts")).says("No attempts yet", "in the last 7 days")
	program, of := b.program(s, b.acme), customers()
	long := strings.Repeat("k", 255)
	id := decode[created](b, program.create(of, long, of.command)).ID
	program.create(of, long, of.command)
	program.create(of, "wrong", change(of.command, "email", "nobody"))
	program.create(of, "", of.command)
	written()
	b.page(owner.get("/attempts")).says("New customer", "Created", "Ignored", "Invalid fields", "Idempotency key missing", "No key",
		"kkkkkkkkkkkk…", "here/1", "token test").leadsTo("/customers/" + id)
	for query, want := range map[string]struct{ says, not string }{
		"outcome=replayed":            {"It was done before", "Invalid fields"},
		"outcome=rejected":            {"Invalid fields", "It was done before"},
		"key=" + long:                 {"It was done before", "Invalid fields"},
		"record=" + id:                {"It was done before", "Invalid fields"},
		"operation=customer.upsert":   {"Invalid fields", "No attempts found"},
		"operation=customer.edit":     {"No attempts match “Edit customer”.", "Invalid fields"},
		"key=nobody&outcome=rejected": {"No attempts match refused, with the key nobody.", "Invalid fields"},
	} {
		a := owner.get("/attempts?" + query)
		b.page(a).says(want.says)
		if a.status != http.StatusOK || strings.Contains(text(b.page(a).root), want.not) {
			t.Errorf("%s: %v", query, a)
		}
	}
	for query, says := range map[string]string{
		"outcome=x": "Choose one of the outcomes.", "operation=x": "Choose one of the operations.",
		"key=%C3%A9": "Enter a key of 1 to 255", "record=x": "Enter the id of a record",
	} {
		a := owner.get("/attempts?" + query)
		name, value, _ := strings.Cut(query, "=")
		value, _ = url.QueryUnescape(value)
		if p := b.page(a).says(says); a.status != http.StatusUnprocessableEntity || (name == "key" || name == "record") &&
			!strings.Contains(a.body, `value="`+value+`"`) {
			t.Errorf("%s: %v %v", query, a.status, p)
		}
	}
	b.page(b.person(b.replica, b.acme).get("/attempts")).says("Attempts aren't kept")
	b.page(b.person(s, b.globex).get("/attempts")).says("No attempts yet")
}

// TestAttemptsHoldNothingThatWasTyped: the attempt of a refused command keeps no value, and no message that repeats one.
func TestAttemptsHoldNothingThatWasTyped(t *testing.T) {
	b := setup(t)
	s, written := b.recorded()
	person, of := b.person(s, b.acme), customers()
	const typed = "something private"
	person.submit(of.path, change(of.command, "email", typed, "name", typed, "idempotency_key", key))
	person.submit(of.path, change(of.command, "name", typed, "idempotency_key", key))
	person.submit(of.path, change(of.command, "name", typed+" too", "idempotency_key", key)) // mismatch
	person.submit(of.path, change(of.command, "name", typed, "idempotency_key", typed+"ä"))  // no key
	written()
	if n := get[int](b, `SELECT count(*) FROM attempts`); n != 4 {
		t.Errorf("%d attempts", n)
	}
	if n := get[int](b, `SELECT count(*) FROM attempts a WHERE strpos(a::text, $1) > 0`, typed); n != 0 {
		t.Errorf("%d attempts hold what was typed", n)
	}
}

func TestRetained(t *testing.T) {
	b := setup(t)
	for kept, says := range map[time.Duration]string{
		7 * 24 * time.Hour: "in the last 7 days", 36 * time.Hour: "in the last 36 hours", 90 * time.Minute: "in the last 90 minutes",
		time.Hour: "in the last hour,",
	} {
		s := b.serve(func(c *config) { c.people.KeepAttempts = kept })
		b.page(b.person(s, b.acme).get("/attempts")).says(says)
	}
}
