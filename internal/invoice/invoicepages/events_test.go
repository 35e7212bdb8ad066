package invoicepages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestEventsOfOthers: the history of an invoice has the events of operations on other records, in order and over many pages.
func TestEventsOfOthers(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	made := b.Prepared(b.Acme, "key", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue")
	path := "/api/v1/invoices/" + made.ID
	var want []string
	for i := range 12 {
		of := invoicecases.Mails()
		of.Parent.ID = made.ID
		api.Create(of, fmt.Sprint("key ", i), of.Command).Want(t, http.StatusCreated)
		want = append(want, "mail.send email queued")
	}
	want = append(want, "invoice.issue email queued", `invoice.issue changed issued_at … open ["0.00","135.77"] status ["draft","issued"]`,
		"invoice.create created under key")
	for _, limit := range []int{4, 25} {
		got := b.Events(api, path, limit)
		must.Holdf(t, slices.Equal(got, want), "in pages of %d:\n%s", limit, strings.Join(got, "\n"))
	}

	page := strings.TrimPrefix(path, "/api/v1")
	if entries := b.History(person, path); len(entries) != 10 || entries[9] != "Email queued" {
		t.Errorf("the page shows %q", entries)
	}
	b.Page(person.Get(page)).LeadsTo(page + "/events")
	if entries := b.History(person, path+"/events"); len(entries) != len(want) {
		t.Errorf("the whole history has %d entries: %q", len(entries), entries)
	}
}
