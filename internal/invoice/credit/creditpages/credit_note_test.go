package creditpages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/pdf/pdftest"
	"onlyonce/internal/site/sitetest"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// credited is a credit note as the API shows it.
type credited struct {
	Number   string `json:"number"`
	Receipt  string `json:"receipt_id"`
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

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestMoreThanCanBeCredited: the error has the remaining quantity of the line beside its field, and in the API's answer. If the
// invoice was partly written off, it has the amount that can be credited.
func TestMoreThanCanBeCredited(t *testing.T) {
	t.Parallel()
	for _, f := range sitetest.Formats() {
		t.Run(f.Name(), func(t *testing.T) {
			x := sitetest.Setup(t).Case(invoicecases.CreditNotes(), f)
			more := url.Values{"line_quantity": {"2", "1.51"}}
			refused := x.Ask(more)
			x.Format.Refused(x, refused, "exceeds-invoice", more)
			if x.IsHTML() {
				p := x.Page(refused).Says("A quantity of 1.5 is left of line 2.", "A quantity of 1.5 is left.")
				p.LeadsTo("/invoices/" + x.ID)
			} else if p := sitetest.Decode[sitetest.Problem](x.Bundle, refused); p.Left != "1.5" || p.Position != "2" {
				t.Errorf("%v", refused)
			}
			x.WantRows(sitetest.Rows{})

			off := invoicecases.WriteOffs()
			off.Parent.ID = x.ID
			x.Prepared(x.Acme, "off", off, sitetest.Change(off.Command, "amount", "40.00"))
			all := url.Values{"line_quantity": {"2", "1.5"}}
			refused = x.Ask(all)
			x.Format.Refused(x, refused, "exceeds-invoice", all)
			if x.IsHTML() {
				x.Page(refused).Says("95.77 EUR of this invoice is open or paid.", "take that back first", "Credit at most 95.77 EUR.")
			}
			x.Format.Done(x, x.Ask(x.Command)) // the key was not used up
		})
	}
}

// TestCreditWhatIsPaid: the form and its preview announce that the paid amount becomes credit, and the pages of the credit note and the
// invoice lead to it.
func TestCreditWhatIsPaid(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.CreditNotes(), sitetest.HTML{})
	paid := invoicecases.Payments()
	paid.Parent.ID = x.ID
	x.Prepared(x.Acme, "paid", paid, sitetest.Change(paid.Command, "amount", "135.77"))
	b.Page(x.Caller.Get("/invoices/" + x.ID)).LeadsTo(x.Resource.List() + "/new")
	form := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location()))
	form.Says("Open on 2026-0001: 0.00 EUR. Paid: 135.77 EUR. What you credit beyond the open amount becomes credit of the customer")
	form = b.Page(x.Caller.Press(form, "Preview")).Says("Net 111.99 Tax 23.78 This credit note EUR 135.77",
		"Becomes credit of the customer 135.77")
	made := x.Caller.Press(form, "Create credit note")
	page, _, _ := strings.Cut(made.Location(), "?")
	note := sitetest.Decode[credited](b, b.Program(b.Replica, b.Acme).Get("/api/v1"+page))
	receipt := "/receipts/" + note.Receipt
	b.Page(x.Caller.Get(page)).Says("Credits invoice 2026-0001 of 21 Nov 2026", "Became credit of the customer 135.77").LeadsTo(receipt)
	b.Page(x.Caller.Get("/invoices/"+x.ID)).Says("Credited 135.77 EUR 135.77 paid. 135.77 became credit. Nothing is open.",
		"Paid 135.77 Became credit of the customer −135.77 Credited 135.77 Open EUR 0.00", "Became credit",
		"−135.77 EUR", "135.77 EUR became credit with "+note.Number).
		LeadsTo(receipt)
	shown := b.Program(b.Replica, b.Acme).Get("/api/v1/invoices/" + x.ID)
	const amounts = `"paid":"135.77","became_credit":"135.77","credited":"135.77","written_off":"0.00","open":"0.00"`
	assert.Thatf(t, strings.Contains(shown.Body, amounts), "%v", shown)
	b.Page(x.Caller.Get(receipt)).Says("Became credit on", "Credit note "+note.Number, "Credit left 135.77 EUR", "Pay credit back").
		LeadsTo(page)

	// Neither the credit nor a payment from it is received money.
	b.Page(x.Caller.Get("/receipts?currency=EUR")).Says("Record a receipt From credit notes 1 135.77 EUR Credit left")
	other := b.Prepared(x.Acme, "other", invoicecases.Invoices(), invoicecases.Invoices().Command).ID
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "other")
	program.Post("/api/v1/invoices/"+other+"/issue", `{}`).Want(t, http.StatusOK)
	program.Post("/api/v1"+receipt+"/allocations", `{"invoice_id": "`+other+`", "amount": "0.07", "date": "2026-11-23"}`).
		Want(t, http.StatusCreated)
	b.Page(x.Caller.Get("/invoices/" + other)).
		Says("Payment Refund 0.07 EUR of it Remove payment of 0.07 EUR credit from " + note.Number + " 0.07 EUR")
	b.Page(x.Caller.Get("/payments?currency=EUR")).Says("Listed payments 1 135.77 EUR Listed, from credit notes 1 0.07 EUR", note.Number)
	b.Page(x.Caller.Get(page+"/reversals/new?key=used")).
		Says("You can't reverse this credit note.", "First take back the payment of 0.07 EUR on 2026-0002.")
	used := b.Page(x.Caller.Get(page)).Says("It can't be reversed. First take back the payment of 0.07 EUR on 2026-0002.").Text()
	assert.Thatf(t, !strings.Contains(used, "Reverse…"), "%s", used)
	whole := sitetest.Get[string](b, `SELECT id::text FROM payments WHERE amount = 13577`)
	b.Page(x.Caller.Get("/payments/" + whole + "/remove?key=credit")).
		Says("You can't remove this payment. Some of it became credit")
}

// TestAmountAndReversal checks the buttons that fill in all quantities or none, an amount in place of quantities, and that a credit note is
// reversed on its page, which then links to the reversal. The invoice, its history and the statement have both, and it can't be voided.
func TestAmountAndReversal(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.CreditNotes(), sitetest.HTML{})
	form := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location()))
	form = b.Page(x.Caller.Press(form, "None"))
	assert.Equal(t, fmt.Sprint(form.Typed()["line_quantity"]), "[ ]", "quantities of none")
	form = b.Page(x.Caller.Press(form, "All")).Says("This credit note EUR 135.77")
	typed := sitetest.Change(form.Typed(), "amount", "50.00", templates.RedisplayField, invoiceviews.PreviewCredit)
	form = b.Page(x.Caller.Submit(x.Resource.List()+"/form", typed)).Says("Net 41.24 Tax 8.76 This credit note EUR 50.00")
	page, _, _ := strings.Cut(x.Caller.Press(form, "Create credit note").Location(), "?")
	shown := b.Page(x.Caller.Get(page)).Says("Design Part of the amount 23% 36.83", "Printing Part of the amount 6.5% 4.41",
		"Total credited EUR 50.00")
	file := strings.Join(pdftest.Pages(t, []byte(x.Caller.Get(page+"/pdf").Body)), "")
	assert.Thatf(t, strings.Contains(file, "Design\nPart of the amount\n23%\n36.83\n"), "file: %s", file)

	asks := b.Page(x.Caller.Get(x.Caller.Get(page + "/reversals/new").Location())).Says("CN-2026-0001 of 50.00 EUR, for 2026-0001")
	shown.LeadsTo(page + "/reversals/new")
	back, _, _ := strings.Cut(x.Caller.Press(asks, "Reverse credit note").Location(), "?")
	b.Page(x.Caller.Get(page)).Says("Reversed by CN-2026-0002").LeadsTo(back)
	b.Page(x.Caller.Get(back)).Says("Reverses CN-2026-0001", "Credit note reversal CN-2026-0002", "Design Part of the amount 23% −36.83",
		"Total credited EUR −50.00").LeadsTo(page)
	invoice := b.Page(x.Caller.Get("/invoices/"+x.ID)).Says("Open 135.77 EUR", "Credit note reversed CN-2026-0002 −50.00 EUR").Text()
	assert.Thatf(t, !strings.Contains(invoice, "Void"), "%s", invoice)
	b.Page(x.Caller.Get("/invoices/" + x.ID + "/void?key=credited")).Says("It has credit notes, which stay even if reversed.")
	statement := sitetest.Get[string](b, `
		SELECT '/customers/' || customer_id || '/statement/csv?currency=EUR&from=' || n.issue_date || '&to=' || n.issue_date
		FROM credit_notes n JOIN invoices i ON i.id = invoice_id WHERE reverses_id IS NOT NULL`)
	account := x.Caller.Get(statement).Body
	assert.Thatf(t, strings.Contains(account, ",credit_note,CN-2026-0001,") &&
		strings.Contains(account, ",credit_note_reversal,CN-2026-0002,,,EUR,50.00,"), "%s", account)
	b.Page(x.Caller.Get("/invoices/" + x.ID + "/events")).Says("Credit note of 50.00 EUR reversed by CN-2026-0002")
	b.Page(x.Caller.Get(page + "/reversals/new?key=again")).Says("This credit note was reversed by CN-2026-0002.")
}

// TestSendFromThePage: a credit note that wasn't sent has a button that sends it, and a form for another recipient with its texts.
func TestSendFromThePage(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.CreditNotes(), sitetest.HTML{})
	quiet := sitetest.Change(x.Command, "tell_customer", "")
	page, _, _ := strings.Cut(x.Ask(quiet).Location(), "?")
	shown := b.Page(x.Caller.Get(page)).Says("Not sent by email.")
	sends := "/invoices/" + x.ID + "/send/new?credit_note_id=" + strings.TrimPrefix(page, "/credit-notes/")
	shown.LeadsTo(sends)
	form := b.Page(x.Caller.Get(x.Caller.Get(sends).Location())).Says("Send this credit note by email")
	assert.Equal(t, form.Typed().Get("subject"), "Credit note CN-2026-0001 for invoice 2026-0001 from Acme")
	assert.Thatf(t, strings.HasPrefix(form.Typed().Get("introduction"), "Hello Ada Lovelace,\n\nOn 22 November 2026, we credited"),
		"%q", form.Typed().Get("introduction"))
	to := sitetest.Change(form.Typed(), "recipient", "no address")
	form = b.Page(x.Caller.Submit("/invoices/"+x.ID+"/send", to))
	assert.Equal(t, form.Typed().Get("credit_note_id"), to.Get("credit_note_id"), "the kept credit note")
	sent := x.Caller.Press(shown, "Send by email")
	assert.Thatf(t, strings.HasPrefix(sent.Location(), page), "%v", sent)
	b.Page(x.Caller.Get(page)).Says("Credit note to ada@example.com")
}

// TestCreditEverything: a program omits the lines, and a form is filled with the remaining quantities.
func TestCreditEverything(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.CreditNotes(), sitetest.HTML{})
	form := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location()))
	form.Says("Open on 2026-0001: 135.77 EUR", "Design 2 50.00 100.00 2 (100.00)", "Printing 1.5 7.99 11.99 1.5 (11.99)")
	quantities := form.Typed()["line_quantity"]
	assert.Thatf(t, fmt.Sprint(quantities) == "[2 1.5]", "suggested are %q", quantities)
	program := b.Program(b.Replica, b.Acme)
	made := program.With("Idempotency-Key", sitetest.Key).Post("/api/v1"+x.Resource.List(), `{}`)
	note := sitetest.Decode[credited](b, made)
	assert.Thatf(t, made.Status == http.StatusCreated && note.Total == "135.77" && note.Subtotal == "111.99" &&
		fmt.Sprint(note.Lines) == "[{1 2 100.00} {2 1.5 11.99}]" && fmt.Sprint(note.Taxes) == "[{6.5 11.99 0.78} {23 100.00 23.00}]",
		"%v", made)
	b.Page(x.Caller.Get("/invoices/"+x.ID)).Says("Credited", "Nothing is open.", "Credit note "+note.Number+" 135.77 EUR").
		LeadsTo(made.Location()[len("/api/v1"):])
	b.Page(x.Caller.Get(made.Location()[len("/api/v1"):])).Says(
		"Credit note "+note.Number, "Credits invoice 2026-0001", "Ada Lovelace", "Tax 23% on 100.00 23.00", "Total credited EUR 135.77")

	asked := x.Caller.Press(form, "Create credit note")
	x.Format.Refused(x, asked, "open-amount-changed", nil)
	b.Page(asked).Says("The open amount has changed since you opened this form.", "Design 2 50.00 100.00 0 (0.00)")
	again := program.With("Idempotency-Key", "another").Post("/api/v1"+x.Resource.List(), `{}`)
	sitetest.JSON{}.Refused(x, again, "exceeds-invoice", nil)
	none := x.Caller.Get(x.Resource.List() + "/new?key=another")
	x.Format.Refused(x, none, "exceeds-invoice", nil)
	b.Page(none).Says("There's nothing left to credit.")
}

// TestCreditedInPart: the invoice's page has the same state as the list, and doesn't count credits as payments. The list of credit notes
// finds the credit note, also by words of its reason, and sums it up.
func TestCreditedInPart(t *testing.T) {
	b := sitetest.Setup(t)
	notes := invoicecases.CreditNotes()
	notes.Parent.Command = sitetest.Change(notes.Parent.Command, "due_date", "2099-12-31") // never overdue
	x := b.Case(notes, sitetest.HTML{})
	x.Format.Done(x, x.Ask(sitetest.Change(x.Command, "reason", "Two designs were damaged in transit")))
	total := sitetest.Get[int64](b, `SELECT total FROM credit_notes`)
	amount := fmt.Sprintf("%d.%02d", total/100, total%100)
	for _, search := range []string{"cn-20", amount, "2026-0001", "ada", "damaged", "TRANSIT desi", "transit " + amount} {
		b.Page(x.Caller.Get("/credit-notes?" + url.Values{"q": {search}}.Encode())).Says("Credited 1 ")
	}
	for _, search := range []string{"damaged goods", "transit 0.01", "!"} {
		b.Page(x.Caller.Get("/credit-notes?" + url.Values{"q": {search}}.Encode())).Says("No credit notes")
	}
	for _, path := range []string{"/invoices/" + x.ID, "/invoices"} {
		page := b.Page(x.Caller.Get(path)).Says("Partially credited")
		assert.Thatf(t, !strings.Contains(page.Text(), "0.00 of "), "%s counts what was not paid", path)
	}
}
