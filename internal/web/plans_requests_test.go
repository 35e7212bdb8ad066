package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
)

// request is one request of a route. want is the status of its answer, if it is not 0.
type request struct {
	what string
	want int
	send func() answer
}

// everyRoute gives the requests of each route: all answers that it has, because each may ask other things.
func (b *bundle) everyRoute(first record, program, person *client) map[string][]request {
	get := func(c *client, paths ...string) (all []request) {
		for _, path := range paths {
			all = append(all, request{path, 0, func() answer { return c.get(path) }})
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
		"GET /": none, "GET /docs/api": get(person, "/docs/api"), "GET /problems": get(person, "/problems"),
		"GET /problems/{slug}": get(person, "/problems/invalid"), "GET /login": get(b.browser(b.site), "/login"),
		"GET /logged-out.css": get(b.browser(b.site), "/logged-out.css"),
		"POST /login": {
			{"log in", http.StatusSeeOther, func() answer { return b.browser(b.site).logIn(b.acme, password) }},
			{"wrong password", 0, func() answer { return b.browser(b.site).logIn(b.acme, "wrong") }},
		},
		"POST /logout":  {{"log out", http.StatusSeeOther, func() answer { return b.person(b.site, b.acme).submit("/logout", nil) }}},
		"GET /invoices": get(person, "/invoices", "/invoices?limit=100&cursor="+rowID(many/2)),
		"GET /invoices/new": get(person, "/invoices/new?key=fresh", "/invoices/new?key=past+7",
			"/invoices/new?key=copy&copy="+first.invoice, "/invoices/new?key=customer&customer="+first.customer),
		"GET /invoices/{id}":         get(person, newest, "/invoices/"+nobody),
		"POST /invoices/form":        post(person, "/invoices/form", addLine),
		"POST /invoices":             slices.Concat(post(person, "/invoices", forms...), late, post(person, "/invoices", forms...)),
		"GET /customers":             get(person, pagesOf("/customers")...),
		"GET /customers/new":         get(person, "/customers/new?key=fresh", "/customers/new?key=past+7"),
		"GET /customers/{id}":        get(person, "/customers/"+first.customer, "/customers/"+first.customer+"?cursor="+rowID(many/2)),
		"POST /customers":            slices.Concat(once, late, once),
		"GET /api/v1/invoices":       get(program, "/api/v1/invoices", "/api/v1/invoices?limit=100&cursor="+rowID(many/2)),
		"GET /api/v1/invoices/{id}":  get(program, "/api/v1/invoices/"+first.invoice),
		"POST /api/v1/invoices":      slices.Concat(apiInvoices, elsewhere, late, apiInvoices),
		"GET /api/v1/customers/{id}": get(program, "/api/v1/customers/"+first.customer),
		"POST /api/v1/customers":     slices.Concat(apiCustomers, late, apiCustomers),
		"GET /api/v1/customers":      get(program, pagesOf("/api/v1/customers")...),
	}
	maps.Copy(routes, b.everyChange(program, person))
	maps.Copy(routes, b.everyPayment(program, person))
	maps.Copy(routes, b.everyMail(program, person))
	return routes
}

// expiry erases the results of all that was asked for so far.
func (b *bundle) expiry() request {
	return request{"expiry", 0, func() answer {
		b.exec(`UPDATE intents SET result = NULL WHERE key NOT LIKE 'past%'`)
		return answer{}
	}}
}

// pagesOf gives the addresses of a list of customers: from the newest, from the middle, and behind the last of
// the others.
func pagesOf(path string) []string {
	return []string{
		path, path + "?limit=100&cursor=" + rowID(many/2), path + "?cursor=" + rowID(2*many),
		path + "?archived=1", path + "?archived=1&cursor=" + rowID(many+many/2), path + "?archived=1&cursor=" + rowID(many/2),
	}
}
