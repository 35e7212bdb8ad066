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

// subject is one operation of a resource, with what it is tried with. It is derived from the routes of the server.
type subject struct {
	resource

	operation  string
	kind       idempotency.Kind
	looksAlike bool // whether it looks for repeats under other keys
	table      string
	form       string // where its form is sent, with {id} if it is about a record that is there
	method     string // of the API
	api        string // where the API takes it
	command    url.Values
	label      string     // what the record is called then
	leaves     rows       // what carrying it out adds
	other      url.Values // another command; nil if there is none
	state      transition // that a transition makes
}

// subjects are all operations of the server. One that nothing declares ends the test.
func (b *bundle) subjects() []subject {
	b.Helper()
	var all []subject
	for _, op := range b.Operations() {
		if !op.Own { // which has tests of its own
			all = append(all, b.subjectOf(op))
		}
	}
	if len(all) < 2 {
		b.Fatalf("only %d operations", len(all))
	}
	return all
}

// oneOfEachKind returns one operation for each kind of change: the last one that programs can use of a resource that stands for
// itself.
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
		switch { // what belongs to another resource comes behind it
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

// creating is the subject that makes a resource, or changes the only one.
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

// did is the outcome of carrying it out.
func (s subject) did() idempotency.Outcome {
	if s.kind.Changes() {
		return idempotency.Changed
	}
	return idempotency.Created
}

// says is what a person reads then.
func (s subject) says() string {
	one := strings.ToUpper(s.name[:1]) + s.name[1:]
	switch s.kind {
	case idempotency.Change:
		return "Changes to " + s.label + " saved."
	case idempotency.Transition:
		if s.parent != nil && !s.ownPage { // the page has another name
			return one + " " + s.state.past + "."
		}
		return one + " " + s.label + " " + s.state.past + "."
	default:
		if s.told != "" {
			return s.told
		}
		if s.parent != nil && !s.ownPage { // the page has another name
			return one + " " + s.past + "."
		}
		return one + " " + s.label + " " + s.past + "."
	}
}

// isButton reports whether its form has nothing to fill in.
func (s subject) isButton() bool { return s.kind == idempotency.Transition }

// namesOne reports whether its address names a record, which has to be there.
func (s subject) namesOne() bool { return strings.Contains(s.form, "{id}") }

// create makes a resource as a program does, or changes the only one. One that belongs to another is placed before. What only
// people can use is made by an owner, and answered like by a program.
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

// prepared makes a resource of a tenant, with what it belongs to, and brings it to where the verbs lead.
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

// byOwner sends a form as an owner of a tenant, and returns what a program would be answered: the record.
func (b *bundle) byOwner(t tenant, of resource, address, key string, command url.Values) answer {
	b.Helper()
	if b.owners[t.id] == nil { // logged in once: there is a limit to it
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

// placed returns a resource of a tenant with one made ready that it belongs to, unless it has one.
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

// referred is the id of what commands refer to, and examples: of each resource that is referred to, each tenant has one.
const referred = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"

// refer makes what the commands of a resource refer to, unless the tenant has it. Records get ids of their own when they are
// created, so it is given the id referred afterwards.
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
