package invoicepages_test

import (
	"net/http"
	"net/url"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyMail returns the requests of the routes of mails, for the invoice with the most mails.
func everyMail(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.Mails(), sitetest.RowID(invoicecases.Drafts+1)
	address := func(id string) string { return "/invoices/" + id + "/send" }
	forms, api := everyCreation(b, program, person, of, address, most, func(string) url.Values { return of.Command }, map[string]extra{
		"draft":   {http.StatusConflict, sitetest.RowID(11), nil},
		"invalid": {http.StatusUnprocessableEntity, "", []string{"recipient", "nobody"}},
	})
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/send/new": {
			sitetest.Looked(
				person,
				http.StatusOK,
				address(most)+"/new?key=fresh",
			), sitetest.Looked(person, http.StatusOK, address(most)+"/new?key=past+7"),
			sitetest.Looked(person, http.StatusNotFound, address(sitetest.Nobody)+"/new"),
		},
		"POST /invoices/{id}/send":        forms,
		"POST /api/v1/invoices/{id}/send": api,
		"GET /outbox": {
			sitetest.Looked(
				person,
				http.StatusOK,
				"/outbox",
			), sitetest.Looked(person, http.StatusOK, sitetest.At("/outbox", "", sitetest.RowID(sitetest.Many/2), false)),
		},
		"GET /api/v1/outbox":      {sitetest.Looked(program, http.StatusOK, "/api/v1/outbox?limit=100")},
		"GET /outbox/{id}":        {sitetest.Looked(person, http.StatusOK, "/outbox/"+sitetest.RowID(7))},
		"GET /api/v1/outbox/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1/outbox/"+sitetest.RowID(7))},
	}
}
