package web_test

import (
	"net/http"
	"net/url"
	"strconv"
)

// everyChange gives the requests of the routes that change a record, each with one of its own.
func (b *bundle) everyChange(program, person *client) map[string][]request {
	c, i := customers(), invoices()
	invoice := func(id int) edits {
		number := "2026-" + strconv.Itoa(10000 + 2*id)[1:]
		mine := change(i.edited, "number", number, "customer_id", rowID(1))
		return edits{
			i, rowID(id), mine, change(mine, "notes", "Another"), change(mine, "number", "2026-0014"), change(mine, "due_date", "never"),
		}
	}
	customer := func(id int) edits {
		mine := change(c.edited, "email", strconv.Itoa(id)+"@example.com")
		return edits{
			c, rowID(id), mine, change(mine, "name", "Grace"), change(mine, "email", "7@EXAMPLE.com"),
			change(mine, "email", "7", "name", ""),
		}
	}
	addLine := change(i.command, "idempotency_key", "form", "action", "add_line", "version", "1")
	lines := func(want int, id string) request {
		return request{"another line", want, func() answer { return person.submit("/invoices/"+id+"/form", addLine) }}
	}
	routes := map[string][]request{
		"GET /customers/{id}/edit":   editForms(person, "/customers/", 11),
		"POST /customers/{id}/edit":  b.formEdits(person, customer(12)),
		"PUT /api/v1/customers/{id}": b.apiEdits(program, customer(13)),
		"GET /invoices/{id}/edit":    editForms(person, "/invoices/", 11),
		"POST /invoices/{id}/edit":   b.formEdits(person, invoice(12)),
		"PUT /api/v1/invoices/{id}":  b.apiEdits(program, invoice(13)),
		"POST /invoices/{id}/form":   {lines(http.StatusOK, rowID(11)), lines(http.StatusNotFound, nobody)},
	}
	for route, id := range map[string]int{
		"/customers/{id}/archive": 14, "/customers/{id}/restore": many + 14, "/invoices/{id}/issue": 14, "/invoices/{id}/void": 16,
	} {
		routes["POST "+route] = b.formTransitions(person, route, rowID(id))
		routes["POST /api/v1"+route] = b.apiTransitions(program, route, rowID(id+1))
	}
	// What was paid is not voided, and what is issued is issued no more when it is void.
	refused := func(verb string, id int) []request {
		return []request{
			{"refused form", http.StatusConflict, func() answer {
				return person.submit("/invoices/"+rowID(id)+"/"+verb, url.Values{"idempotency_key": {"refused"}})
			}},
			{"refused", http.StatusConflict, func() answer { return program.post("/api/v1/invoices/"+rowID(id)+"/"+verb, "") }},
		}
	}
	routes["POST /api/v1/invoices/{id}/void"] = append(routes["POST /api/v1/invoices/{id}/void"], refused("void", drafts+1)...)
	routes["POST /invoices/{id}/void"] = append(routes["POST /invoices/{id}/void"], refused("issue", 16)...)
	return routes
}

func editForms(person *client, path string, id int) []request {
	form := func(what string, want int, of, key string) request {
		return request{what, want, func() answer { return person.get(path + of + "/edit?key=" + key) }}
	}
	return []request{
		form("a form", http.StatusOK, rowID(id), "fresh"),
		form("a used form", http.StatusOK, rowID(id), "past+"+strconv.Itoa(id)),
		form("nobody's", http.StatusNotFound, nobody, "fresh"),
	}
}

// everySetting gives the requests of the routes of the settings, of which there is one record.
func (b *bundle) everySetting(program, person *client) map[string][]request {
	of := settings()
	get := func(c *client, path string) request {
		return request{path, http.StatusOK, func() answer { return c.get(path) }}
	}
	form := func(want int, key, version string, command url.Values) request {
		return request{key + " from version " + version, want, func() answer {
			return person.submit("/settings/edit", change(command, "idempotency_key", key, "version", version))
		}}
	}
	api := func(want int, key, tag string, command url.Values) request {
		return request{key + " from " + tag, want, func() answer {
			c := program.with("Idempotency-Key", key).with("If-Match", tag)
			return c.must(c.send(b.Context(), http.MethodPut, "/api/v1/settings", of.json(command)))
		}}
	}
	edit, put := form(http.StatusSeeOther, "settings form", "1", of.edited), api(http.StatusOK, "settings", `"v2"`, of.command)
	return map[string][]request{
		"GET /settings": {get(person, "/settings")}, "GET /api/v1/settings": {get(program, "/api/v1/settings")},
		"GET /settings/edit": {get(person, "/settings/edit?key=fresh")},
		"POST /settings/edit": {
			edit, edit, // replayed
			form(http.StatusUnprocessableEntity, "settings form", "2", of.other), // mismatch
			form(http.StatusConflict, "stale", "1", of.other),
			form(http.StatusConflict, "no version", "", of.other),
			form(http.StatusUnprocessableEntity, "invalid", "2", change(of.command, "country", "XX")),
			form(http.StatusSeeOther, "same", "2", of.edited), // unchanged
			b.expiry(), edit, get(person, "/settings/edit?key=settings+form"),
		},
		"PUT /api/v1/settings": { // behind the form
			put, put, // replayed
			api(http.StatusUnprocessableEntity, "settings", `"v3"`, of.other), // mismatch
			api(http.StatusPreconditionFailed, "stale", `"v1"`, of.other),
			api(http.StatusUnprocessableEntity, "invalid", `"v3"`, change(of.command, "country", "XX")),
			api(http.StatusOK, "api same", `"v3"`, of.command), // unchanged
			b.expiry(), put,
		},
	}
}

// edits are what is made of one record: a valid command, another one, one with a value that is taken, if one can be, and
// an invalid one.
type edits struct {
	thing

	id                          string
	mine, others, taken, broken url.Values
}

func (b *bundle) formEdits(person *client, of edits) []request {
	send := func(want int, id, key, version string, command url.Values) request {
		return request{key + " from version " + version, want, func() answer {
			return person.submit(of.path+"/"+id+"/edit", change(command, "idempotency_key", key, "version", version))
		}}
	}
	taken := http.StatusConflict
	if of.taken == nil { // nothing can be
		of.taken, taken = of.mine, http.StatusSeeOther
	}
	done := send(http.StatusSeeOther, of.id, "form edit", "1", of.mine)
	return []request{
		done, done, // replayed
		send(http.StatusUnprocessableEntity, of.id, "form edit", "2", of.others), // mismatch
		send(http.StatusConflict, of.id, "stale", "1", of.others),
		send(http.StatusConflict, of.id, "no version", "", of.others),
		send(taken, of.id, "taken", "2", of.taken),
		send(http.StatusUnprocessableEntity, of.id, "invalid", "2", of.broken),
		send(http.StatusSeeOther, of.id, "form same", "2", of.mine), // unchanged
		send(http.StatusNotFound, nobody, "nobody", "1", of.others),
		b.expiry(), done,
	}
}

func (b *bundle) apiEdits(program *client, of edits) []request {
	send := func(want int, id, key, tag string, command url.Values) request {
		return request{key + " from " + tag, want, func() answer {
			c := program
			if key != "" {
				c = c.with("Idempotency-Key", key)
			}
			if tag != "" {
				c = c.with("If-Match", tag)
			}
			return c.must(c.send(b.Context(), http.MethodPut, "/api/v1"+of.path+"/"+id, of.json(command)))
		}}
	}
	taken := http.StatusConflict
	if of.taken == nil {
		of.taken, taken = of.mine, http.StatusOK
	}
	done := send(http.StatusOK, of.id, "edit", `"v1"`, of.mine)
	return []request{
		done, done, // replayed
		send(http.StatusUnprocessableEntity, of.id, "edit", `"v2"`, of.others), // mismatch
		send(http.StatusPreconditionFailed, of.id, "stale", `"v1"`, of.others),
		send(http.StatusPreconditionRequired, of.id, "no version", "", of.others),
		send(taken, of.id, "taken", `"v2"`, of.taken),
		send(http.StatusUnprocessableEntity, of.id, "invalid", `"v2"`, of.broken),
		send(http.StatusOK, of.id, "same", `"v2"`, of.mine), // unchanged
		send(http.StatusOK, of.id, "", `"v2"`, of.others),
		send(http.StatusNotFound, nobody, "nobody", `"v1"`, of.others),
		b.expiry(), done,
	}
}

func (b *bundle) formTransitions(person *client, route, record string) []request {
	send := func(want int, id, key string) request {
		to := target{id: id}
		return request{key, want, func() answer { return person.submit(to.at(route), url.Values{"idempotency_key": {key}}) }}
	}
	done := send(http.StatusSeeOther, record, "form")
	return []request{
		done, done, // replayed
		send(http.StatusSeeOther, record, "form again"), // unchanged
		send(http.StatusNotFound, nobody, "nobody"),
		b.expiry(), done,
	}
}

func (b *bundle) apiTransitions(program *client, route, record string) []request {
	send := func(want int, id, key string) request {
		to := target{id: id}
		return request{key, want, func() answer {
			c := program
			if key != "" {
				c = c.with("Idempotency-Key", key)
			}
			return c.post("/api/v1"+to.at(route), "")
		}}
	}
	done := send(http.StatusOK, record, "api")
	return []request{
		done, done, // replayed
		send(http.StatusOK, record, "again"), // unchanged
		send(http.StatusOK, record, ""),
		send(http.StatusNotFound, nobody, "nobody"),
		b.expiry(), done,
	}
}

// everyPayment gives the requests of the routes of payments, of the invoice that has most of them.
func (b *bundle) everyPayment(program, person *client) map[string][]request {
	of, most := payments(), rowID(drafts+1)
	get := func(c *client, want int, path string) request {
		return request{path, want, func() answer { return c.get(path) }}
	}
	list := func(id string) string { return "/invoices/" + id + "/payments" }
	form := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer { return person.submit(list(id), change(command, "idempotency_key", key)) }}
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
		"POST /api/v1/invoices/{id}/payments": append(all(api, http.StatusCreated, "api payment"),
			api(http.StatusOK, most, "api payment", change(of.command, "reference", "api payment"))),
		"GET /api/v1/invoices/{id}/payments": {
			get(program, http.StatusOK, "/api/v1"+list(most)),
			get(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), false)),
			get(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/2), true)),
			get(program, http.StatusOK, "/api/v1"+list(rowID(drafts+2))+"?limit=100"),
			get(program, http.StatusNotFound, "/api/v1"+list(nobody)),
		},
		"GET /payments/{id}": {
			get(person, http.StatusSeeOther, "/payments/"+rowID(7)), get(person, http.StatusOK, "/invoices/"+most),
		},
		"GET /api/v1/payments/{id}": {get(program, http.StatusOK, "/api/v1/payments/"+rowID(7))},
	}
}

// everyMail gives the requests of the routes of mails, about the invoice that has most of them.
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
