package invoicepages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// way creates a record by one interface. It returns the id of the new record and of the earlier one that it looks like, or
// "asked" if a person had to confirm it.
type way func(key string) (id, repeats string)

// TestTheSameByTwoWays: a record is a likely repeat of an earlier one from any other interface. People are asked, programs get
// a note, and an event of a webhook is recorded with a note.
func TestTheSameByTwoWays(t *testing.T) {
	const asked = "asked"
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	form := func(path string, values url.Values) string {
		t.Helper()
		a, repeats := person.Submit(path, values), ""
		if a.Status == http.StatusConflict {
			anyway := map[bool]string{true: "Record anyway", false: "Create anyway"}[strings.HasSuffix(path, "/payments")]
			a, repeats = person.Press(b.Page(a).Says("Looks like", anyway+"?"), anyway), asked
		}
		a.Want(t, http.StatusSeeOther)
		return repeats
	}
	newest := func(table string) string {
		return sitetest.Get[string](b, `SELECT id::text FROM `+table+` ORDER BY created_at DESC, id DESC LIMIT 1`)
	}
	api := func(of sitetest.Resource, key string, values url.Values) (id, repeats string) {
		t.Helper()
		a := program.Create(of, key, values)
		a.Want(t, http.StatusCreated)
		made := sitetest.Decode[sitetest.Created](b, a)
		return made.ID, made.PossibleDuplicateOf
	}

	number := issuedInvoice(b)
	paid, bank, cents := invoicecases.Payments(), invoicecases.SenderOf(b, b.Acme, "standard"), 0
	paid.Parent.ID = sitetest.Get[string](b, `SELECT id::text FROM invoices WHERE number = $1`, number)
	payment := func() url.Values {
		return url.Values{"amount": {fmt.Sprintf("1.%02d", cents)}, "date": {"2026-11-23"}, "method": {"bank_transfer"}}
	}
	billed, line := invoicecases.Invoices(), 0
	someone := b.Prepared(b.Acme, "someone", customercases.Customers(),
		sitetest.Change(customercases.Customers().Command, "email", "one@example.com", "name", "Some One")).ID
	invoice := func(key string) url.Values {
		return url.Values{
			"idempotency_key": {key}, "customer_id": {someone}, "issue_date": {"2026-11-21"}, "due_date": {"2026-12-21"},
			"currency":         {"EUR"},
			"line_description": {fmt.Sprint("Line ", line)}, "line_quantity": {"2"}, "line_unit_price": {"5.00"}, "line_tax_rate": {"23"},
		}
	}
	scheduled := func(key string) sitetest.Resource {
		of, command := invoicecases.Periods(), sitetest.Change(invoicecases.Schedules().Command, "customer_id", someone)
		for _, name := range []string{"line_description", "line_quantity", "line_unit_price", "line_tax_rate"} {
			command[name] = invoice(key)[name]
		}
		of.Parent.ID = b.Prepared(b.Acme, key, invoicecases.Schedules(), command).ID
		return of
	}
	people, name := customercases.Customers(), 0
	customer := func(key string) url.Values {
		return url.Values{"email": {key + "@example.com"}, "name": {fmt.Sprint("Customer ", name)}}
	}
	withCustomer := func(key string) url.Values {
		line++ // makes it a different invoice
		return sitetest.Change(invoice(key), "customer_id", "", "customer_email", key+"@example.com", "customer_name",
			fmt.Sprint("Customer ", name))
	}
	for _, record := range []struct {
		table string
		next  func() // changes the values, so that the next records are no repeats
		ways  map[string]way
	}{
		{"payments", func() { cents++ }, map[string]way{
			"form": func(key string) (string, string) {
				repeats := form(paid.List(), sitetest.Change(payment(), "idempotency_key", key))
				return newest("payments"), repeats
			},
			"API": func(key string) (string, string) { return api(paid, key, payment()) },
			"webhook": func(key string) (string, string) {
				a := bank.Deliver(b.Replica, key, invoicecases.PaidBy(number, key, payment().Get("amount")))
				a.Want(t, http.StatusOK)
				event := sitetest.Decode[sitetest.Created](b, a).ID
				repeats := sitetest.Get[string](b,
					`SELECT COALESCE(possible_duplicate_of::text, '') FROM webhook_events WHERE id = $1`, event)
				shown := person.Get("/webhook-events/" + event).Body
				assert.Thatf(t, strings.Contains(shown, "looks like a repeat") == (repeats != ""),
					"repeats %q, and the page of the event: %s", repeats, shown)
				return sitetest.Get[string](b, `SELECT payment_id::text FROM webhook_events WHERE id = $1`, event), repeats
			},
		}},
		{"invoices", func() { line++ }, map[string]way{
			"form": func(key string) (string, string) {
				repeats := form("/invoices", invoice(key))
				return newest("invoices"), repeats
			},
			"API": func(key string) (string, string) { return api(billed, key, invoice(key)) },
			"schedule": func(key string) (string, string) {
				of := scheduled(key)
				return api(of, key, of.Command)
			},
		}},
		{"customers", func() { name++ }, map[string]way{
			"form": func(key string) (string, string) {
				repeats := form("/customers", sitetest.Change(customer(key), "idempotency_key", key))
				return newest("customers"), repeats
			},
			"API": func(key string) (string, string) { return api(people, key, customer(key)) },
			"form with an invoice": func(key string) (string, string) {
				repeats := form("/invoices", withCustomer(key))
				return newest("customers"), repeats
			},
			"API with an invoice": func(key string) (string, string) {
				a := program.Create(billed, key, withCustomer(key))
				a.Want(t, http.StatusCreated)
				made := sitetest.Decode[struct {
					Customer sitetest.Created `json:"customer"`
				}](b, a).Customer
				return made.ID, made.PossibleDuplicateOf
			},
		}},
	} {
		for one, first := range record.ways {
			for other, second := range record.ways {
				key := strings.NewReplacer(" ", "-").Replace(record.table + "-" + one + "-" + other)
				record.next()
				id, repeats := first(key + "-1")
				assert.Thatf(t, repeats == "", "%s by %s looks like %s, and like nothing was made", record.table, one, repeats)
				if _, repeats = second(key + "-2"); repeats != id && repeats != asked {
					t.Errorf("%s by %s and then by %s: repeats %q, want %s", record.table, one, other, repeats, id)
				}
			}
		}
	}

	// A schedule repeats on purpose, so billing a period by hand needs no confirmation.
	line++
	form("/invoices", invoice("by-form"))
	of := scheduled("by-hand")
	assert.Equal(t, form(of.List(), sitetest.Change(of.Command, "idempotency_key", "by-hand")), "", "billing a period asked about a repeat")
}
