package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/invoice"
)

func invoices() resource {
	command := url.Values{
		"number": {""}, "customer_id": {""}, "customer_email": {"ada@example.com"}, "customer_name": {"Ada Lovelace"},
		"issue_date": {"2026-11-21"}, "due_date": {"2026-12-21"}, "currency": {"EUR"}, "notes": {"Thank you & <soon>"},
		"line_description": {"Design", "Printing"}, "line_quantity": {"2", "1.5"},
		"line_unit_price": {"50.00", "7.99"}, "line_tax_rate": {"23", "6.5"},
	}
	return resource{
		name: "invoice", path: "/invoices", words: words{verb: "create", past: "created"}, command: command, label: "2026-0001",
		leaves:  rows{"invoices": 1, "invoice_lines": 2, "invoice_number_runs": 1, "customers": 1, "intent_effects": 1, "intents": 1},
		repeats: repeats{alike: []url.Values{command, command}},
		other:   change(command, "notes", "Other words", "line_quantity", "3"),
		fields: []field{
			{"number", "R-44", "Ж-1", "/number"},
			{"customer_id", key, "nobody", "/customer_id"},
			{"customer_email", "grace@example.com", "ada at example", "/customer/email"},
			{"customer_name", "Ada King", " ", "/customer/name"},
			{"issue_date", "2026-11-22", "tomorrow", "/issue_date"},
			{"due_date", "2026-12-22", "2026-11-20", "/due_date"},
			{"currency", "USD", "XXY", "/currency"},
			{"notes", "Other words", "a\u202eb", "/notes"},
			{"line_description", "Drawing", " ", "/lines/0/description"},
			{"line_quantity", "3", "none", "/lines/0/quantity"},
			{"line_unit_price", "50.01", "much", "/lines/0/unit_price"},
			{"line_tax_rate", "22", "101", "/lines/0/tax_rate"},
		},
		uniques: []unique{{field: "number", value: "2026-0007", free: "2026-0008", slug: "number-taken"}},
		edited:  edited{change(command, "number", "2026-0001", "notes", "Thank you, Ada", "line_quantity", "4"), "2026-0001"},
		transitions: []transition{
			{verb: "issue", past: "issued", leaves: rows{"mails": 1, "intent_effects": 2}},
			{verb: "void", past: "voided"},
		},
		api: api{invoiceCommand, invoice.Input{}},
	}
}

// linesOf returns the lines of a form, in the API's format.
func linesOf(form url.Values) (lines []map[string]any) {
	for i := range form["line_description"] {
		lines = append(lines, map[string]any{
			"description": form["line_description"][i], "quantity": form["line_quantity"][i],
			"unit_price": form["line_unit_price"][i], "tax_rate": form["line_tax_rate"][i],
		})
	}
	return lines
}

func invoiceCommand(form url.Values) string {
	command := map[string]any{
		"issue_date": form.Get("issue_date"), "due_date": form.Get("due_date"),
		"currency": form.Get("currency"), "notes": form.Get("notes"), "lines": linesOf(form),
	}
	if number := form.Get("number"); number != "" {
		command["number"] = number
	}
	if id := form.Get("customer_id"); id != "" {
		command["customer_id"] = id
	} else {
		details := map[string]any{} // mostly in the API only: TestCustomerOfAnInvoiceHasDetails
		for name := range customers().command {
			details[name] = form.Get("customer_" + name)
		}
		command["customer"] = details
	}
	return encode(command)
}

// TestCustomerOfAnInvoiceIsReused: two invoices share one customer, and its email and name keep their first capitalisation.
func TestCustomerOfAnInvoiceIsReused(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		t.Run(f.name(), func(t *testing.T) {
			x := setup(t).caseRun(invoices(), f)
			x.format.done(x, x.ask(x.command))
			hit := x.under("another", change(x.other, "customer_email", "ADA@example.com", "customer_name", "ada LOVELACE"))
			x.label = "2026-0002"
			x.format.done(x, hit)
			ada := get[string](x.bundle, `SELECT concat_ws(' ', email, name, version) FROM customers`)
			if ada != "ada@example.com Ada Lovelace 1" {
				x.Errorf("the customer was changed: %s", ada)
			}
		})
	}
}

// TestReplayIsAsOverdueAsTheFirstAnswer: whether an invoice is overdue depends on the day, and the first answer is replayed on
// another day too. The test can't move the day, so it moves the due date of the stored result.
func TestReplayIsAsOverdueAsTheFirstAnswer(t *testing.T) {
	x := setup(t).caseRun(invoices(), jsonFormat{})
	today := day(0)
	made := x.caller.create(x.resource, key, change(x.command, "issue_date", today, "due_date", today))
	issue := "/api/v1/invoices/" + decode[created](x.bundle, made).ID + "/issue"
	asker := x.caller.with("Idempotency-Key", key)
	first := asker.post(issue, "")
	if first.status != http.StatusOK || !strings.Contains(first.body, `"overdue":false`) {
		t.Fatal(first)
	}
	x.exec(`UPDATE intents SET result = replace(result::text, $1, $2)::json WHERE operation = 'invoice.issue'`,
		`"due_date" : "`+today, `"due_date" : "`+day(-1))
	x.store.Forget()
	again := asker.post(issue, "")
	if want := strings.Replace(first.body, `"due_date":"`+today, `"due_date":"`+day(-1), 1); again.body != want || want == first.body {
		t.Errorf("%s\nand not %s", again.body, want)
	}
}

// TestOverdue: an invoice is overdue from the day after its due date, on its page and in the list, except as a draft.
func TestOverdue(t *testing.T) {
	x := setup(t).caseRun(invoices(), jsonFormat{})
	for i, due := range []string{day(-1), day(0)} {
		made := x.caller.create(x.resource, due, change(x.command, "issue_date", day(-1), "due_date", due))
		draft := made.body
		path := "/api/v1/invoices/" + decode[created](x.bundle, made).ID
		issued := x.caller.with("Idempotency-Key", due).post(path+"/issue", "").body
		want := `"overdue":` + []string{"true", "false"}[i]
		found := x.caller.get(path).body
		if !strings.Contains(draft, `"overdue":false`) || !strings.Contains(issued, want) || found != issued {
			t.Errorf("due %s: %s\n%s\n%s", due, draft, issued, found)
		}
	}
	if list := x.caller.get("/api/v1/invoices?status=overdue").body; strings.Count(list, `"overdue":true`) != 1 {
		t.Error(list)
	}
}
