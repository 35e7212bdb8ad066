package web_test

import (
	"context"
	"net/url"
	"testing"
)

// try is one cell of the table of cases: something to create, through one of the two faces.
type try struct {
	*bundle
	thing

	face   face
	caller *client // of acme
}

// face is a column of the table: how commands are sent, and what answers have to look like.
type face interface {
	name() string
	// caller is somebody of a tenant who uses the face.
	caller(b *bundle, at *site, of tenant) *client
	// send posts a command under a key; without one if it is empty.
	send(ctx context.Context, c *client, t thing, key string, command url.Values) (answer, error)
	// created checks the first answer.
	created(x *try, a answer)
	// replayed checks that an answer is that of an earlier success.
	replayed(x *try, again, first answer)
	// refused checks that nothing was created, for the reason with this slug, and that what was
	// typed is kept where there is somebody who typed.
	refused(x *try, a answer, slug string, typed url.Values)
	// record gives the id of what was created.
	record(x *try, a answer) string
}

// eachFace runs a case through both faces.
func eachFace(t *testing.T, of thing, run func(*try)) {
	t.Helper()
	for _, f := range []face{htmlFace{}, jsonFace{}} {
		t.Run(f.name(), func(t *testing.T) {
			b := setup(t)
			run(&try{bundle: b, thing: of, face: f, caller: f.caller(b, b.site, b.acme)})
		})
	}
}

const key = "6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"

// ask sends a command under the key.
func (x *try) ask(command url.Values) answer { return x.askAs(x.caller, command) }

// askAs sends it as somebody else.
func (x *try) askAs(c *client, command url.Values) answer {
	x.Helper()
	return c.must(x.face.send(x.Context(), c, x.thing, key, command))
}

// begin sends a command without waiting; end gives the answer.
func (x *try) begin(c *client, command url.Values) (end func() answer) {
	type result struct {
		answer answer
		err    error
	}
	results := make(chan result, 1)
	go func() {
		a, err := x.face.send(context.WithoutCancel(x.Context()), c, x.thing, key, command)
		results <- result{a, err}
	}()
	return func() answer {
		x.Helper()
		r := <-results
		return c.must(r.answer, r.err)
	}
}

// at gives the caller at another replica.
func (x *try) at(s *site) *client { return x.caller.elsewhere(s.url) }

// statusOf is the status of each problem.
func statusOf(slug string) int {
	return map[string]int{
		"key-missing": 400, "key-malformed": 400, "key-reused": 422, "in-progress": 409, "number-taken": 409,
		"looks-like-repeat": 409, "invalid": 422, "unauthorized": 401, "forbidden": 403, "not-found": 404,
		"too-many": 429, "busy": 503, "unconfirmed": 503, "unavailable": 503, "internal": 500,
	}[slug]
}

// checkRetryAfter: the header stands exactly where the same request may succeed later.
func checkRetryAfter(x *try, a answer, slug string) {
	x.Helper()
	_, later := map[string]bool{"in-progress": true, "too-many": true, "busy": true, "unconfirmed": true, "unavailable": true}[slug]
	if got := a.header.Get("Retry-After"); (got != "") != later {
		x.Errorf("Retry-After of %s is %q", slug, got)
	}
}
