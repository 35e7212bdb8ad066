package invoicepages_test

import (
	"cmp"
	"maps"
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
	forms = append(forms, refusedForm(person, list(most), of.Command, "seen", "reference", "seen", "seen_open", "1.00"))
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/payments/new": newForms(person, list, most),
		"POST /invoices/{id}/payments":    forms,
		"POST /api/v1/invoices/{id}/payments": append(api,
			sitetest.CreatedExternally(program, under, sitetest.Change(under.Command, "reference", "external"))...),
		"GET /api/v1/invoices/{id}/payments": append(listedBelow(program, list, most, sitetest.RowID(invoicecases.Drafts+2)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), true))),
		"GET /payments":            belowLists(person, "/payments"),
		"GET /api/v1/payments":     append(belowLists(program, "/api/v1/payments"), sitetest.FoundExternally(program, of)...),
		"GET /payments/csv":        sitetest.Gets(person, "/payments/csv?q=TX+7"),
		"GET /api/v1/payments/csv": sitetest.Gets(program, "/api/v1/payments/csv?q=TX+7"),
		"GET /payments/{id}": {
			sitetest.Looked(person, http.StatusSeeOther, "/payments/"+sitetest.RowID(7)),
			sitetest.Looked(person, http.StatusOK, "/invoices/"+most),
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
		"q=design&from=2026-01-02", "q=TX+7", "q=rx", "q=RX+7", "q=CN-1-7", "q=goods", "q=damaged+good", "q=0.01", "q=0.02+design", "q=1",
		"q=Bank+TX+7", "q=bank+rx", "q=bank",
		"customer_id=" + sitetest.RowID(1),
		"q=design&customer_id=" + sitetest.RowID(1) + "&currency=EUR",
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

// everyRefund returns the requests of the routes of refunds, for the payment that has all refunds.
func everyRefund(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.Refunds(), sitetest.RowID(1)
	list := func(id string) string { return "/payments/" + id + "/refunds" }
	forms, api := everyCreation(b, program, person, of, list, most, func(string) url.Values { return of.Command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"amount", "90.00"}},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"amount", "much"}},
	})
	forms = append(forms, refusedForm(person, list(most), of.Command, "seen", "seen_left", "1.00"))
	return map[string][]sitetest.Request{
		"GET /payments/{id}/refunds/new":     newForms(person, list, most),
		"POST /payments/{id}/refunds":        forms,
		"POST /api/v1/payments/{id}/refunds": api,
		"GET /api/v1/payments/{id}/refunds":  listedBelow(program, list, most, sitetest.RowID(2)),
		"GET /refunds/{id}":                  {sitetest.Looked(person, http.StatusSeeOther, "/refunds/"+sitetest.RowID(7))},
		"GET /api/v1/refunds/{id}":           {sitetest.Looked(program, http.StatusOK, "/api/v1/refunds/"+sitetest.RowID(7))},
		"GET /refunds/{id}/remove": {
			sitetest.Looked(person, http.StatusOK, "/refunds/"+sitetest.RowID(7)+"/remove?key=fresh"),
			sitetest.Looked(person, http.StatusNotFound, "/refunds/"+sitetest.Nobody+"/remove"),
		},
	}
}

// everyCreditNote returns the requests of the routes of credit notes, for the invoice with the most credit notes.
func everyCreditNote(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.CreditNotes(), sitetest.RowID(invoicecases.Drafts+1)
	of.Command, of.Other = url.Values{"line_quantity": {"0.01"}}, url.Values{"line_quantity": {"0.02"}}
	list := func(id string) string { return "/invoices/" + id + "/credit-notes" }
	forms, api := everyCreation(b, program, person, of, list, most, func(string) url.Values { return of.Command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"line_quantity", "2"}},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"line_quantity", "none"}},
	})
	forms = append(forms, refusedForm(person, list(most), of.Command, "seen", "seen_open", "1.00"),
		refusedForm(person, list(sitetest.RowID(11)), of.Command, "draft"))
	api = append(api, sitetest.Request{What: "all", Want: http.StatusCreated, Send: func() sitetest.Answer {
		return program.With("Idempotency-Key", "all").Post("/api/v1"+list(sitetest.RowID(invoicecases.Drafts+3)), `{}`)
	}})
	api = append(api, sitetest.Request{What: "amount", Want: http.StatusCreated, Send: func() sitetest.Answer {
		return program.With("Idempotency-Key", "amount").Post("/api/v1"+list(most), `{"amount": "0.01"}`)
	}})
	preview := func(path string) sitetest.Request {
		return sitetest.Request{What: "preview", Want: http.StatusOK, Send: func() sitetest.Answer {
			return person.Submit(path, sitetest.Change(of.Command, "action", "preview", "idempotency_key", "preview"))
		}}
	}
	return map[string][]sitetest.Request{
		"POST /invoices/{id}/credit-notes/form": {preview(list(most) + "/form")},
		"POST /credit-notes/{id}/form":          {preview("/credit-notes/" + sitetest.RowID(7) + "/form")},
		"GET /invoices/{id}/credit-notes/new": append(newForms(person, list, most),
			sitetest.Looked(person, http.StatusConflict, list(sitetest.RowID(11))+"/new?key=fresh")),
		"POST /invoices/{id}/credit-notes":        forms,
		"POST /api/v1/invoices/{id}/credit-notes": api,
		"GET /api/v1/invoices/{id}/credit-notes":  listedBelow(program, list, most, sitetest.RowID(invoicecases.Drafts+2)),
		"GET /credit-notes":                       belowLists(person, "/credit-notes"),
		"GET /api/v1/credit-notes":                belowLists(program, "/api/v1/credit-notes"),
		"GET /credit-notes/csv":                   sitetest.Gets(person, "/credit-notes/csv?q=CN-1-7"),
		"GET /api/v1/credit-notes/csv":            sitetest.Gets(program, "/api/v1/credit-notes/csv?q=CN-1-7"),
		"GET /credit-notes/{id}":                  {sitetest.Looked(person, http.StatusOK, "/credit-notes/"+sitetest.RowID(7))},
		"GET /api/v1/credit-notes/{id}":           {sitetest.Looked(program, http.StatusOK, "/api/v1/credit-notes/"+sitetest.RowID(7))},
	}
}

// everyReversal returns the requests of the routes of reversals, for notes of the invoice with the most credit notes.
func everyReversal(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, one, another := invoicecases.CreditReversals(), sitetest.RowID(5), sitetest.RowID(6)
	list := func(id string) string { return "/credit-notes/" + id + "/reversals" }
	mine := func(string) url.Values { return of.Command }
	extras := map[string]extra{
		"again":   {http.StatusConflict, "", nil},
		"early":   {http.StatusUnprocessableEntity, sitetest.RowID(8), []string{"date", "2025-12-31"}},
		"invalid": {http.StatusUnprocessableEntity, "", []string{"date", "never"}},
	}
	forms, _ := everyCreation(b, program, person, of, list, one, mine, extras)
	_, api := everyCreation(b, program, person, of, list, another, mine, extras)
	return map[string][]sitetest.Request{
		"GET /credit-notes/{id}/reversals/new":     newForms(person, list, sitetest.RowID(7)),
		"POST /credit-notes/{id}/reversals":        forms,
		"POST /api/v1/credit-notes/{id}/reversals": api,
		"GET /reversals/{id}":                      {sitetest.Looked(person, http.StatusSeeOther, "/reversals/"+sitetest.RowID(7))},
		"GET /api/v1/reversals/{id}":               {sitetest.Looked(program, http.StatusOK, "/api/v1/reversals/"+sitetest.RowID(7))},
	}
}

// newForms returns the requests of the form that creates a record below another one: a new one, one that was sent, and one below nothing.
func newForms(person *sitetest.Client, list func(string) string, most string) []sitetest.Request {
	return []sitetest.Request{
		sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=fresh"),
		sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
		sitetest.Looked(person, http.StatusNotFound, list(sitetest.Nobody)+"/new"),
	}
}

// listedBelow returns the requests of the list below the record with the most, below another one, and below nothing.
func listedBelow(program *sitetest.Client, list func(string) string, most, other string) []sitetest.Request {
	return []sitetest.Request{
		sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)),
		sitetest.Looked(program, http.StatusOK, sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), false)),
		sitetest.Looked(program, http.StatusOK, "/api/v1"+list(other)+"?limit=100"),
		sitetest.Looked(program, http.StatusNotFound, "/api/v1"+list(sitetest.Nobody)),
	}
}

// refusedForm returns the request of a form that is refused with a conflict.
func refusedForm(person *sitetest.Client, path string, command url.Values, key string, changes ...string) sitetest.Request {
	return sitetest.Request{What: key, Want: http.StatusConflict, Send: func() sitetest.Answer {
		return person.Submit(path, sitetest.Change(sitetest.Change(command, changes...), "idempotency_key", key))
	}}
}

// everyCreation returns the requests that create a record below another one, as a form and in the API. mine returns the command
// of a prefix; extras are refused commands, by the ends of their keys.
func everyCreation(b *sitetest.Bundle,
	program, person *sitetest.Client, of sitetest.Resource, list func(string) string, most string,
	mine func(prefix string) url.Values, extras map[string]extra,
) (forms, api []sitetest.Request) {
	form := func(id, key string, command url.Values) sitetest.Answer {
		return person.Submit(list(id), sitetest.Change(command, "idempotency_key", key, "allow_repeat", "1"))
	}
	call := func(id, key string, command url.Values) sitetest.Answer {
		return program.With("Idempotency-Key", key).Post("/api/v1"+list(id), of.API.Encode(command))
	}
	all := func(prefix string, made, late int, send func(id, key string, command url.Values) sitetest.Answer) (all []sitetest.Request) {
		ask := func(want int, id, key string, command url.Values) sitetest.Request {
			return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer { return send(id, key, command) }}
		}
		mine := mine(prefix)
		done := ask(made, most, prefix, mine)
		all = append(all, done, done, ask(http.StatusUnprocessableEntity, most, prefix, of.Other)) // replayed, mismatch
		for what, e := range extras {
			key := prefix + " " + what
			all = append(all, ask(e.want, cmp.Or(e.id, most), key, sitetest.Change(sitetest.Change(mine, "reference", key), e.changes...)))
		}
		return append(all, ask(http.StatusNotFound, sitetest.Nobody, prefix+" nobody", mine), b.Expiry(), ask(late, most, prefix, mine))
	}
	return all(of.Name+" form", http.StatusSeeOther, http.StatusUnprocessableEntity, form),
		all(of.Name+" api", http.StatusCreated, http.StatusOK, call)
}

// extra is a refused command: for the record most unless id is set, and equal to mine except for changes.
type extra struct {
	want    int
	id      string
	changes []string
}

// everyWriteOff returns the requests of the routes of write-offs, for the invoice with the most write-offs.
func everyWriteOff(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.WriteOffs(), sitetest.RowID(invoicecases.Drafts+1)
	list := func(id string) string { return "/invoices/" + id + "/write-offs" }
	forms, api := everyCreation(b, program, person, of, list, most, func(string) url.Values { return of.Command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"amount", "10000"}},
		"draft":    {http.StatusConflict, sitetest.RowID(11), nil},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"amount", "much"}},
	})
	forms = append(forms, refusedForm(person, list(most), of.Command, "seen", "seen_open", "1.00"))
	one := "/write-offs/" + sitetest.RowID(7)
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/write-offs/new": append(newForms(person, list, most),
			sitetest.Looked(person, http.StatusConflict, list(sitetest.RowID(11))+"/new?key=fresh")),
		"POST /invoices/{id}/write-offs":        forms,
		"POST /api/v1/invoices/{id}/write-offs": api,
		"GET /api/v1/invoices/{id}/write-offs":  listedBelow(program, list, most, sitetest.RowID(invoicecases.Drafts+2)),
		"GET /write-offs/{id}":                  {sitetest.Looked(person, http.StatusSeeOther, one)},
		"GET /api/v1/write-offs/{id}":           {sitetest.Looked(program, http.StatusOK, "/api/v1"+one)},
		"GET /write-offs/{id}/reverse": {
			sitetest.Looked(person, http.StatusOK, one+"/reverse?key=fresh"),
			sitetest.Looked(person, http.StatusNotFound, "/write-offs/"+sitetest.Nobody+"/reverse"),
		},
	}
}

// everyMail returns the requests of the routes of mails, for the invoice with the most mails.
func everyMail(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.Mails(), sitetest.RowID(invoicecases.Drafts+1)
	address := func(id string) string { return "/invoices/" + id + "/send" }
	forms, api := everyCreation(b, program, person, of, address, most, func(string) url.Values { return of.Command }, map[string]extra{
		"draft":   {http.StatusConflict, sitetest.RowID(11), nil},
		"invalid": {http.StatusUnprocessableEntity, "", []string{"recipient", "nobody"}},
		"again":   {http.StatusConflict, "", []string{"failed_id", sitetest.RowID(7)}},
	})
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/send/new":     newForms(person, address, most),
		"POST /invoices/{id}/send":        forms,
		"POST /api/v1/invoices/{id}/send": api,
		"GET /outbox": {
			sitetest.Looked(person, http.StatusOK, "/outbox"),
			sitetest.Looked(person, http.StatusOK, sitetest.At("/outbox", "", sitetest.RowID(sitetest.Many/2), false)),
		},
		"GET /api/v1/outbox":      {sitetest.Looked(program, http.StatusOK, "/api/v1/outbox?limit=100")},
		"GET /outbox/{id}":        {sitetest.Looked(person, http.StatusOK, "/outbox/"+sitetest.RowID(7))},
		"GET /api/v1/outbox/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1/outbox/"+sitetest.RowID(7))},
	}
}

// everyMailText returns the requests of the routes of the texts of emails, which are a single record.
func everyMailText(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of := invoicecases.MailTexts()
	mine := sitetest.Edits{
		Resource: of, Mine: of.Edited.Command, Others: of.Other, Broken: sitetest.Change(of.Command, "void_text", "{"),
	}
	byAPI := mine
	byAPI.Mine = of.Command
	routes := sitetest.EveryEvent(program, person, "/email-texts/events", "/email-texts/events")
	maps.Copy(routes, map[string][]sitetest.Request{
		"GET /email-texts":        sitetest.Gets(person, "/email-texts"),
		"GET /api/v1/email-texts": sitetest.Gets(program, "/api/v1/email-texts"),
		"GET /email-texts/edit":   sitetest.Gets(person, "/email-texts/edit?key=fresh"),
		"POST /email-texts/edit":  b.FormEdits(person, mine),
		"PUT /api/v1/email-texts": append(b.APIEdits(program, byAPI, 1), sitetest.Asking(person, "/email-texts/edit?key=form+edit")),
	})
	return routes
}
