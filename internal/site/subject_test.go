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

// casesOf returns a case for each operation of some resources, not prepared.
func (b *bundle) casesOf(of ...resource) []caseRun {
	b.Helper()
	var all []caseRun
	for _, op := range b.Operations() {
		x := b.routesOf(op)
		for _, of := range of {
			switch { // a resource with a parent comes after it
			case x.form == of.list(), strings.HasPrefix(x.form, of.path+"/") && x.form != x.resource.list():
				x.resource = of
			}
		}
		if x.resource.path != "" && !op.Own { // those have separate tests
			x.declare()
			all = append(all, x)
		}
	}
	if len(of) > 0 && len(all) == 0 {
		b.Fatalf("none of the operations is of the %d resources", len(of))
	}
	return all
}

// oneOfEachKind returns one operation for each kind of change: the last one with an API of a resource without a parent, if there
// is one, or else of any resource that clients create.
func oneOfEachKind(all []caseRun) (chosen []caseRun) {
	found := map[idempotency.Kind]bool{}
	for _, suits := range []func(resource) bool{
		func(of resource) bool { return !of.people && of.parent == nil },
		func(of resource) bool { return of.parent == nil && of.arrives == nil },
		func(of resource) bool { return of.arrives == nil },
	} {
		for _, of := range slices.Backward(all) {
			if suits(of.resource) && !of.resource.only && !found[of.kind] {
				found[of.kind] = true
				chosen = append(chosen, of)
			}
		}
	}
	return chosen
}

// routesOf returns a case with the routes of an operation.
func (b *bundle) routesOf(op web.Operation) caseRun {
	x := caseRun{bundle: b, operation: op.Name, kind: op.Kind, table: op.Table, looksAlike: op.Alike != ""}
	for _, route := range b.Routes {
		switch {
		case route.Why != op.Name || !carriesOut(route):
		case strings.HasPrefix(route.Path, "/api/v1/"):
			x.method, x.api = route.Method, route.Path
		default:
			x.form = route.Path
		}
	}
	return x
}

// declare adds what the resource declares about the operation.
func (x *caseRun) declare() {
	x.Helper()
	if x.form == "" || (x.api == "") != x.resource.people {
		x.Fatalf("%s needs a route for its form, and one in the API unless only people can use it: %q, %q", x.operation, x.form, x.api)
	}
	x.command, x.label, x.leaves, x.other = x.resource.command, x.resource.label, rows{"intents": 1}, x.resource.other
	switch x.kind {
	case idempotency.Change:
		if x.command, x.label = x.resource.edited.command, x.resource.edited.label; x.command == nil {
			x.Fatalf("%s (POST %s) has nothing to be tried with: declare edited of %s", x.operation, x.form, x.resource.name)
		}
	case idempotency.Transition:
		verb := path.Base(x.form)
		i := slices.IndexFunc(x.resource.transitions, func(s transition) bool { return s.verb == verb })
		if i < 0 {
			x.Fatalf("%s (POST %s) has nothing to be tried with: declare the transition %q of %s", x.operation, x.form, verb, x.resource.name)
		}
		x.state, x.command, x.other = x.resource.transitions[i], url.Values{}, nil
		maps.Copy(x.leaves, x.state.leaves)
	case idempotency.Create, idempotency.Upsert:
		x.leaves = x.resource.leaves
	default:
		x.Fatalf("%s is of kind %d, which no test knows", x.operation, x.kind)
	}
}

// once returns the routes by which people and programs of a tenant carry out an operation.
func (b *bundle) once() []web.Route {
	return slices.DeleteFunc(slices.Clone(b.Routes), func(r web.Route) bool { return !carriesOut(r) })
}

func carriesOut(r web.Route) bool { return r.Repeat == web.Once && !r.Public() }

// creating returns the operation that creates a record, or changes the singleton.
func (b *bundle) creating(of resource) caseRun {
	b.Helper()
	for _, op := range b.Operations() {
		if x := b.routesOf(op); of.only && x.form == of.formAt() || !x.kind.Changes() && x.form == of.unplaced().list() {
			x.resource = of
			x.declare()
			x.command = of.command
			return x
		}
	}
	b.Fatalf("nothing creates %s", of.name)
	return caseRun{}
}

// did returns the outcome of its first success.
func (x *caseRun) did() idempotency.Outcome {
	if x.kind.Changes() {
		return idempotency.Changed
	}
	return idempotency.Created
}

// The message after the operation.
func (x *caseRun) says() string {
	one := strings.ToUpper(x.resource.name[:1]) + x.resource.name[1:]
	switch x.kind {
	case idempotency.Change:
		return "Changes to " + x.label + " saved."
	case idempotency.Transition:
		if x.resource.parent != nil && !x.resource.parent.ownPage { // the page has the parent's name
			return one + " " + x.state.past + "."
		}
		return one + " " + x.label + " " + x.state.past + "."
	default:
		if x.resource.words.told != "" {
			return x.resource.words.told
		}
		if x.resource.parent != nil && !x.resource.parent.ownPage { // the page has the parent's name
			return one + " " + x.resource.words.past + "."
		}
		return one + " " + x.label + " " + x.resource.words.past + "."
	}
}

// isButton reports whether its form has no fields.
func (x *caseRun) isButton() bool { return x.kind == idempotency.Transition }

// namesOne reports whether its address has the id of a record.
func (x *caseRun) namesOne() bool { return strings.Contains(x.form, "{id}") }

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
		return c.must(c.send(c.b.Context(), http.MethodPut, "/api/v1"+of.path, of.api.encode(command)))
	}
	return c.must(c.with("Idempotency-Key", key).send(c.b.Context(), http.MethodPost, "/api/v1"+of.list(), of.api.encode(command)))
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
	id, table := path.Base(a.location()), ""
	for _, op := range b.Operations() {
		if x := b.routesOf(op); x.form == of.unplaced().list() || x.kind.Changes() && path.Dir(path.Dir(x.form)) == of.path {
			table = op.Table
		}
	}
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
		table, id := b.creating(other.resource).table, cmp.Or(other.as, referred)
		if get[bool](b, `SELECT EXISTS (SELECT FROM `+table+` WHERE tenant_id = $1 AND id = $2)`, t.id, id) {
			continue
		}
		made := b.prepared(t, "referred "+other.name+other.as, other.resource, other.other)
		b.exec(fmt.Sprintf(`SET LOCAL session_replication_role = replica; UPDATE %s SET id = '%s' WHERE tenant_id = '%s' AND id = '%s'`,
			table, id, t.id, made.ID))
	}
}
