package peoplepages_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/web"
)

// attemptPages returns the addresses of the list of attempts: for each index, with additional filters, and from the middle.
func attemptPages() (all []string) {
	const path = "/attempts"
	for _, query := range []string{
		"", "outcome=failed", "outcome=created", "outcome=failed&operation=customer.upsert", "operation=customer.upsert",
		"operation=customer.edit", "key=past+0", "key=past+7&outcome=failed", "record=" + sitetest.RowID(7),
		"record=" + sitetest.RowID(7) + "&outcome=failed",
	} {
		all = append(all, path+"?limit=100&"+query, sitetest.At(path+"?limit=100&"+query, "", sitetest.RowID(sitetest.Many/2), false),
			sitetest.At(path+"?limit=100&"+query, "", sitetest.RowID(sitetest.Many/2), true))
	}
	return all
}

// recorded returns a replica that keeps attempts, and a function that flushes them to the database.
func recorded(b *sitetest.Bundle) (s *sitetest.Replica, written func()) {
	b.Helper()
	var recorder *attempt.Recorder
	s = b.Serve(sitetest.Keeping, func(c *sitetest.Config) {
		recorder = attempt.Start(attempt.Config{Pool: c.Pool, Log: c.Log, Replica: "here/1", Reason: web.ProblemName})
		c.Store.Observe = func(_ context.Context, a idempotency.Attempt) { recorder.Observe(a) }
	})
	return s, func() { recorder.Close(b.Context()) }
}

// TestAttemptsOfARecord: the page of a record shows each attempt with its outcome, and one creation.
func TestAttemptsOfARecord(t *testing.T) {
	b := sitetest.Setup(t)
	s, written := recorded(b)
	program, of := b.Program(s, b.Acme), customercases.Customers()
	made := program.Create(of, sitetest.Key, of.Command)
	path := "/customers/" + sitetest.Decode[sitetest.Created](b, made).ID
	owner, member := b.Person(s, b.Acme), b.Person(s, b.Member(b.Acme))
	program.Create(of, sitetest.Key, of.Command)
	program.Create(of, sitetest.Key, of.Command)
	program.Create(of, sitetest.Key, of.Other)
	program.Create(of, "another key", of.Command) // finds the same record
	written()
	const summary = "Created once. At least 4 attempts, 2 ignored, 1 refused."
	for who, c := range map[string]*sitetest.Client{"owner": owner, "member": member} {
		p := b.Page(c.Get(path)).Says(summary, "It was done before", "Idempotency key already used for something else",
			"It existed already", "token test")
		assert.Thatf(t, !strings.Contains(sitetest.Text(p.Root), "here/1"), "everybody sees the replica")
		assert.Thatf(t, (who == "owner") == strings.Contains(c.Get(path).Body, "/attempts?record="),
			"the way to all attempts leads the wrong ones there: %s", who)
	}
	b.Exec(`DELETE FROM attempts WHERE outcome <> 'reused'`)
	b.Page(owner.Get(path)).Says("At least 1 attempt in the last 7 days.")
	a := b.Person(b.Replica, b.Acme).Get(path)
	assert.Thatf(t, !strings.Contains(a.Body, "At least"), "told although none are kept")
}

// TestListOfAttempts: attempts can be filtered by outcome, operation, key and record.
func TestListOfAttempts(t *testing.T) {
	b := sitetest.Setup(t)
	s, written := recorded(b)
	owner := b.Person(s, b.Acme)
	b.Page(owner.Get("/attempts")).Says("No attempts yet", "in the last 7 days")
	program, of := b.Program(s, b.Acme), customercases.Customers()
	long := strings.Repeat("k", 255)
	id := sitetest.Decode[sitetest.Created](b, program.Create(of, long, of.Command)).ID
	program.Create(of, long, of.Command)
	program.Create(of, "wrong", sitetest.Change(of.Command, "email", "nobody"))
	program.Create(of, "", of.Command)
	written()
	b.Page(owner.Get("/attempts")).Says("New customer", "Created", "Ignored", "Invalid fields", "Idempotency key missing", "No key",
		"kkkkkkkkkkkk…", "here/1", "token test").LeadsTo("/customers/" + id)
	for query, want := range map[string]struct{ says, not string }{
		"outcome=replayed":            {"It was done before", "Invalid fields"},
		"outcome=rejected":            {"Invalid fields", "It was done before"},
		"key=" + long:                 {"It was done before", "Invalid fields"},
		"record=" + id:                {"It was done before", "Invalid fields"},
		"operation=customer.upsert":   {"Invalid fields", "No attempts found"},
		"operation=customer.edit":     {"No attempts match “Edit customer”.", "Invalid fields"},
		"key=nobody&outcome=rejected": {"No attempts match refused, with the key nobody.", "Invalid fields"},
	} {
		a := owner.Get("/attempts?" + query)
		b.Page(a).Says(want.says)
		assert.Thatf(t, a.Status == http.StatusOK && !strings.Contains(sitetest.Text(b.Page(a).Root), want.not), "%s: %v", query, a)
	}
	for query, says := range map[string]string{
		"outcome=x": "Choose one of the outcomes.", "operation=x": "Choose one of the operations.",
		"key=%C3%A9": "Enter a key of 1 to 255", "record=x": "Enter the id of a record",
	} {
		a := owner.Get("/attempts?" + query)
		name, value, _ := strings.Cut(query, "=")
		value, _ = url.QueryUnescape(value)
		p := b.Page(a).Says(says)
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && (name != "key" && name != "record" ||
			strings.Contains(a.Body, `value="`+value+`"`)), "%s: %v %v", query, a.Status, p)
	}
	b.Page(b.Person(b.Replica, b.Acme).Get("/attempts")).Says("Attempts aren't kept")
	b.Page(b.Person(s, b.Globex).Get("/attempts")).Says("No attempts yet")
}

// TestAttemptsHoldNothingThatWasTyped: the attempt of a refused command keeps no value, and no message that repeats one.
func TestAttemptsHoldNothingThatWasTyped(t *testing.T) {
	b := sitetest.Setup(t)
	s, written := recorded(b)
	person, of := b.Person(s, b.Acme), customercases.Customers()
	const typed = "something private"
	person.Submit(of.Path, sitetest.Change(of.Command, "email", typed, "name", typed, "idempotency_key", sitetest.Key))
	person.Submit(of.Path, sitetest.Change(of.Command, "name", typed, "idempotency_key", sitetest.Key))
	person.Submit(of.Path, sitetest.Change(of.Command, "name", typed+" too", "idempotency_key", sitetest.Key)) // mismatch
	person.Submit(of.Path, sitetest.Change(of.Command, "name", typed, "idempotency_key", typed+"ä"))           // no key
	written()
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM attempts`), 4, "attempts")
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM attempts a WHERE strpos(a::text, $1) > 0`, typed),
		0, "attempts hold what was typed")
}

func TestRetained(t *testing.T) {
	b := sitetest.Setup(t)
	for kept, says := range map[time.Duration]string{
		7 * 24 * time.Hour: "in the last 7 days", 36 * time.Hour: "in the last 36 hours", 90 * time.Minute: "in the last 90 minutes",
		time.Hour: "in the last hour,",
	} {
		s := b.Serve(func(c *sitetest.Config) { c.People.KeepAttempts = kept })
		b.Page(b.Person(s, b.Acme).Get("/attempts")).Says(says)
	}
}
