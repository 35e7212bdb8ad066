package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// everyPayment returns the requests of the routes of payments, of the invoice that has most of them.
func (b *bundle) everyPayment(program, person *client) map[string][]request {
	of, most := payments(), rowID(drafts+1)
	under := payments()
	under.parent.id = most
	get := func(c *client, want int, path string) request {
		return request{path, want, func() answer { return c.get(path) }}
	}
	list := func(id string) string { return "/invoices/" + id + "/payments" }
	form := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer {
			return person.submit(list(id), change(command, "idempotency_key", key, "allow_repeat", "1"))
		}}
	}
	api := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer {
			return program.with("Idempotency-Key", key).post("/api/v1"+list(id), of.json(command))
		}}
	}
	all := func(send func(int, string, string, url.Values) request, made int, prefix string) []request {
		mine := change(of.command, "reference", prefix)
		done := send(made, most, prefix, mine)
		return []request{
			done, done, // replayed
			send(http.StatusUnprocessableEntity, most, prefix, of.other), // mismatch
			send(http.StatusConflict, most, prefix+" taken", change(mine, "reference", "TX 7")),
			send(http.StatusConflict, most, prefix+" too much", change(mine, "reference", "much", "amount", "10000")),
			send(http.StatusConflict, rowID(11), prefix+" draft", change(mine, "reference", "draft")),
			send(http.StatusUnprocessableEntity, most, prefix+" invalid", change(mine, "date", "never")),
			send(http.StatusNotFound, nobody, prefix+" nobody", mine),
			b.expiry(),
		}
	}
	forms := all(form, http.StatusSeeOther, "form payment")
	forms = append(forms, form(http.StatusUnprocessableEntity, most, "form payment", change(of.command, "reference", "form payment")),
		form(http.StatusConflict, most, "seen", change(of.command, "reference", "seen", "seen_open", "1.00")))
	return map[string][]request{
		"GET /invoices/{id}/payments/new": {
			get(person, http.StatusOK, list(most)+"/new?key=fresh"), get(person, http.StatusOK, list(most)+"/new?key=past+7"),
			get(person, http.StatusNotFound, list(nobody)+"/new"),
		},
		"POST /invoices/{id}/payments": forms,
		"POST /api/v1/invoices/{id}/payments": slices.Concat(all(api, http.StatusCreated, "api payment"),
			[]request{api(http.StatusOK, most, "api payment", change(of.command, "reference", "api payment"))},
			createdExternally(program, under, change(under.command, "reference", "external"))),
		"GET /api/v1/invoices/{id}/payments": {
			get(program, http.StatusOK, "/api/v1"+list(most)),
			get(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), false)),
			get(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), true)),
			get(program, http.StatusOK, "/api/v1"+list(rowID(drafts+2))+"?limit=100"),
			get(program, http.StatusNotFound, "/api/v1"+list(nobody)),
		},
		"GET /payments":        belowLists(person, "/payments"),
		"GET /api/v1/payments": append(belowLists(program, "/api/v1/payments"), foundExternally(program, of)...),
		"GET /payments/{id}": {
			get(person, http.StatusSeeOther, "/payments/"+rowID(7)), get(person, http.StatusOK, "/invoices/"+most),
			get(person, http.StatusOK, at("/invoices/"+most, "", strconv.Itoa(many/2), false)),
			get(person, http.StatusOK, at("/invoices/"+most, "", strconv.Itoa(many/2), true)),
		},
		"GET /api/v1/payments/{id}": {get(program, http.StatusOK, "/api/v1/payments/"+rowID(7))},
		"GET /payments/{id}/remove": {
			get(person, http.StatusOK, "/payments/"+rowID(7)+"/remove?key=fresh"),
			get(person, http.StatusConflict, "/payments/"+rowID(1)+"/remove?key=first"),
			get(person, http.StatusNotFound, "/payments/"+nobody+"/remove"),
		},
	}
}

// belowLists returns the requests of a list of what belongs to all invoices: each filter, from its start, from the middle, and back.
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
