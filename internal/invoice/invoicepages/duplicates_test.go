package invoicepages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyDuplicateInvoice returns the requests of the routes of duplicate invoices, and of their distinctions.
func everyDuplicateInvoice(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	routes := b.EveryPair(program, person, invoicecases.InvoiceDistinctions(), func(n int) url.Values {
		return url.Values{"invoices": {sitetest.RowID(n) + " " + sitetest.RowID(n+2)}}
	})
	for prefix, caller := range map[string]*sitetest.Client{"": person, "/api/v1": program} {
		groups, from := prefix+"/duplicate-invoices", sitetest.RowID(1)+" 2026-03-01 "+sitetest.RowID(900)
		found := sitetest.Request{What: "groups", Want: http.StatusOK, Send: func() sitetest.Answer {
			a := caller.Get(groups)
			assert.Thatf(b, strings.Contains(a.Body, sitetest.RowID(sitetest.Many-200)), "the two that are alike are not found: %v", a)
			return a
		}}
		routes["GET "+groups] = []sitetest.Request{found, sitetest.Asking(caller, sitetest.At(groups+"?limit=1", from, from, false))}
	}
	return routes
}

// TestInvoiceSaysWhichScheduleBilledIt with a link to the schedule.
func TestInvoiceSaysWhichScheduleBilledIt(t *testing.T) {
	b := sitetest.Setup(t)
	period := b.Prepared(b.Acme, "period", invoicecases.Periods(), invoicecases.Periods().Command)
	of := sitetest.Get[string](b, `SELECT schedule_id::text FROM schedule_periods`)
	b.Page(b.Person(b.Replica, b.Acme).Get("/invoices/" + period.ID)).
		Says("Billed by the schedule Grace Hopper, every month for the period of").LeadsTo("/schedules/" + of)
}
