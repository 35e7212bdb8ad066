package site_test

import (
	"net/http"
	"net/url"
)

// everyMail returns the requests of the routes of mails, about the invoice that has most of them.
func (b *bundle) everyMail(program, person *client) map[string][]request {
	of, most := mails(), rowID(drafts+1)
	get := func(c *client, want int, path string) request {
		return request{path, want, func() answer { return c.get(path) }}
	}
	address := func(id string) string { return "/invoices/" + id + "/send" }
	all := func(send func(int, string, string, url.Values) request, made int, prefix string) []request {
		done := send(made, most, prefix, of.command)
		return []request{
			done, done, // replayed
			send(http.StatusUnprocessableEntity, most, prefix, of.other), // mismatch
			send(http.StatusConflict, rowID(11), prefix+" draft", of.command),
			send(http.StatusUnprocessableEntity, most, prefix+" invalid", change(of.command, "recipient", "nobody")),
			send(http.StatusNotFound, nobody, prefix+" nobody", of.command),
			b.expiry(),
		}
	}
	form := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer { return person.submit(address(id), change(command, "idempotency_key", key)) }}
	}
	api := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer {
			return program.with("Idempotency-Key", key).post("/api/v1"+address(id), of.json(command))
		}}
	}
	return map[string][]request{
		"GET /invoices/{id}/send/new": {
			get(person, http.StatusOK, address(most)+"/new?key=fresh"), get(person, http.StatusOK, address(most)+"/new?key=past+7"),
			get(person, http.StatusNotFound, address(nobody)+"/new"),
		},
		"POST /invoices/{id}/send": append(all(form, http.StatusSeeOther, "form mail"),
			form(http.StatusUnprocessableEntity, most, "form mail", of.command)),
		"POST /api/v1/invoices/{id}/send": append(all(api, http.StatusCreated, "api mail"),
			api(http.StatusOK, most, "api mail", of.command)),
		"GET /outbox": {
			get(person, http.StatusOK, "/outbox"), get(person, http.StatusOK, at("/outbox", "", rowID(many/2), false)),
		},
		"GET /api/v1/outbox":      {get(program, http.StatusOK, "/api/v1/outbox?limit=100")},
		"GET /outbox/{id}":        {get(person, http.StatusOK, "/outbox/"+rowID(7))},
		"GET /api/v1/outbox/{id}": {get(program, http.StatusOK, "/api/v1/outbox/"+rowID(7))},
	}
}
