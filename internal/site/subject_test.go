package site_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/web"
)

// subject is an operation of a resource, with its commands for the tests. It is derived from the routes of the server.
type subject struct {
	resource

	operation  string
	kind       idempotency.Kind
	looksAlike bool // whether it looks for repeats under other keys
	table      string
	form       string // the address of its form, with {id} if it is about an existing record
	method     string // of the API
	api        string // the path of the API
	command    url.Values
	label      string     // the label of the record afterwards
	leaves     rows       // the rows that the operation adds
	other      url.Values // another command; nil if there is none
	state      transition // the state after a transition
}

// subjects returns all operations of the server. An operation of an undeclared resource ends the test.
func (b *bundle) subjects() []subject {
	b.Helper()
	var all []subject
	for _, op := range b.Operations() {
		if !op.Own { // with separate tests
			all = append(all, b.subjectOf(op))
		}
	}
	if len(all) < 2 {
		b.Fatalf("only %d operations", len(all))
	}
	return all
}

// oneOfEachKind returns one operation for each kind of change: the last one with an API of a resource without a parent.
func oneOfEachKind(all []subject) (chosen []subject) {
	found := map[idempotency.Kind]bool{}
	for _, of := range slices.Backward(all) {
		if !of.people && of.parent == nil && !of.only && !found[of.kind] {
			found[of.kind] = true
			chosen = append(chosen, of)
		}
	}
	return chosen
}

func (b *bundle) subjectOf(op web.Operation) subject {
	b.Helper()
	t := subject{operation: op.Name, kind: op.Kind, table: op.Table, looksAlike: op.Alike != ""}
	for _, route := range b.Routes {
		switch {
		case route.Why != op.Name || !carriesOut(route):
		case strings.HasPrefix(route.Path, "/api/v1/"):
			t.method, t.api = route.Method, route.Path
		default:
			t.form = route.Path
		}
	}
	for _, of := range resources() {
		switch { // a resource with a parent comes after it
		case t.form == of.list():
			t.resource = of
		case strings.HasPrefix(t.form, of.path+"/") && t.form != t.list():
			t.resource = of
		}
	}
	if t.path == "" {
		b.Fatalf("%s (POST %s) has nothing to be tried with: declare its resource as customer_test.go does, and add it to resources()",
			op.Name, t.form)
	}
	if t.form == "" || (t.api == "") != t.people {
		b.Fatalf("%s needs a route for its form, and one in the API unless only people can use it: %q, %q", op.Name, t.form, t.api)
	}
	t.command, t.label, t.leaves, t.other = t.resource.command, t.resource.label, rows{"intents": 1}, t.resource.other
	switch op.Kind {
	case idempotency.Change:
		if t.command, t.label = t.edited, t.editedLabel; t.edited == nil {
			b.Fatalf("%s (POST %s) has nothing to be tried with: declare edited and editedLabel of %s", op.Name, t.form, t.name)
		}
	case idempotency.Transition:
		verb := path.Base(t.form)
		i := slices.IndexFunc(t.transitions, func(s transition) bool { return s.verb == verb })
		if i < 0 {
			b.Fatalf("%s (POST %s) has nothing to be tried with: declare the transition %q of %s", op.Name, t.form, verb, t.name)
		}
		t.state, t.command, t.other = t.transitions[i], url.Values{}, nil
		maps.Copy(t.leaves, t.state.leaves)
	case idempotency.Create, idempotency.Upsert:
		t.leaves = t.resource.leaves
	default:
		b.Fatalf("%s is of kind %d, which no test knows", op.Name, op.Kind)
	}
	return t
}

// once returns the routes by which people and programs of a tenant carry out an operation.
func (b *bundle) once() []web.Route {
	return slices.DeleteFunc(slices.Clone(b.Routes), func(r web.Route) bool { return !carriesOut(r) })
}

func carriesOut(r web.Route) bool { return r.Repeat == web.Once && !r.Public() }

// creating returns the subject that creates a record, or changes the singleton.
func (b *bundle) creating(of resource) subject {
	b.Helper()
	all := b.subjects()
	i := slices.IndexFunc(all, func(t subject) bool { return t.name == of.name && (of.only || !t.kind.Changes()) })
	if i < 0 {
		b.Fatalf("nothing creates %s", of.name)
	}
	all[i].resource, all[i].command, all[i].other = of, of.command, of.other
	return all[i]
}

// did returns the outcome of its first success.
func (s subject) did() idempotency.Outcome {
	if s.kind.Changes() {
		return idempotency.Changed
	}
	return idempotency.Created
}

// The message after the operation.
func (s subject) says() string {
	one := strings.ToUpper(s.name[:1]) + s.name[1:]
	switch s.kind {
	case idempotency.Change:
		return "Changes to " + s.label + " saved."
	case idempotency.Transition:
		if s.parent != nil && !s.ownPage { // the page has the parent's name
			return one + " " + s.state.past + "."
		}
		return one + " " + s.label + " " + s.state.past + "."
	default:
		if s.told != "" {
			return s.told
		}
		if s.parent != nil && !s.ownPage { // the page has the parent's name
			return one + " " + s.past + "."
		}
		return one + " " + s.label + " " + s.past + "."
	}
}

// isButton reports whether its form has no fields.
func (s subject) isButton() bool { return s.kind == idempotency.Transition }

// namesOne reports whether its address has the id of a record.
func (s subject) namesOne() bool { return strings.Contains(s.form, "{id}") }

// create creates a record by the API, or changes the singleton. A record with a parent is placed before. A resource without an
// API is created by an owner, and the answer is converted.
func (c *client) create(of resource, key string, command url.Values) answer {
	c.b.Helper()
	if of.arrives != nil {
		return of.arrives(c.b, c.tenant, key, command)
	}
	if of.people {
		return c.b.byOwner(c.tenant, of, of.list(), key, command)
	}
	if of.only {
		c = c.with("If-Match", c.get("/api/v1"+of.path).header.Get("ETag")).with("Idempotency-Key", key)
		return c.must(c.send(c.b.Context(), http.MethodPut, "/api/v1"+of.path, of.json(command)))
	}
	return c.must(c.with("Idempotency-Key", key).send(c.b.Context(), http.MethodPost, "/api/v1"+of.list(), of.json(command)))
}

// prepared creates a record of a tenant, with its parents, and applies the verbs.
func (b *bundle) prepared(t tenant, key string, of resource, command url.Values, verbs ...string) created {
	b.Helper()
	program := b.program(b.replica, t)
	made := program.create(b.placed(of, t, key), key, command)
	for _, verb := range verbs {
		if of.people {
			made = b.byOwner(t, of, of.recordAt(decode[created](b, made).ID)+"/"+verb, key, nil)
			continue
		}
		made = program.with("Idempotency-Key", key).post("/api/v1"+of.recordAt(decode[created](b, made).ID)+"/"+verb, "")
	}
	if made.status >= http.StatusBadRequest {
		b.Fatalf("cannot prepare one %s: %v", of.name, made)
	}
	return decode[created](b, made)
}

// byOwner sends a form as an owner of a tenant, and returns the record like the API.
func (b *bundle) byOwner(t tenant, of resource, address, key string, command url.Values) answer {
	b.Helper()
	if b.owners[t.id] == nil { // logins are limited
		b.owners[t.id] = b.person(b.replica, t)
	}
	a := b.owners[t.id].submit(address, change(command, "idempotency_key", key))
	if a.status != http.StatusSeeOther {
		return a
	}
	id, all := path.Base(a.location()), b.subjects()
	table := all[slices.IndexFunc(all, func(t subject) bool { return t.name == of.name })].table
	a.status = http.StatusCreated
	a.body = encode(created{ID: id, Version: get[int](b, `SELECT version FROM `+table+` WHERE id = $1`, id)})
	return a
}

// placed returns the resource of a tenant below a newly created parent, unless it has one.
func (b *bundle) placed(of resource, t tenant, key string) resource {
	b.Helper()
	b.refer(of, t)
	if of.parent == nil || of.parent.id != "" {
		return of
	}
	parent := *of.parent
	parent.resource = b.placed(parent.resource, t, "under "+key)
	if parent.unlike != "" {
		parent.command = change(parent.command, parent.unlike, parent.command.Get(parent.unlike)+" "+key)
	}
	parent.id = b.prepared(t, "under "+key, parent.resource, parent.command, parent.ready...).ID
	of.parent = &parent
	return of
}

// referred is the id that commands and examples reference: each tenant has one record of each referenced resource with it.
const referred = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"

// refer creates the records that the commands of a resource reference, unless the tenant has them. New records get random ids,
// so it changes them to the id referred afterwards.
func (b *bundle) refer(of resource, t tenant) {
	b.Helper()
	for _, other := range of.refers {
		table, id := b.creating(other).table, cmp.Or(other.as, referred)
		if get[bool](b, `SELECT EXISTS (SELECT FROM `+table+` WHERE tenant_id = $1 AND id = $2)`, t.id, id) {
			continue
		}
		made := b.prepared(t, "referred "+other.name+other.as, other, other.other)
		b.exec(fmt.Sprintf(`SET LOCAL session_replication_role = replica; UPDATE %s SET id = '%s' WHERE tenant_id = '%s' AND id = '%s'`,
			table, id, t.id, made.ID))
	}
}
