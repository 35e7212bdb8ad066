package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/record"
)

// request is one request of a route. want is the status of its answer, if it is not 0.
type request struct {
	what string
	want int
	send func() answer
}

// everyRoute gives the requests of each route: all answers that it has, because each may ask other things.
func (b *bundle) everyRoute(first firsts, program, person *client) map[string][]request {
	get := func(c *client, paths ...string) (all []request) {
		for _, path := range paths {
			all = append(all, asking(c, path))
		}
		return all
	}
	post := func(c *client, path string, forms ...url.Values) (all []request) {
		for _, form := range forms {
			all = append(all, request{path, 0, func() answer { return c.submit(path, form) }})
		}
		return all
	}
	none := []request{{"nothing", 0, func() answer { return answer{} }}}
	late := []request{b.expiry()}
	invoice, customer := invoices(), customers()
	typed := change(invoice.command, "idempotency_key", "typed", "number", "2026-7001", "customer_id", first.customer)
	forms := []url.Values{
		change(invoice.command, "idempotency_key", "allocated"),
		change(invoice.command, "idempotency_key", "allocated"), // replayed
		change(invoice.other, "idempotency_key", "allocated"),   // mismatch
		change(invoice.command, "idempotency_key", "likely"),    // looks like a repeat
		typed, change(typed, "idempotency_key", "other"), // number taken
		change(typed, "idempotency_key", "free", "number", "R-1", "notes", "x"),
		change(invoice.command, "idempotency_key", "invalid", "due_date", "never"),
		change(invoice.command, "idempotency_key", "nobody", "customer_id", nobody),
	}
	api := func(of thing, key string, command url.Values) request {
		return request{of.name + " " + key, 0, func() answer {
			return program.create(of, key, command)
		}}
	}
	elsewhere := []request{{"another process", 0, func() answer {
		other := program.elsewhere(b.serveOn(b.pool).url)
		return other.create(invoice, "api", invoice.command)
	}}}
	apiInvoices := []request{
		api(invoice, "api", invoice.command), api(invoice, "api", invoice.command), api(invoice, "api", invoice.other),
		api(invoice, "taken", change(invoice.command, "number", "2026-7001")),
	}
	apiCustomers := []request{
		api(customer, "api", customer.command), api(customer, "api", customer.command), api(customer, "api", customer.other),
		api(customer, "reused", change(customer.command, "email", "7@EXAMPLE.com")),
	}
	addLine := change(invoice.command, "idempotency_key", "form", "action", "add_line")
	newest := path.Join("/invoices", first.invoice)
	once := post(person, "/customers", change(customer.command, "idempotency_key", "one"))
	routes := map[string][]request{
		"GET /": none, "GET /docs/api": get(person, "/docs/api"), "GET /openapi.json": get(person, "/openapi.json"),
		"GET /problems":        get(person, "/problems"),
		"GET /problems/{slug}": get(person, "/problems/invalid"), "GET /login": get(b.browser(b.site), "/login"),
		"GET /logged-out.css": get(b.browser(b.site), "/logged-out.css"),
		"POST /login": {
			{"log in", http.StatusSeeOther, func() answer { return b.browser(b.site).logIn(b.acme, password) }},
			{"wrong password", 0, func() answer { return b.browser(b.site).logIn(b.acme, "wrong") }},
		},
		"POST /logout":  {{"log out", http.StatusSeeOther, func() answer { return b.person(b.site, b.acme).submit("/logout", nil) }}},
		"GET /invoices": get(person, listsOf("/invoices", first.customer)...),
		"GET /invoices/new": get(person, "/invoices/new?key=fresh", "/invoices/new?key=past+7",
			"/invoices/new?key=copy&copy="+first.invoice, "/invoices/new?key=customer&customer="+first.customer),
		"GET /invoices/{id}":  get(person, newest, "/invoices/"+nobody),
		"POST /invoices/form": post(person, "/invoices/form", addLine),
		"POST /invoices":      slices.Concat(post(person, "/invoices", forms...), late, post(person, "/invoices", forms...)),
		"GET /customers":      get(person, pagesOf("/customers")...),
		"GET /customers/new":  get(person, "/customers/new?key=fresh", "/customers/new?key=past+7"),
		"GET /customers/{id}": get(person, "/customers/"+first.customer,
			at("/customers/"+first.customer, "2026-05-05", rowID(many/2), false)),
		"POST /customers":            slices.Concat(once, late, once),
		"GET /api/v1/invoices":       get(program, listsOf("/api/v1/invoices", first.customer)...),
		"GET /api/v1/invoices/{id}":  get(program, "/api/v1/invoices/"+first.invoice),
		"POST /api/v1/invoices":      slices.Concat(apiInvoices, elsewhere, late, apiInvoices),
		"GET /api/v1/customers/{id}": get(program, "/api/v1/customers/"+first.customer),
		"POST /api/v1/customers":     slices.Concat(apiCustomers, late, apiCustomers),
		"GET /api/v1/customers":      get(program, pagesOf("/api/v1/customers")...),
	}
	for pattern, all := range map[string]string{
		"/invoices/{id}/events": "/invoices/" + rowID(7) + "/events", "/customers/{id}/events": "/customers/" + rowID(7) + "/events",
		"/credit-notes/{id}/events": "/credit-notes/" + rowID(7) + "/events", "/outbox/{id}/events": "/outbox/" + rowID(7) + "/events",
		"/settings/events": "/settings/events", "/people/{id}/events": "/people/" + rowID(7) + "/events",
		"/tokens/{id}/events": "/tokens/" + rowID(7) + "/events",
	} {
		maps.Copy(routes, everyEvent(program, person, pattern, all))
	}
	for _, file := range []string{"pdf", "ubl"} {
		routes["GET /invoices/{id}/"+file] = get(person, newest+"/"+file)
		routes["GET /api/v1/invoices/{id}/"+file] = get(program, "/api/v1"+newest+"/"+file)
	}
	routes["GET /credit-notes/{id}/pdf"] = get(person, "/credit-notes/"+rowID(7)+"/pdf")
	routes["GET /api/v1/credit-notes/{id}/pdf"] = get(program, "/api/v1/credit-notes/"+rowID(7)+"/pdf")
	maps.Copy(routes, b.everySetting(program, person))
	maps.Copy(routes, b.everyChange(program, person))
	maps.Copy(routes, b.everyPayment(program, person))
	maps.Copy(routes, b.everyRefund(program, person))
	maps.Copy(routes, b.everyCreditNote(program, person))
	maps.Copy(routes, b.everyMail(program, person))
	maps.Copy(routes, b.everyPerson(person))
	maps.Copy(routes, b.everyToken(person))
	maps.Copy(routes, b.everyPassword(person))
	for _, of := range plainThings() {
		maps.Copy(routes, b.everyPlain(of, program, person))
	}
	return routes
}

// asking is a GET with any answer.
func asking(c *client, path string) request {
	return request{path, 0, func() answer { return c.get(path) }}
}

// everyEvent gives the requests of the routes of a history, of which one has this address.
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

// expiry erases the results of all that was asked for so far.
func (b *bundle) expiry() request {
	return request{"expiry", 0, func() answer {
		b.exec(`UPDATE intents SET result = NULL WHERE key NOT LIKE 'past%'`)
		return answer{}
	}}
}

// pagesOf gives the addresses of a list of customers: from the newest, from the middle, back from there, and behind the
// last of the others; and of searches in it, for what one of them has, what all have, and how most of their words begin.
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

// listsOf gives the addresses of lists of invoices: each filter in each order, from its start, from the middle, and back.
func listsOf(path, customer string) (all []string) {
	for sort, middle := range map[string][2]string{
		"newest": {"2026-05-05", rowID(many / 2)}, "oldest": {"2026-05-05", rowID(many / 2)}, "due": {"2026-06-06", rowID(many / 2)},
		"number": {"2026", "2026-4000"}, "total": {"102000", rowID(many / 2)},
	} {
		for _, filter := range []string{
			"", "status=draft", "status=paid", "status=open", "status=overdue", "status=void", "customer_id=" + customer,
			"from=2026-03-01&to=2026-03-05", "from=2026-02-01", "q=design", "q=rare", "q=4", "q=2026-0044", "q=rare+common",
			"q=design+customer", "q=design+1&status=draft", "q=none", "q=design&customer_id=" + customer,
			"status=paid&customer_id=" + customer + "&from=2026-02-02",
			"paid_from=2026-01-01&paid_to=2026-01-31", "paid_from=2026-02-01&status=open", "q=design&paid_to=2026-02-01",
			"q=7", "q=1@example.com",
		} {
			list := path + "?sort=" + sort + "&" + filter
			all = append(all, list, list+"&limit=100", at(list, middle[0], middle[1], false), at(list, middle[0], middle[1], true))
		}
	}
	return all
}

// at is the address of a list from a key on, or back from it.
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
