package site_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestEventsOfOthers: the history of an invoice has the events of operations on other records, in order and over many pages.
func TestEventsOfOthers(t *testing.T) {
	b := setup(t)
	api, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	made := b.prepared(b.acme, "key", invoices(), invoices().command, "issue")
	path := "/api/v1/invoices/" + made.ID
	var want []string
	for i := range 12 {
		of := mails()
		of.parent.id = made.ID
		if a := api.create(of, fmt.Sprint("key ", i), of.command); a.status != http.StatusCreated {
			t.Fatal(a)
		}
		want = append(want, "mail.send email queued")
	}
	want = append(want, "invoice.issue email queued", `invoice.issue changed issued_at … open ["0.00","135.77"] status ["draft","issued"]`,
		"invoice.create created under key")
	for _, limit := range []int{4, 25} {
		if got := b.events(api, path, limit); !slices.Equal(got, want) {
			t.Errorf("in pages of %d:\n%s", limit, strings.Join(got, "\n"))
		}
	}

	page := strings.TrimPrefix(path, "/api/v1")
	if entries := b.history(person, path); len(entries) != 10 || entries[9] != "Email queued" {
		t.Errorf("the page shows %q", entries)
	}
	b.page(person.get(page)).leadsTo(page + "/events")
	if entries := b.history(person, path+"/events"); len(entries) != len(want) {
		t.Errorf("the whole history has %d entries: %q", len(entries), entries)
	}
}
