package invoicepages_test

import (
	"net/http"
	"net/url"
	"strconv"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyPayment returns the requests of the routes of payments, for the invoice with the most payments.
func everyPayment(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.Payments(), sitetest.RowID(invoicecases.Drafts+1)
	under := invoicecases.Payments()
	under.Parent.ID = most
	list := func(id string) string { return "/invoices/" + id + "/payments" }
	forms, api := everyCreation(b, program, person, of, list, most, func(prefix string) url.Values {
		return sitetest.Change(of.Command, "reference", prefix)
	}, map[string]extra{
		"taken":    {http.StatusConflict, "", []string{"reference", "TX 7"}},
		"too much": {http.StatusConflict, "", []string{"amount", "10000"}},
		"draft":    {http.StatusConflict, sitetest.RowID(11), nil},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"date", "never"}},
	})
	forms = append(forms, sitetest.Request{What: "seen", Want: http.StatusConflict, Send: func() sitetest.Answer {
		return person.Submit(list(most), sitetest.Change(of.Command, "idempotency_key", "seen", "reference", "seen", "seen_open", "1.00"))
	}})
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/payments/new": {
			sitetest.Looked(
				person,
				http.StatusOK,
				list(most)+"/new?key=fresh",
			), sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			sitetest.Looked(person, http.StatusNotFound, list(sitetest.Nobody)+"/new"),
		},
		"POST /invoices/{id}/payments": forms,
		"POST /api/v1/invoices/{id}/payments": append(api,
			sitetest.CreatedExternally(program, under, sitetest.Change(under.Command, "reference", "external"))...),
		"GET /api/v1/invoices/{id}/payments": {
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), false)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), true)),
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(sitetest.RowID(invoicecases.Drafts+2))+"?limit=100"),
			sitetest.Looked(program, http.StatusNotFound, "/api/v1"+list(sitetest.Nobody)),
		},
		"GET /payments":        belowLists(person, "/payments"),
		"GET /api/v1/payments": append(belowLists(program, "/api/v1/payments"), sitetest.FoundExternally(program, of)...),
		"GET /payments/{id}": {
			sitetest.Looked(
				person,
				http.StatusSeeOther,
				"/payments/"+sitetest.RowID(7),
			), sitetest.Looked(person, http.StatusOK, "/invoices/"+most),
			sitetest.Looked(person, http.StatusOK, sitetest.At("/invoices/"+most, "", strconv.Itoa(sitetest.Many/2), false)),
			sitetest.Looked(person, http.StatusOK, sitetest.At("/invoices/"+most, "", strconv.Itoa(sitetest.Many/2), true)),
		},
		"GET /api/v1/payments/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1/payments/"+sitetest.RowID(7))},
		"GET /payments/{id}/remove": {
			sitetest.Looked(person, http.StatusOK, "/payments/"+sitetest.RowID(7)+"/remove?key=fresh"),
			sitetest.Looked(person, http.StatusConflict, "/payments/"+sitetest.RowID(1)+"/remove?key=first"),
			sitetest.Looked(person, http.StatusNotFound, "/payments/"+sitetest.Nobody+"/remove"),
		},
	}
}

// belowLists returns the requests of a list over all invoices: each filter, from its start, from the middle, and back.
func belowLists(c *sitetest.Client, path string) (all []sitetest.Request) {
	for _, filter := range []string{
		"", "q=2026-0044", "q=rare", "q=design", "q=design+customer", "q=rare+common", "q=none", "q=4", "q=1@example.com",
		"currency=EUR", "currency=JPY", "q=design&currency=EUR", "from=2026-01-02&to=2026-01-02", "from=2026-01-03", "to=2026-01-01",
		"q=design&from=2026-01-02",
	} {
		list := path + "?" + filter
		for _, address := range []string{
			list, list + "&limit=100", sitetest.At(list, "2026-01-02", sitetest.RowID(sitetest.Many/2), false), sitetest.At(list,
				"2026-01-02", sitetest.RowID(sitetest.Many/2), true),
		} {
			all = append(all, sitetest.Looked(c, http.StatusOK, address))
		}
	}
	return all
}
