package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/invoice/credit"
)

// creditNumber is the first number of this year's series of credit notes.
func creditNumber() string { return fmt.Sprintf("CN-%d-0001", time.Now().UTC().Year()) }

func creditNotes() resource {
	command := url.Values{"line_quantity": {"1", "0.5"}}
	return resource{
		name: "credit note", path: "/credit-notes", parent: &parent{resource: invoices(), ready: []string{"issue"}, ownPage: true},
		words: words{verb: "create", past: "created"}, command: command, label: creditNumber(),
		leaves:  rows{"credit_notes": 1, "credit_note_lines": 2, "credit_note_series": 1, "postings": 1, "intents": 1},
		repeats: repeats{alike: []url.Values{{"line_quantity": {"1", ""}}, {"line_quantity": {"1", ""}}}},
		other:   change(command, "line_quantity", "1.5"),
		fields:  []field{{"line_quantity", "2", "none", "/lines/0/quantity"}},
		api: api{func(form url.Values) string {
			lines := []map[string]any{}
			for i, quantity := range form["line_quantity"] {
				if quantity == "" {
					continue
				}
				lines = append(lines, map[string]any{"position": i + 1, "quantity": quantity})
			}
			return encode(map[string]any{"lines": lines})
		}, credit.Input{}},
	}
}

// credited is a credit note as the API shows it.
type credited struct {
	Number   string `json:"number"`
	Subtotal string `json:"subtotal"`
	Total    string `json:"total"`
	Lines    []struct {
		Position int    `json:"position"`
		Quantity string `json:"quantity"`
		Net      string `json:"net"`
	} `json:"lines"`
	Taxes []struct {
		Rate string `json:"rate"`
		Net  string `json:"net"`
		Tax  string `json:"tax"`
	} `json:"taxes"`
}

// TestMoreThanCanBeCredited: the error has the remaining quantity of the line beside its field, and in the API's answer. If the
// invoice was partly paid, it has the open amount too.
func TestMoreThanCanBeCredited(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		t.Run(f.name(), func(t *testing.T) {
			x := setup(t).caseRun(creditNotes(), f)
			more := url.Values{"line_quantity": {"2", "1.51"}}
			refused := x.ask(more)
			x.format.refused(x, refused, "exceeds-invoice", more)
			if x.isHTML() {
				p := x.page(refused).says("A quantity of 1.5 is left of line 2.", "Enter at most 1.5.")
				p.leadsTo("/invoices/" + x.id)
			} else if p := decode[problem](x.bundle, refused); p.Left != "1.5" || p.Position != "2" {
				t.Errorf("%v", refused)
			}
			x.wantRows(rows{})

			paid := payments()
			paid.parent.id = x.id
			x.prepared(x.acme, "paid", paid, paid.command)
			all := url.Values{"line_quantity": {"2", "1.5"}}
			refused = x.ask(all)
			x.format.refused(x, refused, "exceeds-invoice", all)
			if x.isHTML() {
				x.page(refused).says("The open amount is 95.77 EUR.", "To credit what was paid, refund it first.")
			} else if p := decode[problem](x.bundle, refused); p.Open != "95.77" {
				t.Errorf("%v", refused)
			}
			x.format.done(x, x.ask(x.command)) // the key was not used up
		})
	}
}

// TestCreditEverything: a program omits the lines, and a form is filled with the remaining quantities.
func TestCreditEverything(t *testing.T) {
	b := setup(t)
	x := b.caseRun(creditNotes(), htmlFormat{})
	form := b.page(x.caller.get(x.caller.get(x.resource.list() + "/new").location()))
	form.says("Open on 2026-0001: 135.77 EUR", "Line 1: Design 2 left at 50.00 EUR", "Line 2: Printing 1.5 left at 7.99 EUR")
	if quantities := form.typed()["line_quantity"]; fmt.Sprint(quantities) != "[2 1.5]" {
		t.Errorf("suggested are %q", quantities)
	}
	program := b.program(b.replica, b.acme)
	made := program.with("Idempotency-Key", key).post("/api/v1"+x.resource.list(), `{}`)
	note := decode[credited](b, made)
	if made.status != http.StatusCreated || note.Total != "135.77" || note.Subtotal != "111.99" ||
		fmt.Sprint(note.Lines) != "[{1 2 100.00} {2 1.5 11.99}]" || fmt.Sprint(note.Taxes) != "[{6.5 11.99 0.78} {23 100.00 23.00}]" {
		t.Errorf("%v", made)
	}
	b.page(x.caller.get("/invoices/"+x.id)).says("Credited", "Nothing is open.", "Credit note "+note.Number+" 135.77 EUR").
		leadsTo(made.location()[len("/api/v1"):])
	b.page(x.caller.get(made.location()[len("/api/v1"):])).says(
		"Credit note "+note.Number, "Credits invoice 2026-0001", "Ada Lovelace", "Tax 23% on 100.00 23.00", "Total credited EUR 135.77")

	asked := x.caller.press(form, "Create credit note")
	x.format.refused(x, asked, "open-amount-changed", nil)
	b.page(asked).says("The open amount has changed since you opened this form.", "Line 1: Design 0 left at 50.00 EUR")
	again := program.with("Idempotency-Key", "another").post("/api/v1"+x.resource.list(), `{}`)
	jsonFormat{}.refused(x, again, "exceeds-invoice", nil)
	none := x.caller.get(x.resource.list() + "/new?key=another")
	x.format.refused(x, none, "exceeds-invoice", nil)
	b.page(none).says("There's nothing left to credit.")
}

// TestCreditedInPart: the invoice's page has the same state as the list, and doesn't count credits as payments.
func TestCreditedInPart(t *testing.T) {
	b := setup(t)
	x := b.caseRun(creditNotes(), htmlFormat{})
	x.format.done(x, x.ask(x.command))
	for _, path := range []string{"/invoices/" + x.id, "/invoices"} {
		page := b.page(x.caller.get(path)).says("Partially credited")
		if strings.Contains(page.text(), "0.00 of ") {
			t.Errorf("%s counts what was not paid", path)
		}
	}
}
