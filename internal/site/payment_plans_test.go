package site_test

import (
	"net/http"
	"net/url"
	"strconv"
)

// everyPayment returns the requests of the routes of payments, for the invoice with the most payments.
func (b *bundle) everyPayment(program, person *client) map[string][]request {
	of, most := payments(), rowID(drafts+1)
	under := payments()
	under.parent.id = most
	list := func(id string) string { return "/invoices/" + id + "/payments" }
	forms, api := b.everyCreation(program, person, of, list, most, func(prefix string) url.Values {
		return change(of.command, "reference", prefix)
	}, map[string]extra{
		"taken":    {http.StatusConflict, "", []string{"reference", "TX 7"}},
		"too much": {http.StatusConflict, "", []string{"amount", "10000"}},
		"draft":    {http.StatusConflict, rowID(11), nil},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"date", "never"}},
	})
	forms = append(forms, request{"seen", http.StatusConflict, func() answer {
		return person.submit(list(most), change(of.command, "idempotency_key", "seen", "reference", "seen", "seen_open", "1.00"))
	}})
	return map[string][]request{
		"GET /invoices/{id}/payments/new": {
			looked(person, http.StatusOK, list(most)+"/new?key=fresh"), looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			looked(person, http.StatusNotFound, list(nobody)+"/new"),
		},
		"POST /invoices/{id}/payments": forms,
		"POST /api/v1/invoices/{id}/payments": append(api,
			createdExternally(program, under, change(under.command, "reference", "external"))...),
		"GET /api/v1/invoices/{id}/payments": {
			looked(program, http.StatusOK, "/api/v1"+list(most)),
			looked(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), false)),
			looked(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), true)),
			looked(program, http.StatusOK, "/api/v1"+list(rowID(drafts+2))+"?limit=100"),
			looked(program, http.StatusNotFound, "/api/v1"+list(nobody)),
		},
		"GET /payments":        belowLists(person, "/payments"),
		"GET /api/v1/payments": append(belowLists(program, "/api/v1/payments"), foundExternally(program, of)...),
		"GET /payments/{id}": {
			looked(person, http.StatusSeeOther, "/payments/"+rowID(7)), looked(person, http.StatusOK, "/invoices/"+most),
			looked(person, http.StatusOK, at("/invoices/"+most, "", strconv.Itoa(many/2), false)),
			looked(person, http.StatusOK, at("/invoices/"+most, "", strconv.Itoa(many/2), true)),
		},
		"GET /api/v1/payments/{id}": {looked(program, http.StatusOK, "/api/v1/payments/"+rowID(7))},
		"GET /payments/{id}/remove": {
			looked(person, http.StatusOK, "/payments/"+rowID(7)+"/remove?key=fresh"),
			looked(person, http.StatusConflict, "/payments/"+rowID(1)+"/remove?key=first"),
			looked(person, http.StatusNotFound, "/payments/"+nobody+"/remove"),
		},
	}
}

// belowLists returns the requests of a list over all invoices: each filter, from its start, from the middle, and back.
func belowLists(c *client, path string) (all []request) {
	for _, filter := range []string{
		"", "q=2026-0044", "q=rare", "q=design", "q=design+customer", "q=rare+common", "q=none", "q=4", "q=1@example.com",
		"currency=EUR", "currency=JPY", "q=design&currency=EUR", "from=2026-01-02&to=2026-01-02", "from=2026-01-03", "to=2026-01-01",
		"q=design&from=2026-01-02",
	} {
		list := path + "?" + filter
		for _, address := range []string{
			list, list + "&limit=100", at(list, "2026-01-02", rowID(many/2), false), at(list, "2026-01-02", rowID(many/2), true),
		} {
			all = append(all, looked(c, http.StatusOK, address))
		}
	}
	return all
}
