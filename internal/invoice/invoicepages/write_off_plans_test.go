package invoicepages_test

import (
	"net/http"
	"net/url"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyWriteOff returns the requests of the routes of write-offs, for the invoice with the most write-offs.
func everyWriteOff(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.WriteOffs(), sitetest.RowID(invoicecases.Drafts+1)
	list := func(id string) string { return "/invoices/" + id + "/write-offs" }
	forms, api := everyCreation(b, program, person, of, list, most, func(string) url.Values { return of.Command }, map[string]extra{
		"too much": {http.StatusConflict, "", []string{"amount", "10000"}},
		"draft":    {http.StatusConflict, sitetest.RowID(11), nil},
		"invalid":  {http.StatusUnprocessableEntity, "", []string{"amount", "much"}},
	})
	forms = append(forms, sitetest.Request{What: "seen", Want: http.StatusConflict, Send: func() sitetest.Answer {
		return person.Submit(list(most), sitetest.Change(of.Command, "idempotency_key", "seen", "seen_open", "1.00"))
	}})
	one := "/write-offs/" + sitetest.RowID(7)
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/write-offs/new": {
			sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=fresh"),
			sitetest.Looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			sitetest.Looked(person, http.StatusConflict, list(sitetest.RowID(11))+"/new?key=fresh"),
			sitetest.Looked(person, http.StatusNotFound, list(sitetest.Nobody)+"/new"),
		},
		"POST /invoices/{id}/write-offs":        forms,
		"POST /api/v1/invoices/{id}/write-offs": api,
		"GET /api/v1/invoices/{id}/write-offs": {
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/2), false)),
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(sitetest.RowID(invoicecases.Drafts+2))+"?limit=100"),
			sitetest.Looked(program, http.StatusNotFound, "/api/v1"+list(sitetest.Nobody)),
		},
		"GET /write-offs/{id}":        {sitetest.Looked(person, http.StatusSeeOther, one)},
		"GET /api/v1/write-offs/{id}": {sitetest.Looked(program, http.StatusOK, "/api/v1"+one)},
		"GET /write-offs/{id}/reverse": {
			sitetest.Looked(person, http.StatusOK, one+"/reverse?key=fresh"),
			sitetest.Looked(person, http.StatusNotFound, "/write-offs/"+sitetest.Nobody+"/reverse"),
		},
	}
}
