package sitetest

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
)

// Case is one cell of the table of cases: an operation of a resource, in one of the two formats. It is derived from the routes
// of the server and the declaration of the resource.
type Case struct {
	*Bundle

	Resource   Resource
	Operation  string
	Kind       idempotency.Kind
	looksAlike bool // whether it looks for repeats under other keys
	table      string
	Form       string // the address of its form, with {id} if it is about an existing record
	Method     string // of the API
	API        string // the path of the API

	Command url.Values
	Label   string     // the label of the record afterwards
	Leaves  Rows       // the rows that the operation adds
	Other   url.Values // another command; nil if there is none
	State   Transition // the state after a transition

	Owner  Tenant // of the form
	ID     string // of the changed record, or of a new record's parent
	Seen   int    // the version that the caller has seen
	Format Format
	Caller *Client // of acme
	// before counts the rows before the operation; transactions wrote them.
	Before       Rows
	Transactions []string
}

// at returns an address of the record.
func (x *Case) at(path string) string { return strings.ReplaceAll(path, "{id}", x.ID) }

// Format is a column of the table: how to send commands, and how answers must look.
type Format interface {
	Name() string
	// caller returns a client of a tenant for this format.
	Caller(b *Bundle, at *Replica, of Tenant) *Client
	// send sends a command under a key; without one if it is empty.
	Send(ctx context.Context, c *Client, to Case, key string, command url.Values) (Answer, error)
	// done checks the first answer.
	Done(x *Case, a Answer)
	// replayed checks that an answer replays an earlier success.
	Replayed(x *Case, again, first Answer)
	// refused checks that the command had no effect, that the reason has this slug, and that a form keeps the typed values.
	// wrong are the JSON Pointers of the invalid fields.
	Refused(x *Case, a Answer, slug string, typed url.Values, wrong ...string)
	// record returns the id of an answer's record.
	record(x *Case, a Answer) string
}

// Formats returns the formats of a resource that people and programs use.
func Formats() []Format { return []Format{HTML{}, JSON{}} }

// Formats returns the formats of the resource.
func (r Resource) Formats() []Format {
	if r.People {
		return []Format{HTML{}}
	}
	return Formats()
}

func eachFormat(of Case, name string, run func(*Case)) (parts []Part) {
	all := of.Resource.Formats()
	if of.Resource.external() && !of.Kind.Changes() && !slices.Contains(otherwiseExternally, name) {
		all = append(all, externalFormat{})
	}
	for _, f := range all {
		parts = append(parts, Part{of.Resource, of.Operation + "/" + name + "/" + f.Name(), func(b *Bundle) {
			run(b.caseRunOf(of, f))
		}})
	}
	return parts
}

// Case returns a case of creating a resource.
func (b *Bundle) Case(of Resource, f Format) *Case {
	b.Helper()
	return b.caseRunOf(b.Creating(of), f)
}

func (b *Bundle) caseRunOf(of Case, f Format) *Case {
	b.Helper()
	if of.Resource.Strangers {
		b.Acme = Tenant{ID: account.Strangers}
	}
	x := of
	x.Bundle, x.Owner, x.Format, x.Caller = b, b.Acme, f, f.Caller(b, b.Replica, b.Acme)
	x.ID, x.Seen = "", 0
	x.prepare()
	return &x
}

// prepare makes the record of the operation, if it needs one.
func (x *Case) prepare() {
	x.Helper()
	*x = x.another(x.Acme, "prepared", x.Resource.Command)
	x.Forget()
	x.Before, x.Transactions = x.Rows(), x.Written()
}

// another returns the case with another record of a tenant, created from the command.
func (x *Case) another(of Tenant, key string, command url.Values) Case {
	x.Helper()
	to := *x
	to.Owner = of
	if of.ID != x.Acme.ID {
		command = to.Resource.of(of, command)
	}
	x.Refer(to.Resource, of)
	if to.Resource.Parent != nil {
		to.Resource = x.Placed(to.Resource.unplaced(), of, key)
		to.ID = to.Resource.Parent.ID
	}
	if to.Kind.Changes() {
		made := x.Prepared(of, key, to.Resource, command, to.State.From...)
		to.ID, to.Seen = made.ID, made.Version
	}
	if to.State.Command != nil {
		to.Command = to.State.Command(x.Bundle, to.ID)
	}
	return to
}

// Key is the key of a case.
const Key = "6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"

// Ask sends a command under the case's key.
func (x *Case) Ask(command url.Values) Answer { return x.AskAs(x.Caller, command) }

// Done sends the command of the case, checks that it is carried out, and returns the answer.
func (x *Case) Done() Answer {
	x.Helper()
	first := x.Ask(x.Command)
	x.Format.Done(x, first)
	return first
}

// AskAs sends a command as another client.
func (x *Case) AskAs(c *Client, command url.Values) Answer {
	x.Helper()
	return c.Must(x.Format.Send(x.Context(), c, *x, Key, command))
}

// Under sends a command under another key.
func (x *Case) Under(key string, command url.Values) Answer {
	x.Helper()
	return x.Caller.Must(x.Format.Send(x.Context(), x.Caller, *x, key, command))
}

// Begin sends a command without waiting; end waits for the answer.
func (x *Case) Begin(c *Client, command url.Values) (end func() Answer) {
	type result struct {
		answer Answer
		err    error
	}
	results := make(chan result, 1)
	go func() {
		a, err := x.Format.Send(context.WithoutCancel(x.Context()), c, *x, Key, command)
		results <- result{a, err}
	}()
	return func() Answer {
		x.Helper()
		r := <-results
		return c.Must(r.answer, r.err)
	}
}

// from returns the caller at another replica.
func (x *Case) from(s *Replica) *Client { return x.Caller.Elsewhere(s.URL) }

// IsHTML reports whether the case runs in a browser.
func (x *Case) IsHTML() bool { return x.Format == HTML{} }

// hold makes every attempt at the intent wait in the middle of the transaction, until the release.
func (x *Case) hold() (release func()) {
	x.Helper()
	return x.HoldIntent(x.Operation)
}

// WantRows compares the rows added since the case began.
func (x *Case) WantRows(added Rows) {
	x.Helper()
	got := x.added()
	assert.Thatf(x, got.Equal(added), "added rows %v, want %v", got, added)
}

// wantContents fails if the operation has changed a table.
func (x *Case) wantContents(before string) {
	x.Helper()
	WantUnchanged(x.Bundle, x.Operation, before, x.Contents())
}

func (x *Case) added() Rows {
	x.Helper()
	return x.Rows().minus(x.Before)
}

// meanwhile changes the record as another client: a program that has seen its current version, or an owner.
func (x *Case) meanwhile(method, path, key string, command url.Values) Created {
	x.Helper()
	if x.Resource.People {
		seen := strconv.Itoa(Get[int](x.Bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.ID))
		return Decode[Created](x.Bundle, x.byOwner(x.Acme, x.Resource, x.at(path), key, Change(command, "version", seen)))
	}
	path, body := "/api/v1"+path, ""
	if command != nil {
		body = x.Resource.API.Encode(command)
	}
	program := x.Program(x.Replica, x.Acme).With("Idempotency-Key", key)
	now := program.Get("/api/v1" + x.Resource.RecordAt(x.ID))
	a := program.Must(program.With("If-Match", now.Header.Get("ETag")).Send(x.Context(), method, x.at(path), body))
	must.Thatf(x, a.Status == http.StatusOK, "not changed meanwhile: %v", a)
	return Decode[Created](x.Bundle, a)
}

// statusOf returns the status of a problem. Unlisted slugs are conflicts.
func statusOf(slug string) int {
	return cmp.Or(map[string]int{
		"key-missing": 400, "key-malformed": 400, "key-reused": 422, "malformed": 400, "invalid": 422,
		"unauthorized": 401, "forbidden": 403, "not-found": 404,
		"too-many": 429, "busy": 503, "unconfirmed": 503, "unavailable": 503, "internal": 500,
		"changed-meanwhile": 412, "version-missing": 428,
	}[slug], http.StatusConflict)
}

// checkRetryAfter checks that exactly the answers to requests that may succeed later have the header.
func checkRetryAfter(x *Case, a Answer, slug string) {
	x.Helper()
	_, later := map[string]bool{"in-progress": true, "too-many": true, "busy": true, "unconfirmed": true, "unavailable": true}[slug]
	got := a.Header.Get("Retry-After")
	assert.Thatf(x, (got != "") == later, "Retry-After of %s is %q", slug, got)
}
