package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// event is an entry of a record's history, as the API shows it.
type event struct {
	At, Actor, Operation, What, Key string
	Changes                         []struct {
		Field    string
		From, To any
	}
}

// String says what was done, and the short ones of the changes.
func (e event) String() string {
	said := []string{e.Operation, e.What}
	if e.Key != "" {
		said = append(said, "under "+e.Key)
	}
	for _, c := range e.Changes {
		text := encode([]any{c.From, c.To})
		if len(text) > 60 || e.Operation != "customer.restore" && strings.HasSuffix(c.Field, "_at") {
			text = "…"
		}
		said = append(said, c.Field+" "+text)
	}
	return strings.Join(said, " ")
}

// events reads the whole history of a record in pages of some size, forward and then back, and gives it as texts.
func (b *bundle) events(api *client, path string, limit int) (said []string) {
	b.Helper()
	type page struct {
		Events []event
		Next   string `json:"next_cursor"`
		Prev   string `json:"prev_cursor"`
	}
	read := func(cursor string) page {
		b.Helper()
		a := api.get(fmt.Sprintf("%s/events?limit=%d&cursor=%s", path, limit, cursor))
		if a.status != http.StatusOK {
			b.Fatal(a)
		}
		return decode[page](b, a)
	}
	var forward, back []event
	p := read("")
	forward = slices.Clone(p.Events)
	for p.Next != "" {
		p = read(p.Next)
		forward = append(forward, p.Events...)
	}
	back = slices.Clone(p.Events)
	for p.Prev != "" {
		p = read(p.Prev)
		back = append(slices.Clone(p.Events), back...)
	}
	if encode(forward) != encode(back) {
		b.Errorf("forward %v\nback %v", forward, back)
	}
	for i, e := range forward {
		if e.Actor != "token test" || e.At == "" || i > 0 && e.At > forward[i-1].At {
			b.Errorf("%d: %+v", i, e)
		}
		said = append(said, e.String())
	}
	return said
}

// TestEventsOfAnInvoice: amounts are those of the API, in the currency of their time, on whatever page they are.
func TestEventsOfAnInvoice(t *testing.T) {
	b := setup(t)
	api := b.program(b.site, b.acme)
	path := b.changedInvoice(api)
	want := []string{
		`invoice.void changed status ["issued","void"] voided_at …`,
		`invoice.issue e-mail queued`,
		`invoice.issue changed issued_at … status ["draft","issued"]`,
		`invoice.edit changed lines …`,
		`invoice.edit changed currency ["EUR","JPY"] lines … open ["1200.00","700"] subtotal ["1200.00","700"] total ["1200.00","700"]`,
		`invoice.edit changed customer …`,
		`invoice.edit changed customer …`,
		`invoice.edit changed lines … open ["10.00","1200.00"] subtotal ["10.00","1200.00"] total ["10.00","1200.00"]`,
		`invoice.create created under the key`,
	}
	for _, limit := range []int{1, 2, 25} {
		if got := b.events(api, path, limit); !slices.Equal(got, want) {
			t.Errorf("in pages of %d:\n%s\nwant\n%s", limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestEventsOfOthers: what was done to an invoice by operations on others stands where it belongs, however much it is.
func TestEventsOfOthers(t *testing.T) {
	b := setup(t)
	api, person := b.program(b.site, b.acme), b.person(b.site, b.acme)
	made := b.prepared(b.acme, "key", invoices(), invoices().command, "issue")
	path := "/api/v1/invoices/" + made.ID
	var want []string
	for i := range 12 {
		of := mails()
		of.parent.id = made.ID
		if a := api.create(of, fmt.Sprint("key ", i), of.command); a.status != http.StatusCreated {
			t.Fatal(a)
		}
		want = append(want, "mail.send e-mail queued")
	}
	want = append(want, "invoice.issue e-mail queued", `invoice.issue changed issued_at … status ["draft","issued"]`,
		"invoice.create created under key")
	for _, limit := range []int{4, 25} {
		if got := b.events(api, path, limit); !slices.Equal(got, want) {
			t.Errorf("in pages of %d:\n%s", limit, strings.Join(got, "\n"))
		}
	}

	page := strings.TrimPrefix(path, "/api/v1")
	if entries := b.history(person, path); len(entries) != 10 || entries[9] != "E-mail queued" {
		t.Errorf("the page shows %q", entries)
	}
	b.page(person.get(page)).leadsTo(page + "/events")
	if entries := b.history(person, path+"/events"); len(entries) != len(want) {
		t.Errorf("the whole history has %d entries: %q", len(entries), entries)
	}
}

// TestEventsOfACustomer: people see the same in pages, and a cursor of another list is refused.
func TestEventsOfACustomer(t *testing.T) {
	b := setup(t)
	api, person := b.program(b.site, b.acme), b.person(b.site, b.acme)
	path := b.newCustomer(api, "ada@example.com", "Ada")
	if a := person.get(strings.TrimPrefix(path, "/api/v1")); strings.Contains(a.body, "/events") {
		t.Error("the page leads to more events than there are")
	}
	for _, verb := range []string{"archive", "archive", "restore"} {
		if a := api.post(path+"/"+verb, ""); a.status != http.StatusOK {
			t.Fatal(a)
		}
	}
	got := b.events(api, path, 3)
	if len(got) != 4 || got[1] != "customer.archive unchanged" || got[3] != "customer.upsert created under create ada@example.com" ||
		!strings.HasPrefix(got[0], "customer.restore changed archived_at [") || !strings.HasSuffix(got[0], "null]") {
		t.Errorf("%q", got)
	}
	var shown []string
	for _, page := range []string{"/events?limit=3", ""} {
		if page == "" {
			page = "/events?limit=3&cursor=" + decode[struct {
				Next string `json:"next_cursor"`
			}](b, api.get(path+"/events?limit=3")).Next
		}
		shown = append(shown, b.history(person, path+page)...)
	}
	want := []string{"Restored", "Archived again: nothing changed", "Archived", "Created once, under the key create ada@example.com Copy"}
	if !slices.Equal(shown, want) {
		t.Errorf("%q", shown)
	}

	for _, bad := range []string{"cursor=x", "limit=0", "cursor=" + decode[struct {
		Next string `json:"next_cursor"`
	}](b, api.get(path+"/events?limit=1")).Next[1:]} {
		if a := api.get(path + "/events?" + bad); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", bad, a)
		}
		if a := person.get(strings.TrimPrefix(path, "/api/v1") + "/events?" + bad); a.status != http.StatusNotFound {
			t.Errorf("%s: %v", bad, a)
		}
	}
	if a := b.program(b.site, b.globex).get(path + "/events"); a.status != http.StatusNotFound {
		t.Errorf("another tenant: %v", a)
	}
}
