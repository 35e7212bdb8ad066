package site_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/record"
)

// request is a request of a route. want is the status of its answer, or 0 for any.
type request struct {
	what string
	want int
	send func() answer
}

// everyRoute returns the requests of each route, for all of its answers, because each may read other tables.
func (b *bundle) everyRoute(program, person *client) map[string][]request {
	post := func(c *client, path string, forms ...url.Values) (all []request) {
		for _, form := range forms {
			all = append(all, request{path, 0, func() answer { return c.submit(path, form) }})
		}
		return all
	}
	none := []request{{"nothing", 0, func() answer { return answer{} }}}
	late := []request{b.expiry()}
	customer := customers()
	api := func(of resource, key string, command url.Values) request {
		return request{of.name + " " + key, 0, func() answer {
			return program.create(of, key, command)
		}}
	}
	apiCustomers := []request{
		api(customer, "api", customer.command), api(customer, "api", customer.command), api(customer, "api", customer.other),
		api(customer, "reused", change(customer.command, "email", "7@EXAMPLE.com", "name", "CUSTOMER 7", "tax_id", "")),
		{"differs", http.StatusConflict, func() answer {
			return program.create(customer, "differs", change(customer.command, "email", "shared@EXAMPLE.com"))
		}},
	}
	once := post(person, "/customers", change(customer.command, "idempotency_key", "one", "allow_repeat", "1"))
	routes := map[string][]request{
		"GET /": none, "GET /static/*": none, "GET /healthz": none, "GET /readyz": none,
		"GET /docs/api": gets(person, "/docs/api"), "GET /openapi.json": gets(person, "/openapi.json"),
		"GET /problems":        gets(person, "/problems"),
		"GET /rules":           gets(person, "/rules"),
		"GET /problems/{slug}": gets(person, "/problems/invalid"), "GET /login": gets(b.browser(b.replica), "/login"),
		"GET /logged-out.css": gets(b.browser(b.replica), "/logged-out.css"),
		"POST /login": {
			{"log in", http.StatusSeeOther, func() answer { return b.browser(b.replica).logIn(b.acme, password) }},
			{"wrong password", 0, func() answer { return b.browser(b.replica).logIn(b.acme, "wrong") }},
		},
		"POST /logout": {{"log out", http.StatusSeeOther, func() answer {
			return b.person(b.replica, b.acme).submit("/logout", nil)
		}}},
		"GET /customers":     gets(person, pagesOf("/customers")...),
		"GET /customers/new": gets(person, "/customers/new?key=fresh", "/customers/new?key=past+7"),
		"GET /customers/{id}": gets(person, "/customers/"+rowID(1),
			at("/customers/"+rowID(1), "2026-05-05", rowID(many/2), false)),
		"POST /customers":            slices.Concat(once, late, once),
		"GET /api/v1/customers/{id}": gets(program, "/api/v1/customers/"+rowID(1)),
		"POST /api/v1/customers": slices.Concat(apiCustomers, late, apiCustomers,
			createdExternally(program, customer, change(customer.command, "email", "external@example.com"))),
		"GET /api/v1/customers": append(gets(program, pagesOf("/api/v1/customers")...), foundExternally(program, customer)...),
	}
	for pattern, all := range map[string]string{
		"/customers/{id}/events": "/customers/" + rowID(7) + "/events",
		"/settings/events":       "/settings/events", "/people/{id}/events": "/people/" + rowID(7) + "/events",
		"/tokens/{id}/events": "/tokens/" + rowID(7) + "/events",
	} {
		maps.Copy(routes, everyEvent(program, person, pattern, all))
	}
	maps.Copy(routes, b.everySetting(program, person))
	maps.Copy(routes, b.everyChange(program, person))
	maps.Copy(routes, b.everyInvoice(program, person))
	maps.Copy(routes, b.everyMerge(program, person))
	maps.Copy(routes, b.everyLab())
	maps.Copy(routes, b.everyPerson(person))
	maps.Copy(routes, b.everyOwners(person, apiTokens(), url.Values{"name": {"token 7"}, "role": {"member"}}))
	maps.Copy(routes, b.everyPassword(person))
	routes["GET /attempts"] = gets(person, attemptPages()...)
	for _, of := range plainResources() {
		maps.Copy(routes, b.everyPlain(of, program, person))
	}
	for route, requests := range b.everyTransition(program, person) {
		routes[route] = append(requests, routes[route]...) // before the requests that are refused
	}
	return routes
}

// looked is a GET with one answer.
func looked(c *client, want int, path string) request {
	return request{path, want, func() answer { return c.get(path) }}
}

// gets are GETs with any answer.
func gets(c *client, paths ...string) (all []request) {
	for _, path := range paths {
		all = append(all, asking(c, path))
	}
	return all
}

// asking is a GET with any answer.
func asking(c *client, path string) request {
	return request{path, 0, func() answer { return c.get(path) }}
}

// everyEvent returns the requests of the routes of a history with a pattern; all is an address that matches it.
func everyEvent(program, person *client, pattern, all string) map[string][]request {
	routes, when := map[string][]request{}, time.Now().UTC().Format(time.RFC3339Nano)
	for _, address := range []string{all, at(all+"?limit=100", when, "x", false), at(all+"?limit=2", when, "x", true)} {
		routes["GET "+pattern] = append(routes["GET "+pattern], asking(person, address))
		if isOwners(pattern) {
			continue
		}
		routes["GET /api/v1"+pattern] = append(routes["GET /api/v1"+pattern], asking(program, "/api/v1"+address))
	}
	return routes
}

// expiry erases the results of all requests so far.
func (b *bundle) expiry() request {
	return request{"expiry", 0, func() answer {
		b.exec(`
			UPDATE intents SET result = NULL
			WHERE tenant_id = $1 AND result IS NOT NULL AND expires_at > now() + interval '2 hours'`, b.acme.id) // grow's expire before
		b.store.Forget()
		return answer{}
	}}
}

// pagesOf returns the addresses of a list of customers: from the newest, from the middle, back from there, and from after the
// last one; and of searches in it, for a single customer's word, a common word, and the prefix of most words.
func pagesOf(path string) []string {
	archived := path + "?archived=1"
	all := []string{
		path, at(path+"?limit=100", "", rowID(many/2), false), at(path+"?limit=100", "", rowID(many/2), true),
		at(path, "", rowID(2*many), false),
		archived, at(archived, "", rowID(many+many/2), false), at(archived, "", rowID(many/2), false),
		at(archived, "", rowID(many+many/2), true),
	}
	for _, q := range []string{"77", "customer", "1", "customer+77", "example+customer", "none"} {
		searched, middle := path+"?limit=100&q="+q, rowID(many/2)
		all = append(all, searched, at(searched, middle, middle, false), at(searched, middle, middle, true), searched+"&archived=1")
	}
	return all
}

// at returns the address of a list after a cursor, or before it.
func at(target, first, second string, back bool) string {
	address, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	query := address.Query()
	of := record.ListName(strings.TrimPrefix(address.Path, "/api/v1"), query)
	query.Set("cursor", record.Cursor{Of: of, From: record.Key{first, second}, Back: back}.String())
	return address.Path + "?" + query.Encode()
}
