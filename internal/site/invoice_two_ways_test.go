package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// way creates a record by one interface. It returns the id of the new record and of the earlier one that it looks like, or
// "asked" if a person had to confirm it.
type way func(key string) (id, repeats string)

// TestTheSameByTwoWays: a record is a likely repeat of an earlier one from any other interface. People are asked, programs get
// a note, and an event of a webhook is recorded with a note.
func TestTheSameByTwoWays(t *testing.T) {
	const asked = "asked"
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
	form := func(path string, values url.Values) string {
		t.Helper()
		a, repeats := person.submit(path, values), ""
		if a.status == http.StatusConflict {
			a, repeats = person.press(b.page(a).says("Looks like", "Create anyway?"), "Create anyway"), asked
		}
		if a.status != http.StatusSeeOther {
			t.Fatal(a)
		}
		return repeats
	}
	newest := func(table string) string {
		return get[string](b, `SELECT id::text FROM `+table+` ORDER BY created_at DESC, id DESC LIMIT 1`)
	}
	api := func(of resource, key string, values url.Values) (id, repeats string) {
		t.Helper()
		a := program.create(of, key, values)
		if a.status != http.StatusCreated {
			t.Fatal(a)
		}
		made := decode[created](b, a)
		return made.ID, made.PossibleDuplicateOf
	}

	number := b.issuedInvoice()
	paid, bank, cents := payments(), b.sender(b.acme, "standard"), 0
	paid.parent.id = get[string](b, `SELECT id::text FROM invoices WHERE number = $1`, number)
	payment := func() url.Values {
		return url.Values{"amount": {fmt.Sprintf("1.%02d", cents)}, "date": {"2026-11-23"}, "method": {"bank_transfer"}}
	}
	billed, line := invoices(), 0
	someone := b.prepared(b.acme, "someone", customers(), change(customers().command, "email", "one@example.com", "name", "Some One")).ID
	invoice := func(key string) url.Values {
		return url.Values{
			"idempotency_key": {key}, "customer_id": {someone}, "issue_date": {"2026-11-21"}, "due_date": {"2026-12-21"},
			"currency":         {"EUR"},
			"line_description": {fmt.Sprint("Line ", line)}, "line_quantity": {"2"}, "line_unit_price": {"5.00"}, "line_tax_rate": {"23"},
		}
	}
	scheduled := func(key string) resource {
		of, command := periods(), change(schedules().command, "customer_id", someone)
		for _, name := range []string{"line_description", "line_quantity", "line_unit_price", "line_tax_rate"} {
			command[name] = invoice(key)[name]
		}
		of.parent.id = b.prepared(b.acme, key, schedules(), command).ID
		return of
	}
	people, name := customers(), 0
	customer := func(key string) url.Values {
		return url.Values{"email": {key + "@example.com"}, "name": {fmt.Sprint("Customer ", name)}}
	}
	withCustomer := func(key string) url.Values {
		line++ // makes it a different invoice
		return change(invoice(key), "customer_id", "", "customer_email", key+"@example.com", "customer_name", fmt.Sprint("Customer ", name))
	}
	for _, record := range []struct {
		table string
		next  func() // changes the values, so that the next records are no repeats
		ways  map[string]way
	}{
		{"payments", func() { cents++ }, map[string]way{
			"form": func(key string) (string, string) {
				repeats := form(paid.list(), change(payment(), "idempotency_key", key))
				return newest("payments"), repeats
			},
			"API": func(key string) (string, string) { return api(paid, key, payment()) },
			"webhook": func(key string) (string, string) {
				a := bank.deliver(b.replica, key, paidBy(number, key, payment().Get("amount")))
				if a.status != http.StatusOK {
					t.Fatal(a)
				}
				event := decode[created](b, a).ID
				repeats := get[string](b, `SELECT COALESCE(possible_duplicate_of::text, '') FROM webhook_events WHERE id = $1`, event)
				shown := person.get("/webhook-events/" + event).body
				if strings.Contains(shown, "looks like a repeat") != (repeats != "") {
					t.Errorf("repeats %q, and the page of the event: %s", repeats, shown)
				}
				return get[string](b, `SELECT payment_id::text FROM webhook_events WHERE id = $1`, event), repeats
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
				return api(of, key, of.command)
			},
		}},
		{"customers", func() { name++ }, map[string]way{
			"form": func(key string) (string, string) {
				repeats := form("/customers", change(customer(key), "idempotency_key", key))
				return newest("customers"), repeats
			},
			"API": func(key string) (string, string) { return api(people, key, customer(key)) },
			"form with an invoice": func(key string) (string, string) {
				repeats := form("/invoices", withCustomer(key))
				return newest("customers"), repeats
			},
			"API with an invoice": func(key string) (string, string) {
				a := program.create(billed, key, withCustomer(key))
				if a.status != http.StatusCreated {
					t.Fatal(a)
				}
				made := decode[struct {
					Customer created `json:"customer"`
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
				if repeats != "" {
					t.Errorf("%s by %s looks like %s, and like nothing was made", record.table, one, repeats)
				}
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
	if repeats := form(of.list(), change(of.command, "idempotency_key", "by-hand")); repeats != "" {
		t.Error("billing a period asked about a repeat")
	}
}
