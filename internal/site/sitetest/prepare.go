package sitetest

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
	"onlyonce/internal/must"
	"onlyonce/internal/web"
)

// The ids of four customers; the first one is referred.
const (
	Second = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f81"
	Third  = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f82"
	Fourth = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f83"
)

// CasesOf returns a case for each operation of some resources, not prepared.
func (b *Bundle) CasesOf(of ...Resource) []Case {
	b.Helper()
	var all []Case
	for _, op := range b.Operations() {
		x := b.routesOf(op)
		for _, of := range of {
			switch { // a resource with a parent comes after it
			case x.Form == of.List(), strings.HasPrefix(x.Form, of.Path+"/") && x.Form != x.Resource.List():
				x.Resource = of
			}
		}
		if x.Resource.Path != "" && !op.Own { // those have separate tests
			x.declare()
			all = append(all, x)
		}
	}
	must.Thatf(b, len(of) == 0 || len(all) != 0, "none of the operations is of the %d resources", len(of))
	return all
}

// oneOfEachKind returns one operation for each kind of change: the last one with an API of a resource without a parent, if there
// is one, or else of any resource that clients create.
func oneOfEachKind(all []Case) (chosen []Case) {
	found := map[idempotency.Kind]bool{}
	for _, suits := range []func(Resource) bool{
		func(of Resource) bool { return !of.People && of.Parent == nil },
		func(of Resource) bool { return of.Parent == nil && of.Arrives == nil && !of.Strangers },
		func(of Resource) bool { return of.Arrives == nil },
	} {
		for _, of := range slices.Backward(all) {
			if suits(of.Resource) && !of.Resource.Only && !found[of.Kind] {
				found[of.Kind] = true
				chosen = append(chosen, of)
			}
		}
	}
	return chosen
}

func (b *Bundle) routesOf(op web.Operation) Case {
	x := Case{Bundle: b, Operation: op.Name, Kind: op.Kind, table: op.Table, looksAlike: op.Alike != ""}
	for _, route := range b.Routes {
		switch {
		case route.Why != op.Name || !b.carriesOut(route):
		case strings.HasPrefix(route.Path, "/api/v1/"):
			x.Method, x.API = route.Method, route.Path
		default:
			x.Form = route.Path
		}
	}
	return x
}

// declare adds what the resource declares about the operation.
func (x *Case) declare() {
	x.Helper()
	must.Thatf(x, x.Form != "" && (x.API == "") == x.Resource.People,
		"%s needs a route for its form, and one in the API unless only people can use it: %q, %q", x.Operation, x.Form, x.API)
	x.Command, x.Label, x.Leaves, x.Other = x.Resource.Command, x.Resource.Label, Rows{"intents": 1}, x.Resource.Other
	switch x.Kind {
	case idempotency.Change:
		if x.Command, x.Label = x.Resource.Edited.Command, x.Resource.Edited.Label; x.Command == nil {
			x.Fatalf("%s (POST %s) has nothing to be tried with: declare edited of %s", x.Operation, x.Form, x.Resource.Name)
		}
	case idempotency.Transition:
		verb := path.Base(x.Form)
		i := slices.IndexFunc(x.Resource.Transitions, func(s Transition) bool { return s.Verb == verb })
		must.Thatf(x, i >= 0,
			"%s (POST %s) has nothing to be tried with: declare the transition %q of %s", x.Operation, x.Form, verb, x.Resource.Name)
		x.State, x.Command, x.Other = x.Resource.Transitions[i], url.Values{}, nil
		maps.Copy(x.Leaves, x.State.Leaves)
	case idempotency.Create, idempotency.Upsert:
		x.Leaves = x.Resource.Leaves
	default:
		x.Fatalf("%s is of kind %d, which no test knows", x.Operation, x.Kind)
	}
}

// Once returns the routes by which people and programs carry out an operation, except those of deliveries.
func (b *Bundle) Once() []web.Route {
	return slices.DeleteFunc(slices.Clone(b.Routes), func(r web.Route) bool { return !b.carriesOut(r) })
}

func (b *Bundle) carriesOut(r web.Route) bool {
	delivers := func(op web.Operation) bool { return op.Name == r.Why && op.Own }
	return r.Repeat == web.Once && (!r.Public() || !slices.ContainsFunc(b.Operations(), delivers))
}

// Creating returns the operation that creates a record, or changes the singleton.
func (b *Bundle) Creating(of Resource) Case {
	b.Helper()
	for _, op := range b.Operations() {
		if x := b.routesOf(op); of.Only && x.Form == of.formAt() || !x.Kind.Changes() && x.Form == of.unplaced().List() {
			x.Resource = of
			x.declare()
			x.Command = of.Command
			return x
		}
	}
	b.Fatalf("nothing creates %s", of.Name)
	return Case{}
}

// did returns the outcome of its first success.
func (x *Case) did() idempotency.Outcome {
	if x.Kind.Changes() {
		return idempotency.Changed
	}
	return idempotency.Created
}

// The message after the operation.
func (x *Case) says() string {
	one := strings.ToUpper(x.Resource.Name[:1]) + x.Resource.Name[1:]
	if !x.Resource.onParentsPage() {
		one += " " + strings.TrimPrefix(x.Label, one+" ")
	}
	switch x.Kind {
	case idempotency.Change:
		return "Changes to " + x.Label + " saved."
	case idempotency.Transition:
		return cmp.Or(x.State.Told, one+" "+x.State.Past+".")
	default:
		return cmp.Or(x.Resource.Words.Told, one+" "+x.Resource.Words.Past+".")
	}
}

// IsButton reports whether its form has no fields.
func (x *Case) IsButton() bool { return x.Kind == idempotency.Transition }

// NamesOne reports whether its address has the id of a record.
func (x *Case) NamesOne() bool { return strings.Contains(x.Form, "{id}") }

// Create creates a record by the API, or changes the singleton. A record with a parent is placed before. A resource without an
// API is created by an owner, and the answer is converted.
func (c *Client) Create(of Resource, key string, command url.Values) Answer {
	c.B.Helper()
	if of.Arrives != nil {
		return of.Arrives(c.B, c.tenant, key, command)
	}
	if of.People {
		return c.B.byOwner(c.tenant, of, of.List(), key, command)
	}
	if of.Only {
		c = c.With("If-Match", c.Get("/api/v1"+of.Path).Header.Get("ETag")).With("Idempotency-Key", key)
		return c.Must(c.Send(c.B.Context(), http.MethodPut, "/api/v1"+of.Path, of.API.Encode(command)))
	}
	return c.Must(c.With("Idempotency-Key", key).Send(c.B.Context(), http.MethodPost, "/api/v1"+of.List(), of.API.Encode(command)))
}

// Prepared creates a record of a tenant, with its parents, and applies the verbs.
func (b *Bundle) Prepared(t Tenant, key string, of Resource, command url.Values, verbs ...string) Created {
	b.Helper()
	program := b.Program(b.Replica, t)
	made := program.Create(b.Placed(of, t, key), key, command)
	for _, verb := range verbs {
		if of.People {
			made = b.byOwner(t, of, of.RecordAt(Decode[Created](b, made).ID)+"/"+verb, key, nil)
			continue
		}
		made = program.With("Idempotency-Key", key).Post("/api/v1"+of.RecordAt(Decode[Created](b, made).ID)+"/"+verb, "")
	}
	must.Thatf(b, made.Status < http.StatusBadRequest, "cannot prepare one %s: %v", of.Name, made)
	return Decode[Created](b, made)
}

// byOwner sends a form as an owner of a tenant, and returns the record like the API.
func (b *Bundle) byOwner(t Tenant, of Resource, address, key string, command url.Values) Answer {
	b.Helper()
	if b.owners[t.ID] == nil { // logins are limited
		b.owners[t.ID] = HTML{}.Caller(b, b.Replica, t)
	}
	a := b.owners[t.ID].Submit(address, Change(command, "idempotency_key", key))
	if a.Status != http.StatusSeeOther {
		return a
	}
	id, table := path.Base(a.Location()), ""
	for _, op := range b.Operations() {
		if x := b.routesOf(op); x.Form == of.unplaced().List() || x.Kind.Changes() && path.Dir(path.Dir(x.Form)) == of.Path {
			table = op.Table
		}
	}
	a.Status = http.StatusCreated
	a.Body = Encode(Created{ID: id, Version: Get[int](b, `SELECT version FROM `+table+` WHERE id = $1`, id)})
	return a
}

// Placed returns the resource of a tenant below a newly created parent, unless it has one.
func (b *Bundle) Placed(of Resource, t Tenant, key string) Resource {
	b.Helper()
	b.Refer(of, t)
	if of.Parent == nil || of.Parent.ID != "" {
		return of
	}
	parent := *of.Parent
	parent.Resource = b.Placed(parent.Resource, t, "under "+key)
	if parent.Unlike != "" {
		parent.Command = Change(parent.Command, parent.Unlike, parent.Command.Get(parent.Unlike)+" "+key)
	}
	parent.ID = b.Prepared(t, "under "+key, parent.Resource, parent.Command, parent.Ready...).ID
	of.Parent = &parent
	return of
}

// Referred is the id that commands and examples reference: each tenant has one record of each referenced resource with it.
const Referred = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"

// ReferredValue returns the value of a field of the resource's record with that id. A resource that refers to itself has another first one.
func (r Resource) ReferredValue(field string) string {
	for _, first := range r.Refers {
		if first.Path == r.Path && first.As == "" {
			return first.ReferredValue(field)
		}
	}
	return r.Other.Get(field)
}

// Refer creates the records that the commands of a resource reference, unless the tenant has them. New records get random ids,
// so it changes them to the id referred afterwards.
func (b *Bundle) Refer(of Resource, t Tenant) {
	b.Helper()
	for _, other := range of.Refers {
		b.Refer(other.Resource, t) // which may be the same resource
		table, id := b.Creating(other.Resource).table, cmp.Or(other.As, Referred)
		if Get[bool](b, `SELECT EXISTS (SELECT FROM `+table+` WHERE tenant_id = $1 AND id = $2)`, t.ID, id) {
			continue
		}
		made := b.Prepared(t, "referred "+other.Name+other.As, other.Resource, other.Other, other.Ready...)
		b.Exec(fmt.Sprintf(`SET LOCAL session_replication_role = replica; UPDATE %s SET id = '%s' WHERE tenant_id = '%s' AND id = '%s'`,
			table, id, t.ID, made.ID))
	}
}
