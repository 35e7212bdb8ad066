package site_test

import (
	"cmp"
	"net/http"
	"net/url"
)

// everyRefund returns the requests of the routes of refunds, for the payment that has all refunds.
func (b *bundle) everyRefund(program, person *client) map[string][]request {
	of, most := refunds(), rowID(1)
	list := func(id string) string { return "/payments/" + id + "/refunds" }
	forms, api := b.everyCreation(program, person, of, list, most, func(string) url.Values { return of.command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"amount", "90.00"}},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"amount", "much"}},
	})
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

// everyCreditNote returns the requests of the routes of credit notes, for the invoice with the most credit notes.
func (b *bundle) everyCreditNote(program, person *client) map[string][]request {
	of, most := creditNotes(), rowID(drafts+1)
	of.command, of.other = url.Values{"line_quantity": {"0.01"}}, url.Values{"line_quantity": {"0.02"}}
	list := func(id string) string { return "/invoices/" + id + "/credit-notes" }
	forms, api := b.everyCreation(program, person, of, list, most, func(string) url.Values { return of.command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"line_quantity", "2"}},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"line_quantity", "none"}},
	})
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

// everyCreation returns the requests that create a record below another one, as a form and in the API. mine returns the command
// of a prefix; extras are refused commands, by the ends of their keys.
func (b *bundle) everyCreation(
	program, person *client, of resource, list func(string) string, most string,
	mine func(prefix string) url.Values, extras map[string]extra,
) (forms, api []request) {
	form := func(id, key string, command url.Values) answer {
		return person.submit(list(id), change(command, "idempotency_key", key, "allow_repeat", "1"))
	}
	call := func(id, key string, command url.Values) answer {
		return program.with("Idempotency-Key", key).post("/api/v1"+list(id), of.api.encode(command))
	}
	all := func(prefix string, made, late int, send func(id, key string, command url.Values) answer) (all []request) {
		ask := func(want int, id, key string, command url.Values) request {
			return request{key, want, func() answer { return send(id, key, command) }}
		}
		mine := mine(prefix)
		done := ask(made, most, prefix, mine)
		all = append(all, done, done, ask(http.StatusUnprocessableEntity, most, prefix, of.other)) // replayed, mismatch
		for what, e := range extras {
			key := prefix + " " + what
			all = append(all, ask(e.want, cmp.Or(e.id, most), key, change(change(mine, "reference", key), e.changes...)))
		}
		return append(all, ask(http.StatusNotFound, nobody, prefix+" nobody", mine), b.expiry(), ask(late, most, prefix, mine))
	}
	return all(of.name+" form", http.StatusSeeOther, http.StatusUnprocessableEntity, form),
		all(of.name+" api", http.StatusCreated, http.StatusOK, call)
}

// extra is a refused command: for the record most unless id is set, and equal to mine except for changes.
type extra struct {
	want    int
	id      string
	changes []string
}
