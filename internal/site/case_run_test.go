package site_test

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/idempotency"
)

// caseRun is one cell of the table of cases: an operation of a resource, in one of the two formats. It is derived from the routes
// of the server and the declaration of the resource.
type caseRun struct {
	*bundle

	resource   resource
	operation  string
	kind       idempotency.Kind
	looksAlike bool // whether it looks for repeats under other keys
	table      string
	form       string // the address of its form, with {id} if it is about an existing record
	method     string // of the API
	api        string // the path of the API

	command url.Values
	label   string     // the label of the record afterwards
	leaves  rows       // the rows that the operation adds
	other   url.Values // another command; nil if there is none
	state   transition // the state after a transition

	owner  tenant // of the form
	id     string // of the changed record, or of a new record's parent
	seen   int    // the version that the caller has seen
	format format
	caller *client // of acme
	// before counts the rows before the operation; transactions wrote them.
	before       rows
	transactions []string
}

// at returns an address of the record.
func (x *caseRun) at(path string) string { return strings.ReplaceAll(path, "{id}", x.id) }

// format is a column of the table: how to send commands, and how answers must look.
type format interface {
	name() string
	// caller returns a client of a tenant for this format.
	caller(b *bundle, at *replica, of tenant) *client
	// send sends a command under a key; without one if it is empty.
	send(ctx context.Context, c *client, to caseRun, key string, command url.Values) (answer, error)
	// done checks the first answer.
	done(x *caseRun, a answer)
	// replayed checks that an answer replays an earlier success.
	replayed(x *caseRun, again, first answer)
	// refused checks that the command had no effect, that the reason has this slug, and that a form keeps the typed values.
	// wrong are the JSON Pointers of the invalid fields.
	refused(x *caseRun, a answer, slug string, typed url.Values, wrong ...string)
	// record returns the id of an answer's record.
	record(x *caseRun, a answer) string
}

func formats() []format { return []format{htmlFormat{}, jsonFormat{}} }

// formats returns the formats of the resource.
func (r resource) formats() []format {
	if r.people {
		return []format{htmlFormat{}}
	}
	return formats()
}

// eachFormat returns a part for each format of a case.
func eachFormat(of caseRun, name string, run func(*caseRun)) (parts []part) {
	all := of.resource.formats()
	if of.resource.external() && !of.kind.Changes() && !slices.Contains(otherwiseExternally, name) {
		all = append(all, externalFormat{})
	}
	for _, f := range all {
		parts = append(parts, part{of.resource, of.operation + "/" + name + "/" + f.name(), func(b *bundle) {
			run(b.caseRunOf(of, f))
		}})
	}
	return parts
}

// caseRun returns a case of creating a resource.
func (b *bundle) caseRun(of resource, f format) *caseRun {
	b.Helper()
	return b.caseRunOf(b.creating(of), f)
}

func (b *bundle) caseRunOf(of caseRun, f format) *caseRun {
	b.Helper()
	x := of
	x.bundle, x.owner, x.format, x.caller = b, b.acme, f, f.caller(b, b.replica, b.acme)
	x.id, x.seen = "", 0
	x.prepare()
	return &x
}

// prepare makes the record of the operation, if it needs one.
func (x *caseRun) prepare() {
	x.Helper()
	*x = x.another(x.acme, "prepared", x.resource.command)
	x.forget()
	x.before, x.transactions = x.rows(), x.written()
}

// another returns the case with another record of a tenant, created from the command.
func (x *caseRun) another(of tenant, key string, command url.Values) caseRun {
	x.Helper()
	to := *x
	to.owner = of
	if of.id != x.acme.id {
		command = to.resource.of(of, command)
	}
	x.refer(to.resource, of)
	if to.resource.parent != nil {
		to.resource = x.placed(to.resource.unplaced(), of, key)
		to.id = to.resource.parent.id
	}
	if to.kind.Changes() {
		made := x.prepared(of, key, to.resource, command, to.state.from...)
		to.id, to.seen = made.ID, made.Version
	}
	return to
}

const key = "6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"

// ask sends a command under the case's key.
func (x *caseRun) ask(command url.Values) answer { return x.askAs(x.caller, command) }

// askAs sends a command as another client.
func (x *caseRun) askAs(c *client, command url.Values) answer {
	x.Helper()
	return c.must(x.format.send(x.Context(), c, *x, key, command))
}

// under sends a command under another key.
func (x *caseRun) under(key string, command url.Values) answer {
	x.Helper()
	return x.caller.must(x.format.send(x.Context(), x.caller, *x, key, command))
}

// begin sends a command without waiting; end waits for the answer.
func (x *caseRun) begin(c *client, command url.Values) (end func() answer) {
	type result struct {
		answer answer
		err    error
	}
	results := make(chan result, 1)
	go func() {
		a, err := x.format.send(context.WithoutCancel(x.Context()), c, *x, key, command)
		results <- result{a, err}
	}()
	return func() answer {
		x.Helper()
		r := <-results
		return c.must(r.answer, r.err)
	}
}

// from returns the caller at another replica.
func (x *caseRun) from(s *replica) *client { return x.caller.elsewhere(s.url) }

// isHTML reports whether the case runs in a browser.
func (x *caseRun) isHTML() bool { return x.format == htmlFormat{} }

// hold makes every attempt at the intent wait in the middle of the transaction, until the release.
func (x *caseRun) hold() (release func()) {
	x.Helper()
	return x.holdIntent(x.operation)
}

// wantRows compares the rows added since the case began.
func (x *caseRun) wantRows(added rows) {
	x.Helper()
	if got := x.added(); !got.equal(added) {
		x.Errorf("added rows %v, want %v", got, added)
	}
}

func (x *caseRun) added() rows {
	x.Helper()
	return x.rows().minus(x.before)
}

// meanwhile changes the record as another client: a program that has seen its current version, or an owner.
func (x *caseRun) meanwhile(method, path, key string, command url.Values) created {
	x.Helper()
	if x.resource.people {
		seen := strconv.Itoa(get[int](x.bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.id))
		return decode[created](x.bundle, x.byOwner(x.acme, x.resource, x.at(path), key, change(command, "version", seen)))
	}
	path, body := "/api/v1"+path, ""
	if command != nil {
		body = x.resource.api.encode(command)
	}
	program := x.program(x.replica, x.acme).with("Idempotency-Key", key)
	now := program.get("/api/v1" + x.resource.recordAt(x.id))
	a := program.must(program.with("If-Match", now.header.Get("ETag")).send(x.Context(), method, x.at(path), body))
	if a.status != http.StatusOK {
		x.Fatalf("not changed meanwhile: %v", a)
	}
	return decode[created](x.bundle, a)
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
func checkRetryAfter(x *caseRun, a answer, slug string) {
	x.Helper()
	_, later := map[string]bool{"in-progress": true, "too-many": true, "busy": true, "unconfirmed": true, "unavailable": true}[slug]
	if got := a.header.Get("Retry-After"); (got != "") != later {
		x.Errorf("Retry-After of %s is %q", slug, got)
	}
}
