package customerpages_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/customer/", Resources: customercases.Resources(), Requests: everyCustomer,
	}, sitecases.Resources(), sitecases.Grow)
}

// everyCustomer returns the requests of the routes of customers, duplicates and merges.
func everyCustomer(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	customer := customercases.Customers()
	api := func(key string, command url.Values) sitetest.Request {
		return sitetest.Request{What: key, Want: 0, Send: func() sitetest.Answer { return program.Create(customer, key, command) }}
	}
	apiCustomers := []sitetest.Request{
		api("api", customer.Command), api("api", customer.Command), api("api", customer.Other),
		api("reused", sitetest.Change(customer.Command, "email", "7@EXAMPLE.com", "name", "CUSTOMER 7", "tax_id", "")),
		{What: "differs", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return program.Create(customer, "differs", sitetest.Change(customer.Command, "email", "shared@EXAMPLE.com"))
		}},
	}
	late := []sitetest.Request{b.Expiry()}
	once := []sitetest.Request{{What: "/customers", Want: 0, Send: func() sitetest.Answer {
		return person.Submit("/customers", sitetest.Change(customer.Command, "idempotency_key", "one", "allow_repeat", "1"))
	}}}
	routes := map[string][]sitetest.Request{
		"GET /customers":            sitetest.Gets(person, sitetest.PagesOf("/customers")...),
		"GET /customers/csv":        sitetest.Gets(person, "/customers/csv?q=rare", "/customers/csv?sort=name"),
		"GET /api/v1/customers/csv": sitetest.Gets(program, "/api/v1/customers/csv"),
		"GET /customers/new":        sitetest.Gets(person, "/customers/new?key=fresh", "/customers/new?key=past+7"),
		"GET /customers/{id}": sitetest.Gets(person, "/customers/"+sitetest.RowID(1),
			sitetest.At("/customers/"+sitetest.RowID(1), "2026-05-05", sitetest.RowID(sitetest.Many/2), false)),
		"POST /customers":            slices.Concat(once, late, once),
		"GET /api/v1/customers/{id}": sitetest.Gets(program, "/api/v1/customers/"+sitetest.RowID(1)),
		"POST /api/v1/customers": slices.Concat(apiCustomers, late, apiCustomers,
			sitetest.CreatedExternally(program, customer, sitetest.Change(customer.Command, "email", "external@example.com"))),
		"GET /api/v1/customers": append(
			sitetest.Gets(program, sitetest.PagesOf("/api/v1/customers")...),
			sitetest.FoundExternally(program, customer)...),
	}
	maps.Copy(routes, sitetest.EveryEvent(program, person, "/customers/{id}/events", "/customers/"+sitetest.RowID(7)+"/events"))
	maps.Copy(routes, everyChange(b, program, person))
	maps.Copy(routes, everyMerge(b, program, person))
	maps.Copy(routes, everyErasure(b, program, person))
	return routes
}

// everyErasure returns the requests of the routes of erasures.
func everyErasure(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	archived := "/customers/" + sitetest.RowID(501)
	b.Exec(`UPDATE customers SET archived_at = now() WHERE id = $1`, sitetest.RowID(501))
	erase := func(key, customer string, want int) sitetest.Request {
		return sitetest.Request{What: key + " " + customer, Want: want, Send: func() sitetest.Answer {
			return person.Submit(customer+"/erasures", url.Values{"idempotency_key": {key}})
		}}
	}
	routes := map[string][]sitetest.Request{
		"GET /customers/{id}/erasures/new": sitetest.Gets(person, archived+"/erasures/new?key=fresh"),
		"POST /customers/{id}/erasures": {
			erase("early", "/customers/"+sitetest.RowID(502), http.StatusConflict), erase("one", archived, 0), erase("one", archived, 0),
			erase("another", archived, 0),
		},
		"GET /erasures/{id}": sitetest.Gets(person, "/erasures/"+sitetest.RowID(1)),
	}
	maps.Copy(routes, sitetest.EveryEvent(program, person, "/erasures/{id}/events", "/erasures/"+sitetest.RowID(7)+"/events"))
	for route := range routes {
		if strings.Contains(route, "/api/") {
			delete(routes, route)
		}
	}
	return routes
}

// everyChange returns the requests of the routes that change a customer, each for another customer.
func everyChange(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	c := customercases.Customers()
	customer := func(id int) sitetest.Edits {
		mine := sitetest.Change(c.Edited.Command, "email", strconv.Itoa(id)+"@example.com")
		return sitetest.Edits{
			Resource: c, ID: sitetest.RowID(id), Mine: mine, Others: sitetest.Change(mine, "name", "Grace"),
			Taken: sitetest.Change(mine, "email", "7@EXAMPLE.com"), Broken: sitetest.Change(mine, "email", "7", "name", ""),
		}
	}
	return map[string][]sitetest.Request{
		"GET /customers/{id}/edit":   sitetest.EditForms(person, "/customers/", 11),
		"POST /customers/{id}/edit":  b.FormEdits(person, customer(12)),
		"PUT /api/v1/customers/{id}": b.APIEdits(program, customer(13), 0),
	}
}

// everyMerge returns the requests of the routes of duplicates, merges and distinctions.
func everyMerge(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	routes := map[string][]sitetest.Request{}
	for prefix, caller := range map[string]*sitetest.Client{"": person, "/api/v1": program} {
		groups := prefix + "/duplicates"
		routes["GET "+groups] = sitetest.Gets(caller, groups, sitetest.At(groups, "name", "", false),
			sitetest.At(groups, "email", "2", false), sitetest.At(groups+"?limit=1", "name", "", false))
	}
	for i, of := range []sitetest.Resource{customercases.Merges(), customercases.Distinctions()} {
		maps.Copy(routes, b.EveryPair(program, person, of, func(n int) url.Values {
			n += 100 * i
			return url.Values{"customers": {customercases.Seen(sitetest.RowID(n), sitetest.RowID(n+1))}, "winner_id": {sitetest.RowID(n)}}
		}))
	}
	merged := sitetest.Change(
		url.Values{"customers": {customercases.Seen(sitetest.RowID(401), sitetest.RowID(402))}, "winner_id": {sitetest.RowID(401)}},
		"idempotency_key",
		"merged",
	)
	routes["POST /merges"] = append(
		routes["POST /merges"],
		sitetest.Request{What: "merged", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit("/merges", merged)
		}},
	)
	return routes
}
