package invoicepages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestHistoryOfAnInvoice: fields without a form are shown in the users' words, and a change of the state as its transition. In
// the API amounts are in the currency of their time, on each page.
func TestHistoryOfAnInvoice(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	b.Prepared(b.Acme, "feed", eventcases.Feeds(), eventcases.Feeds().Command)
	path := changedInvoice(b, api)

	want := []string{
		"Voided",
		"Email queued",
		"Issued",
		"Lines changed",
		"Currency changed from EUR to JPY Lines changed Total changed from 1,200.00 EUR to 700 JPY",
		"Customer changed from grace@example.com to other@example.com",
		"Customer changed from Ada to Grace",
		"Lines changed Total changed from 10.00 EUR to 1,200.00 EUR",
		"Created once",
	}
	if got := b.History(person, path); !slices.Equal(got, want) {
		t.Errorf("the history is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	events := []string{
		`invoice.void changed open ["700","0"] status ["issued","void"] voided_at …`,
		`invoice.issue email queued`,
		`invoice.issue changed issued_at … open ["0","700"] status ["draft","issued"]`,
		`invoice.edit changed lines …`,
		`invoice.edit changed currency ["EUR","JPY"] lines … subtotal ["1200.00","700"] total ["1200.00","700"]`,
		`invoice.edit changed customer …`,
		`invoice.edit changed customer …`,
		`invoice.edit changed lines … subtotal ["10.00","1200.00"] total ["10.00","1200.00"]`,
		`invoice.create created under the key`,
	}
	for _, limit := range []int{1, 2, 25} {
		got := b.Events(api, path, limit)
		assert.Thatf(t, slices.Equal(got, events),
			"in pages of %d:\n%s\nwant\n%s", limit, strings.Join(got, "\n"), strings.Join(events, "\n"))
	}
	feed := []string{
		`event-feeds event_feed.start created under feed`,
		`invoices invoice.create created under the key with customer created`,
		`invoices invoice.edit changed lines … subtotal ["10.00","1200.00"] total ["10.00","1200.00"]`,
		`invoices invoice.edit changed customer … with customer created`,
		`invoices invoice.edit changed customer … with customer created`,
		`invoices invoice.edit changed currency ["EUR","JPY"] lines … subtotal ["1200.00","700"] total ["1200.00","700"]`,
		`invoices invoice.edit changed lines …`,
		`invoices invoice.issue changed issued_at … open ["0","700"] status ["draft","issued"] with email queued with email queued`,
		`invoices invoice.void changed open ["700","0"] status ["issued","void"] voided_at …`,
	}
	for _, limit := range []int{1, 2, 25} {
		got, _ := b.Feed(api, "", limit)
		assert.Thatf(t, slices.Equal(got, feed),
			"the feed in pages of %d:\n%s\nwant\n%s", limit, strings.Join(got, "\n"), strings.Join(feed, "\n"))
	}
}

// TestHistoryOfTheLedger: payments, refunds and credit notes are among the other events, with their actor, on each page.
func TestHistoryOfTheLedger(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	made := b.Prepared(b.Acme, "key", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue")
	path := "/api/v1/invoices/" + made.ID
	post := func(to, body string) string {
		a := api.With("Idempotency-Key", strconv.Quote(body)).Post(to, body)
		must.Thatf(t, a.Status < http.StatusBadRequest, "%v", a)
		return sitetest.Decode[sitetest.Created](b, a).ID
	}
	wrong := post(path+"/payments", `{"amount": "30.00", "date": "2026-11-22", "method": "cash"}`)
	post("/api/v1/payments/"+wrong+"/remove", "")
	right := post(path+"/payments", `{"amount": "40.00", "date": "2026-11-22", "method": "cash"}`)
	post("/api/v1/payments/"+right+"/refunds", `{"amount": "10.00", "date": "2026-11-23"}`)
	post(path+"/credit-notes", `{"lines": [{"position": 1, "quantity": "1"}]}`)
	api.Post(path+"/issue", "").Want(t, http.StatusOK)

	want := []string{
		"Issued again: nothing changed",
		"Credit note CN-2026-0001 of 61.50 EUR created",
		"10.00 EUR refunded",
		"Payment of 40.00 EUR recorded",
		"Payment of 30.00 EUR removed",
		"Payment of 30.00 EUR recorded",
		"Email queued",
		"Issued",
		"Created once",
	}
	if got := b.History(person, path); !slices.Equal(got, want) {
		t.Errorf("the history is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	events := []string{
		"invoice.issue unchanged",
		"credit_note.create credit note CN-2026-0001 of 61.50 EUR created",
		"refund.create 10.00 EUR refunded",
		"payment.create payment of 40.00 EUR recorded",
		"payment.remove payment of 30.00 EUR removed",
		"payment.create payment of 30.00 EUR recorded",
		"invoice.issue email queued",
	}
	for _, limit := range []int{1, 2, 25} {
		if got := b.Events(api, path, limit); len(got) != len(want) || !slices.Equal(got[:len(events)], events) {
			t.Errorf("in pages of %d:\n%s", limit, strings.Join(got, "\n"))
		}
	}
}

// changedInvoice creates an invoice, changes all its fields, issues and voids it, and returns its path in the API.
func changedInvoice(b *sitetest.Bundle, api *sitetest.Client) string {
	b.Helper()
	draft := func(email, name, currency, price, description string) string {
		return fmt.Sprintf(`{"customer": {"email": %q, "name": %q}, "issue_date": "2026-11-21", "due_date": "2026-12-21",
			"currency": %q, "lines": [{"description": %q, "quantity": "1", "unit_price": %q, "tax_rate": "0"}]}`,
			email, name, currency, description, price)
	}
	created := api.With("Idempotency-Key", "the key").Post("/api/v1/invoices", draft("ada@example.com", "Ada", "EUR", "10.00", "Design"))
	created.Want(b, http.StatusCreated)
	path := created.Location()
	for _, body := range []string{
		draft("ada@example.com", "Ada", "EUR", "1200.00", "Design"),
		draft("grace@example.com", "Grace", "EUR", "1200.00", "Design"),
		draft("other@example.com", "Grace", "EUR", "1200.00", "Design"),
		draft("other@example.com", "Grace", "JPY", "700", "Design"),
		draft("other@example.com", "Grace", "JPY", "700", "Code"),
	} {
		current := api.With("If-Match", api.Get(path).Header.Get("ETag"))
		current.Must(current.Send(b.Context(), http.MethodPut, path, body)).Want(b, http.StatusOK)
	}
	for _, verb := range []string{"issue", "void"} {
		api.Post(path+"/"+verb, "").Want(b, http.StatusOK)
	}
	return path
}

// TestHistoryOfWhatAnInvoiceBrought: a customer can be created with an invoice. The history of the invoice has the key.
func TestHistoryOfWhatAnInvoiceBrought(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	created := api.With("Idempotency-Key", "the key").Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada"}, "issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
		"lines": [{"description": "Design", "quantity": "1", "unit_price": "1.00", "tax_rate": "0"}]}`)
	created.Want(t, http.StatusCreated)
	if got := b.History(person, created.Location()); !slices.Equal(got, []string{"Created once"}) {
		t.Errorf("the invoice's history is %q", got)
	}
	invoice := sitetest.Decode[struct{ Customer struct{ ID string } }](b, created)
	got := b.History(person, "/api/v1/customers/"+invoice.Customer.ID)
	assert.Thatf(t, slices.Equal(got, []string{"Customer created with a new invoice"}), "the customer's history is %q", got)
}

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
		assert.Thatf(t, slices.Equal(got, want), "in pages of %d:\n%s", limit, strings.Join(got, "\n"))
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

// TestEditsOfLines: the lines of an invoice are kept or replaced as a whole.
func TestEditsOfLines(t *testing.T) {
	b := sitetest.Setup(t)
	made := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "draft").Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada"}, "currency": "EUR", "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"lines": [{"description": "Tea", "quantity": "1", "unit_price": "2.00", "tax_rate": "0"}]}`)
	e := b.Opened(made.Location())
	e.Save(e.First, "first", "line_description", "Coffee", "line_unit_price", "3.00", "notes", "Thanks")
	refused := b.Page(e.Save(e.Second, "second", "line_description", "Cake", "line_unit_price", "4.00"))
	refused.Says("You both changed the same fields.", "Notes Changed by them", "Line 1 Changed by both")
	form := refused.Typed()
	form.Set("keep_saved", "line_description")
	b.Page(e.Second.Get(e.Second.Submit(e.Path+"/edit", form).Location())).Says("Coffee", "3.00", "Thanks")
}
