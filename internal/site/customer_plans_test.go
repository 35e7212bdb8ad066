package site_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
)

func TestCustomerPlans(t *testing.T) {
	plansOf(t, plan{
		room: "internal/customer/", resources: []resource{customers(), merges(), distinctions()}, requests: (*bundle).everyCustomer,
	}, resources(), growAll)
}

// everyCustomer returns the requests of the routes of customers, duplicates and merges.
func (b *bundle) everyCustomer(program, person *client) map[string][]request {
	customer := customers()
	api := func(key string, command url.Values) request {
		return request{key, 0, func() answer { return program.create(customer, key, command) }}
	}
	apiCustomers := []request{
		api("api", customer.command), api("api", customer.command), api("api", customer.other),
		api("reused", change(customer.command, "email", "7@EXAMPLE.com", "name", "CUSTOMER 7", "tax_id", "")),
		{"differs", http.StatusConflict, func() answer {
			return program.create(customer, "differs", change(customer.command, "email", "shared@EXAMPLE.com"))
		}},
	}
	late := []request{b.expiry()}
	once := []request{{"/customers", 0, func() answer {
		return person.submit("/customers", change(customer.command, "idempotency_key", "one", "allow_repeat", "1"))
	}}}
	routes := map[string][]request{
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
	maps.Copy(routes, everyEvent(program, person, "/customers/{id}/events", "/customers/"+rowID(7)+"/events"))
	maps.Copy(routes, b.everyChange(program, person))
	maps.Copy(routes, b.everyMerge(program, person))
	return routes
}

// everyChange returns the requests of the routes that change a customer, each for another customer.
func (b *bundle) everyChange(program, person *client) map[string][]request {
	c := customers()
	customer := func(id int) edits {
		mine := change(c.edited.command, "email", strconv.Itoa(id)+"@example.com")
		return edits{
			c, rowID(id), mine, change(mine, "name", "Grace"), change(mine, "email", "7@EXAMPLE.com"),
			change(mine, "email", "7", "name", ""),
		}
	}
	return map[string][]request{
		"GET /customers/{id}/edit":   editForms(person, "/customers/", 11),
		"POST /customers/{id}/edit":  b.formEdits(person, customer(12)),
		"PUT /api/v1/customers/{id}": b.apiEdits(program, customer(13), 0),
	}
}
