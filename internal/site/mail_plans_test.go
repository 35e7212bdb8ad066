package site_test

import (
	"net/http"
	"net/url"
)

// everyMail returns the requests of the routes of mails, for the invoice with the most mails.
func (b *bundle) everyMail(program, person *client) map[string][]request {
	of, most := mails(), rowID(drafts+1)
	address := func(id string) string { return "/invoices/" + id + "/send" }
	forms, api := b.everyCreation(program, person, of, address, most, func(string) url.Values { return of.command }, map[string]extra{
		"draft":   {http.StatusConflict, rowID(11), nil},
		"invalid": {http.StatusUnprocessableEntity, "", []string{"recipient", "nobody"}},
	})
	return map[string][]request{
		"GET /invoices/{id}/send/new": {
			looked(person, http.StatusOK, address(most)+"/new?key=fresh"), looked(person, http.StatusOK, address(most)+"/new?key=past+7"),
			looked(person, http.StatusNotFound, address(nobody)+"/new"),
		},
		"POST /invoices/{id}/send":        forms,
		"POST /api/v1/invoices/{id}/send": api,
		"GET /outbox": {
			looked(person, http.StatusOK, "/outbox"), looked(person, http.StatusOK, at("/outbox", "", rowID(many/2), false)),
		},
		"GET /api/v1/outbox":      {looked(program, http.StatusOK, "/api/v1/outbox?limit=100")},
		"GET /outbox/{id}":        {looked(person, http.StatusOK, "/outbox/"+rowID(7))},
		"GET /api/v1/outbox/{id}": {looked(program, http.StatusOK, "/api/v1/outbox/"+rowID(7))},
	}
}
