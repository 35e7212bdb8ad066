package invoicepages_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestErasureWithInvoices: the erasure of a customer is refused while something is still to come. Then zqxjv, which is in everything about
// the customer, stays only where a resource declares that it is kept.
func TestErasureWithInvoices(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	customers, invoices, schedules := customercases.Customers(), invoicecases.Invoices(), invoicecases.Schedules()
	named := sitetest.Change(customers.Command, "email", "zqxjv@example.com", "name", "Zqxjv", "copies_to", "boss@zqxjv.example")
	one := b.Prepared(b.Acme, "one", customers, named, "archive").ID
	other := b.Prepared(b.Acme, "other", customers,
		sitetest.Change(customers.Command, "email", "king@example.com", "name", "Ada King", "tax_id", "")).ID
	b.Exec(`UPDATE mail_texts SET invoice_subject = 'Invoice for {customer}', invoice_text = 'Dear {contact}'`)
	page := "/customers/" + one
	refused := func(because, path string) {
		t.Helper()
		before := b.Everything()
		b.Page(person.Submit(page+"/erasures", url.Values{"idempotency_key": {"erase"}})).Says(because).LeadsTo(path)
		sitetest.WantUnchanged(b, because, before, b.Everything())
	}
	post := func(path, body string) {
		t.Helper()
		a := program.With("Idempotency-Key", path).Post("/api/v1"+path, body)
		must.Thatf(t, a.Status < 300, "%s: %v", path, a)
	}
	bill := func(key string) string {
		t.Helper()
		return "/invoices/" + b.Prepared(b.Acme, key, invoices, sitetest.Change(invoices.Command,
			"customer_id", one, "notes", "zqxjv "+key, "line_description", "zqxjv "+key,
			"issue_date", "2026-01-05", "due_date", "2026-02-04",
		)).ID
	}
	paid, void, moved := bill("paid"), bill("void"), bill("moved")
	refused("is a draft.", paid)
	post(void+"/void", "")
	edit := sitetest.Change(invoices.Command, "customer_id", other, "notes", "")
	if a := program.Must(program.With("Idempotency-Key", "move").With("If-Match", `"v1"`).
		Send(t.Context(), http.MethodPut, "/api/v1"+moved, invoices.API.Encode(edit))); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	person.Submit(paid+"/attachments", formWith("file", "zqxjv.txt", "zqxjv")).Want(t, http.StatusSeeOther)
	post(paid+"/issue", `{"message": "Dear Zqxjv"}`)
	refused("isn't paid yet.", paid)
	post(paid+"/reminders", `{"level": "1", "recipient": "zqxjv@example.com", "message": "Dear Zqxjv"}`)
	post(paid+"/payments", `{"amount": "`+sitetest.Get[string](b, `
		SELECT (open_amount / 100.0)::numeric(20, 2)::text FROM invoices WHERE status = 'issued'`)+`",
		"date": "2026-11-22", "method": "bank_transfer", "provider": "Bank", "reference": "zqxjv"}`)
	schedule := b.Prepared(b.Acme, "schedule", schedules, sitetest.Change(schedules.Command, "customer_id", one, "notes", "zqxjv")).ID
	refused("A recurring invoice isn't archived.", "/schedules/"+schedule)
	post("/schedules/"+schedule+"/archive", "")
	b.Exec(`UPDATE mails SET state = 'sent', sent_at = now(), body = 'Dear Zqxjv' WHERE kind <> 'invoice'`)
	refused("An email to the customer is still to be sent.", "/outbox/"+sitetest.Get[string](b, `
		SELECT id::text FROM mails WHERE kind = 'invoice'`))
	b.Exec(`UPDATE mails SET state = 'sent', sent_at = now(), body = 'Dear Zqxjv', reason = 'zqxjv@example.com asked us to wait'`)

	a := person.Submit(page+"/erasures", url.Values{"idempotency_key": {"erase"}})
	b.Page(person.Get(a.Location())).Says("The personal data of this customer was erased.")
	b.Exec(`UPDATE intents SET expires_at = now() - interval '1 second'`)
	_, err := idempotency.Expire(t.Context(), b.Pool, b.Acme.ID)
	must.OK(t, err)
	kept := map[string]string{}
	for _, of := range []sitetest.Resource{invoices, schedules, invoicecases.Payments(), invoicecases.Attachments()} {
		maps.Copy(kept, of.OfCustomer)
	}
	left := b.ColumnsWith("zqxjv")
	for _, column := range left {
		why, declared := kept[column]
		assert.Thatf(t, declared && why != sitetest.Erased, "%s: zqxjv is left, and it is to be %q", column, why)
	}
	assert.Thatf(t, slices.Contains(left, "invoices.bill_to"), "the issued invoice has lost its customer: %v", left)
	assert.Equal(t, sitetest.Get[int](b, `
		SELECT count(*)::integer FROM invoices WHERE issued_at IS NULL AND notes || COALESCE(bill_to::text, '') LIKE '%zqxjv%'`),
		0, "invoices that were never issued have texts")
	b.Page(person.Get(paid)).Says("Zqxjv", "zqxjv paid")
	b.Page(person.Get(void)).Says("Erased customer")
	b.Page(person.Get(moved)).Says("Ada King")
	b.Page(person.Get("/invoices?q=zqxjv")).Says("2026-0001")

	before := b.Everything()
	for path, form := range map[string]url.Values{
		"/invoices":                           sitetest.Change(invoices.Command, "customer_id", one),
		"/schedules":                          sitetest.Change(schedules.Command, "customer_id", one),
		"/schedules/" + schedule + "/restore": {},
		paid + "/send":                        {"recipient": {"zqxjv@example.com"}},
	} {
		refused := person.Submit(path, sitetest.Change(form, "idempotency_key", "refused"))
		b.Page(refused).Says("The personal data of this customer was erased.")
	}
	sitetest.WantUnchanged(b, "refused", before, b.Everything())
}

// TestErasureAtOnceWithInvoices: if a customer is erased while invoices are created for it, either it has some and isn't erased, or it is
// erased and has none.
func TestErasureAtOnceWithInvoices(t *testing.T) {
	const crowd = 8
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	invoices := invoicecases.Invoices()
	for round := range 5 {
		id := b.Prepared(b.Acme, fmt.Sprint("customer ", round), customercases.Customers(),
			sitetest.Change(customercases.Customers().Command, "email", fmt.Sprintf("ada%d@example.com", round)), "archive").ID
		statuses := make([]int, crowd)
		storetest.Together(crowd, func(i int) error {
			if i == crowd/2 {
				statuses[i] = person.Submit("/customers/"+id+"/erasures", url.Values{"idempotency_key": {"erase " + id}}).Status
				return nil
			}
			statuses[i] = program.With("Idempotency-Key", fmt.Sprint(id, i)).
				Post("/api/v1/invoices", invoices.API.Encode(sitetest.Change(invoices.Command, "customer_id", id))).Status
			return nil
		})
		erased := sitetest.Get[bool](b, `SELECT erased_at IS NOT NULL FROM customers WHERE id = $1`, id)
		made := sitetest.Get[int](b, `SELECT count(*)::integer FROM invoices WHERE customer_id = $1`, id)
		want := map[bool]int{false: crowd - 1}[erased]
		assert.Thatf(t, made == want, "erased: %t, with %d invoices; %v", erased, made, statuses)
	}
}
