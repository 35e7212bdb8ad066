package invoicepages_test

import (
	"maps"
	"net/http"
	"net/url"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyReceipt returns the requests of the routes of receipts, for the one with the most payments and repayments.
func everyReceipt(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, payer, most := invoicecases.Receipts(), sitetest.RowID(1), "/receipts/"+sitetest.RowID(1)
	command := func(reference, amount string) url.Values {
		return sitetest.Change(of.Command, "customer_id", payer, "reference", reference,
			"allocation_invoice_id", sitetest.RowID(invoicecases.Drafts+2), "allocation_amount", amount)
	}
	post := func(want int, key string, form url.Values) sitetest.Request {
		return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer {
			return person.Submit("/receipts", sitetest.Change(form, "idempotency_key", key, "allow_repeat", "1"))
		}}
	}
	call := func(want int, key string, form url.Values) sitetest.Request {
		return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer {
			return program.With("Idempotency-Key", key).Post("/api/v1/receipts", of.API.Encode(form))
		}}
	}
	again := func(path string) sitetest.Request {
		return sitetest.Request{What: "fill in", Want: http.StatusOK, Send: func() sitetest.Answer {
			return person.Submit(path, sitetest.Change(command("", "1"), "action", "fill", "idempotency_key", "fill"))
		}}
	}
	routes := sitetest.EveryEvent(program, person, "/receipts/{id}/events", most+"/events")
	maps.Copy(routes, map[string][]sitetest.Request{
		"GET /receipts":        belowLists(person, "/receipts"),
		"GET /api/v1/receipts": belowLists(program, "/api/v1/receipts"),
		"GET /receipts/new":    {sitetest.Looked(person, http.StatusOK, "/receipts/new?key=fresh&amount=100&customer_id="+payer)},
		"POST /receipts": {
			post(http.StatusSeeOther, "receipt form", command("R form", "1")),
			post(http.StatusSeeOther, "receipt form", command("R form", "1")),
			post(http.StatusConflict, "receipt taken", command("RX 7", "1")),
			post(http.StatusConflict, "receipt paid", command("TX 7", "1")),
			post(http.StatusConflict, "receipt too much", sitetest.Change(command("R much", "9000"), "amount", "9000")),
			post(http.StatusUnprocessableEntity, "receipt invalid", command("R invalid", "much")),
		},
		"POST /api/v1/receipts": {
			call(http.StatusCreated, "receipt api", command("R api", "1")), call(http.StatusCreated, "receipt api", command("R api", "1")),
		},
		"POST /receipts/form":      {again("/receipts/form")},
		"POST /receipts/{id}/form": {again(most + "/form")},
		"GET /receipts/choices/customer_id": sitetest.Gets(person,
			"/receipts/choices/customer_id", "/receipts/choices/customer_id?q=customer", "/receipts/choices/customer_id?id="+payer),
		"GET /receipts/csv":        sitetest.Gets(person, "/receipts/csv?q=RX", "/receipts/csv?customer_id="+payer),
		"GET /api/v1/receipts/csv": sitetest.Gets(program, "/api/v1/receipts/csv?q=RX+7"),
		"GET /receipts/{id}": {
			sitetest.Looked(person, http.StatusOK, most),
			sitetest.Looked(person, http.StatusOK, sitetest.At(most, "", sitetest.RowID(4*sitetest.Many+sitetest.Many/2), false)),
		},
		"GET /api/v1/receipts/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1"+most)},
		"GET /receipts/{id}/remove": {
			sitetest.Looked(person, http.StatusConflict, most+"/remove?key=first"),
			sitetest.Looked(person, http.StatusNotFound, "/receipts/"+sitetest.Nobody+"/remove"),
		},
	})
	return routes
}

// everyUseOfCredit returns the requests of the routes of allocations and repayments.
func everyUseOfCredit(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	routes, credit, most := map[string][]sitetest.Request{}, sitetest.RowID(2), sitetest.RowID(1)
	for of, command := range map[*sitetest.Resource]url.Values{
		new(invoicecases.Allocations()): sitetest.Change(invoicecases.Allocations().Command,
			"invoice_id", sitetest.RowID(invoicecases.Drafts+2)),
		new(invoicecases.Repayments()): invoicecases.Repayments().Command,
	} {
		of.Other = sitetest.Change(command, "amount", "2.00")
		list := func(id string) string { return "/receipts/" + id + of.Path }
		forms, api := everyCreation(b, program, person, *of, list, credit, func(string) url.Values { return command }, map[string]extra{
			"too much": {http.StatusConflict, most, nil},
			"invalid":  {http.StatusUnprocessableEntity, "", []string{"amount", "much"}},
		})
		one := of.Path + "/" + sitetest.RowID(4*sitetest.Many+7)
		if of.Name == "repayment" {
			one = of.Path + "/" + sitetest.RowID(7)
		}
		maps.Copy(routes, map[string][]sitetest.Request{
			"GET /receipts/{id}" + of.Path + "/new": append(newForms(person, list, credit),
				sitetest.Looked(person, http.StatusConflict, list(most)+"/new?key=fresh")),
			"POST /receipts/{id}" + of.Path:        forms,
			"POST /api/v1/receipts/{id}" + of.Path: api,
			"GET /api/v1/receipts/{id}" + of.Path:  listedBelow(program, list, most, credit),
			"GET " + of.Path + "/{id}":             {sitetest.Looked(person, http.StatusSeeOther, one)},
			"GET /api/v1" + of.Path + "/{id}":      {sitetest.Looked(program, http.StatusOK, "/api/v1"+one)},
		})
	}
	routes["GET /repayments/{id}/remove"] = []sitetest.Request{
		sitetest.Looked(person, http.StatusOK, "/repayments/"+sitetest.RowID(7)+"/remove?key=fresh"),
		sitetest.Looked(person, http.StatusNotFound, "/repayments/"+sitetest.Nobody+"/remove"),
	}
	return routes
}
