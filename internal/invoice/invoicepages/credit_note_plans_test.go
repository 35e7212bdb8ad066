package invoicepages_test

import (
	"cmp"
	"net/http"
	"net/url"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyRefund returns the requests of the routes of refunds, for the payment that has all refunds.
func everyRefund(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.Refunds(), sitetest.RowID(1)
	list := func(id string) string { return "/payments/" + id + "/refunds" }
	forms, api := everyCreation(b, program, person, of, list, most, func(string) url.Values { return of.Command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"amount", "90.00"}},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"amount", "much"}},
	})
	forms = append(forms, sitetest.Request{What: "seen", Want: http.StatusConflict, Send: func() sitetest.Answer {
		return person.Submit(list(most), sitetest.Change(of.Command, "idempotency_key", "seen", "seen_left", "1.00"))
	}})
	return map[string][]sitetest.Request{
		"GET /payments/{id}/refunds/new": {
			sitetest.Looked(
				person,
				http.StatusOK,
				list(most)+"/new?key=fresh",
			), sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			sitetest.Looked(person, http.StatusNotFound, list(sitetest.Nobody)+"/new"),
		},
		"POST /payments/{id}/refunds":        forms,
		"POST /api/v1/payments/{id}/refunds": api,
		"GET /api/v1/payments/{id}/refunds": {
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), false)),
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(sitetest.RowID(2))+"?limit=100"),
			sitetest.Looked(program, http.StatusNotFound, "/api/v1"+list(sitetest.Nobody)),
		},
		"GET /refunds/{id}":        {sitetest.Looked(person, http.StatusSeeOther, "/refunds/"+sitetest.RowID(7))},
		"GET /api/v1/refunds/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1/refunds/"+sitetest.RowID(7))},
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
	forms = append(forms,
		sitetest.Request{What: "seen", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit(list(most), sitetest.Change(of.Command, "idempotency_key", "seen", "seen_open", "1.00"))
		}},
		sitetest.Request{What: "draft", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit(list(sitetest.RowID(11)), sitetest.Change(of.Command, "idempotency_key", "draft"))
		}})
	api = append(api, sitetest.Request{What: "all", Want: http.StatusCreated, Send: func() sitetest.Answer {
		return program.With("Idempotency-Key", "all").Post("/api/v1"+list(sitetest.RowID(invoicecases.Drafts+3)), `{}`)
	}})
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/credit-notes/new": {
			sitetest.Looked(
				person,
				http.StatusOK,
				list(most)+"/new?key=fresh",
			), sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			sitetest.Looked(
				person,
				http.StatusConflict,
				list(sitetest.RowID(11))+"/new?key=fresh",
			), sitetest.Looked(person, http.StatusNotFound, list(sitetest.Nobody)+"/new"),
		},
		"POST /invoices/{id}/credit-notes":        forms,
		"POST /api/v1/invoices/{id}/credit-notes": api,
		"GET /api/v1/invoices/{id}/credit-notes": {
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), false)),
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(sitetest.RowID(invoicecases.Drafts+2))+"?limit=100"),
			sitetest.Looked(program, http.StatusNotFound, "/api/v1"+list(sitetest.Nobody)),
		},
		"GET /credit-notes":             belowLists(person, "/credit-notes"),
		"GET /api/v1/credit-notes":      belowLists(program, "/api/v1/credit-notes"),
		"GET /credit-notes/{id}":        {sitetest.Looked(person, http.StatusOK, "/credit-notes/"+sitetest.RowID(7))},
		"GET /api/v1/credit-notes/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1/credit-notes/"+sitetest.RowID(7))},
	}
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
