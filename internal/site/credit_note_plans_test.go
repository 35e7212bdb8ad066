package site_test

import (
	"net/http"
	"net/url"
)

// everyRefund returns the requests of the routes of refunds, of the payment that has all of them.
func (b *bundle) everyRefund(program, person *client) map[string][]request {
	of, most := refunds(), rowID(1)
	list := func(id string) string { return "/payments/" + id + "/refunds" }
	forms, api := b.everyCreation(program, person, of, list, most, change(of.command, "amount", "90.00"))
	forms = append(forms, request{"seen", http.StatusConflict, func() answer {
		return person.submit(list(most), change(of.command, "idempotency_key", "seen", "seen_left", "1.00"))
	}})
	return map[string][]request{
		"GET /payments/{id}/refunds/new": {
			looked(person, http.StatusOK, list(most)+"/new?key=fresh"), looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			looked(person, http.StatusNotFound, list(nobody)+"/new"),
		},
		"POST /payments/{id}/refunds":        forms,
		"POST /api/v1/payments/{id}/refunds": api,
		"GET /api/v1/payments/{id}/refunds": {
			looked(program, http.StatusOK, "/api/v1"+list(most)),
			looked(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), false)),
			looked(program, http.StatusOK, "/api/v1"+list(rowID(2))+"?limit=100"),
			looked(program, http.StatusNotFound, "/api/v1"+list(nobody)),
		},
		"GET /refunds/{id}":        {looked(person, http.StatusSeeOther, "/refunds/"+rowID(7))},
		"GET /api/v1/refunds/{id}": {looked(program, http.StatusOK, "/api/v1/refunds/"+rowID(7))},
	}
}

// everyCreditNote returns the requests of the routes of credit notes, of the invoice that has most of them.
func (b *bundle) everyCreditNote(program, person *client) map[string][]request {
	of, most := creditNotes(), rowID(drafts+1)
	of.command, of.other = url.Values{"line_quantity": {"0.01"}}, url.Values{"line_quantity": {"0.02"}}
	list := func(id string) string { return "/invoices/" + id + "/credit-notes" }
	forms, api := b.everyCreation(program, person, of, list, most, url.Values{"line_quantity": {"2"}})
	forms = append(forms,
		request{"seen", http.StatusConflict, func() answer {
			return person.submit(list(most), change(of.command, "idempotency_key", "seen", "seen_open", "1.00"))
		}},
		request{"draft", http.StatusConflict, func() answer {
			return person.submit(list(rowID(11)), change(of.command, "idempotency_key", "draft"))
		}})
	api = append(api, request{"all", http.StatusCreated, func() answer {
		return program.with("Idempotency-Key", "all").post("/api/v1"+list(rowID(drafts+3)), `{}`)
	}})
	return map[string][]request{
		"GET /invoices/{id}/credit-notes/new": {
			looked(person, http.StatusOK, list(most)+"/new?key=fresh"), looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			looked(person, http.StatusConflict, list(rowID(11))+"/new?key=fresh"), looked(person, http.StatusNotFound, list(nobody)+"/new"),
		},
		"POST /invoices/{id}/credit-notes":        forms,
		"POST /api/v1/invoices/{id}/credit-notes": api,
		"GET /api/v1/invoices/{id}/credit-notes": {
			looked(program, http.StatusOK, "/api/v1"+list(most)),
			looked(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), false)),
			looked(program, http.StatusOK, "/api/v1"+list(rowID(drafts+2))+"?limit=100"),
			looked(program, http.StatusNotFound, "/api/v1"+list(nobody)),
		},
		"GET /credit-notes":             belowLists(person, "/credit-notes"),
		"GET /api/v1/credit-notes":      belowLists(program, "/api/v1/credit-notes"),
		"GET /credit-notes/{id}":        {looked(person, http.StatusOK, "/credit-notes/"+rowID(7))},
		"GET /api/v1/credit-notes/{id}": {looked(program, http.StatusOK, "/api/v1/credit-notes/"+rowID(7))},
	}
}

// looked is a GET.
func looked(c *client, want int, path string) request {
	return request{path, want, func() answer { return c.get(path) }}
}

// everyCreation returns the requests that create something that belongs to another record, as a form and in the API. Too
// much is a command that is beyond what is left.
func (b *bundle) everyCreation(
	program, person *client, of resource, list func(string) string, most string, tooMuch url.Values,
) (forms, api []request) {
	form := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer {
			return person.submit(list(id), change(command, "idempotency_key", key, "allow_repeat", "1"))
		}}
	}
	call := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer {
			return program.with("Idempotency-Key", key).post("/api/v1"+list(id), of.json(command))
		}}
	}
	wrong := change(of.command, of.fields[0].name, of.fields[0].invalid)
	all := func(send func(int, string, string, url.Values) request, made int, prefix string) []request {
		done := send(made, most, prefix, of.command)
		return []request{
			done, done, // replayed
			send(http.StatusUnprocessableEntity, most, prefix, of.other), // mismatch
			send(http.StatusConflict, most, prefix+" too much", tooMuch),
			send(http.StatusUnprocessableEntity, most, prefix+" invalid", wrong),
			send(http.StatusNotFound, nobody, prefix+" nobody", of.command),
			b.expiry(),
		}
	}
	forms = append(all(form, http.StatusSeeOther, of.name+" form"),
		form(http.StatusUnprocessableEntity, most, of.name+" form", of.command)) // late
	api = append(all(call, http.StatusCreated, of.name+" api"), call(http.StatusOK, most, of.name+" api", of.command))
	return forms, api
}
