package receiptpages_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestReceiveForTwoInvoices: a payment that is larger than what is open leads to the form of a receipt with what was typed, which fills in
// its invoice, before the other open ones, and leaves the rest as credit. Its page and those of the invoice and the customer show what
// became of the money, until a payment is removed.
func TestReceiveForTwoInvoices(t *testing.T) {
	b := sitetest.Setup(t)
	person, invoices := b.Person(b.Replica, b.Acme), invoicecases.Invoices()
	one := b.Prepared(b.Acme, "one", invoices, invoices.Command, "issue").ID
	two := b.Prepared(b.Acme, "two", invoices, sitetest.Change(invoices.Command, "due_date", "2026-12-01"), "issue").ID
	customer := sitetest.Get[string](b, `SELECT id::text FROM customers`)

	form := b.Page(person.Get(person.Get("/invoices/" + one + "/payments/new").Location()))
	typed := sitetest.Change(form.Typed(), "amount", "200", "provider", "Bank", "reference", "TX 1", "date", "2026-11-22")
	p := b.Page(person.Submit("/invoices/"+one+"/payments", typed)).Says("Record it as a receipt, with the rest as credit.")
	address := "/receipts/new?" + url.Values{
		"allocation_invoice_id": {one}, "amount": {"200"}, "currency": {"EUR"}, "customer_id": {customer}, "date": {"2026-11-22"},
		"method":   {"bank_transfer"},
		"provider": {"Bank"}, "reference": {"TX 1"},
	}.Encode()
	p.LeadsTo(address)
	form = b.Page(person.Get(person.Get(address).Location())).Says("2026-0002, due 1 Dec 2026: 135.77 EUR open")
	typed = form.Typed()
	assert.Equal(t, strings.Join(typed["allocation_invoice_id"], " "), one+" "+two, "its invoice first")
	assert.Equal(t, strings.Join(typed["allocation_amount"], " "), "135.77 ", "filled in, and the rest is credit")
	again := b.Page(person.Submit("/receipts/form", sitetest.Change(typed, "amount", "200", "action", "fill"))).Typed()
	assert.Equal(t, strings.Join(again["allocation_amount"], " "), "135.77 64.23", "filled in again, on request")

	typed.Set("amount", "300")
	typed["allocation_amount"] = []string{"135.77", "135.78"}
	refused := person.Submit("/receipts", typed)
	assert.Equal(t, refused.Status, http.StatusConflict, "refused")
	p = b.Page(refused).Says("The open amount of 2026-0002 is 135.77 EUR.", "Enter at most 135.77.")
	p.Marks(invoicecases.Receipts(), nil)
	sitetest.Keeps(b, p, typed)
	typed["allocation_amount"] = []string{"135.77", ""}
	made := person.Submit("/receipts", typed)
	assert.Equal(t, made.Status, http.StatusSeeOther, "made")
	at := made.Location()
	b.Page(person.Get(at)).Says("Receipt of 300.00 EUR on 22 Nov 2026", "Bank TX 1", "Paid invoices 135.77 EUR", "Credit left 164.23 EUR",
		"22 Nov 2026 2026-0001 Remove payment of 135.77 EUR").LeadsTo(at + "/allocations/new")
	b.Page(person.Get("/invoices/"+one)).Says("Nothing is open.", "Bank transfer · Bank TX 1 part of a receipt").LeadsTo(at)
	b.Page(person.Get("/payments?q=tx+1")).Says("22 Nov 2026 Ada Lovelace Bank TX 1 135.77 EUR", "Listed payments 1 135.77 EUR")
	b.Page(person.Get("/payments?q=tx+2")).Says("No payments")
	csv := person.Get("/payments/csv").Body
	assert.Thatf(t, strings.Contains(csv, ",bank_transfer,Bank,TX 1\r\n"), "%s", csv)
	refund := "/payments/" + sitetest.Get[string](b, `SELECT id::text FROM payments`) + "/refunds/new"
	b.Page(person.Get(person.Get(refund).Location())).
		Says("Nothing is open on the invoice now. It will have 135.77 EUR open again, or less if you refund less.")
	p = b.Page(person.Get("/customers/" + customer)).Says("Credit 1 164.23 EUR")
	p.LeadsTo(at)
	p.LeadsTo("/receipts/new?customer_id=" + customer)

	offered := at + "/allocations/new?amount=135.77&invoice_id=" + two
	b.Page(person.Get("/invoices/" + two)).Says("Ada Lovelace has credit of 164.23 EUR. Pay with it").LeadsTo(offered)
	typed = b.Page(person.Get(person.Get(offered).Location())).Typed()
	assert.Equal(t, typed.Get("invoice_id")+" "+typed.Get("amount"), two+" 135.77", "offered")
	form = b.Page(person.Get(person.Get(at+"/allocations/new").Location())).Says("2026-0002, due 1 Dec 2026, 135.77 EUR open",
		"At most the credit left, 164.23 EUR.")
	typed = form.Typed()
	assert.Equal(t, typed.Get("invoice_id")+" "+typed.Get("amount"), two+" 135.77", "the only open invoice")
	applied := person.Submit(at+"/allocations", sitetest.Change(typed, "amount", "164.23"))
	b.Page(applied).Says("The open amount is 135.77 EUR.")
	applied = person.Submit(at+"/allocations", sitetest.Change(form.Typed(), "invoice_id", two, "amount", "100", "date", "2026-11-24"))
	assert.Equal(t, applied.Location(), at, "applied")
	b.Exec(`
		INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method)
		SELECT tenant_id, new_id(), customer_id, currency, 3000, received_on, method FROM receipts`)
	b.Page(person.Get("/invoices/" + two)).Says("Ada Lovelace has credit of 94.23 EUR. Pay with the oldest, 64.23 EUR")
	form = b.Page(person.Get(person.Get(at + "/repayments/new").Location())).Says("At most the credit left, 64.23 EUR.")
	repaid := sitetest.Change(form.Typed(), "amount", "64.23", "date", "2026-11-25", "reference", "RP 1")
	person.Submit(at+"/repayments", repaid).Want(t, http.StatusSeeOther)
	b.Page(person.Get(at)).Says("Paid back 64.23 EUR Credit left 0.00 EUR", "64.23 EUR on 25 Nov 2026 RP 1", "Credit paid back",
		"Credit allocated to an invoice")
	account := "/customers/" + sitetest.Get[string](b, `SELECT id::text FROM customers`) + "/statement?from=2026-11-01&to=2026-11-30"
	b.Page(person.Get(account)).Says("25 Nov 2026 Credit paid back RP 1 64.23")
	b.Page(person.Get(at + "/allocations/new?key=none")).Says("Nothing is left of this receipt.")

	remove := "/payments/" + sitetest.Get[string](b, `SELECT id::text FROM payments WHERE invoice_id = $1`, one) + "/remove"
	form = b.Page(person.Get(person.Get(remove).Location())).Says("The credit of the customer goes up by 135.77 EUR.")
	person.Press(form, "Remove payment").Want(t, http.StatusSeeOther)
	b.Page(person.Get(at)).Says("Credit left 135.77 EUR", "2026-0001 removed", "Payment of an invoice removed")
	b.Page(person.Get(at + "/remove?key=used")).Says("You can't remove this receipt.")
}

// TestFillInAgain: without JavaScript, a button fills in the amounts of the chosen customer's open invoices. A list of receipts has those
// of one customer, also as a file.
func TestFillInAgain(t *testing.T) {
	b := sitetest.Setup(t)
	person, invoices := b.Person(b.Replica, b.Acme), invoicecases.Invoices()
	b.Prepared(b.Acme, "one", invoices, invoices.Command, "issue")
	customer := sitetest.Get[string](b, `SELECT id::text FROM customers`)
	b.Exec(`UPDATE settings SET currency = 'USD'`)
	form := b.Page(person.Get(person.Get("/receipts/new?customer_id=" + customer).Location()))
	assert.Equal(t, form.Typed().Get("currency"), "EUR", "the currency of the open invoice")
	form = b.Page(person.Get(person.Get("/receipts/new").Location()))
	typed := sitetest.Change(form.Typed(), "customer_id", customer, "amount", "1,000.50", "currency", "EUR", "action", "fill")
	p := b.Page(person.Submit("/receipts/form", typed))
	assert.Equal(t, p.Typed().Get("allocation_amount"), "135.77", "filled in")
	b.Page(person.Submit("/receipts/form", sitetest.Change(typed, "currency", "USD"))).Says("No invoice in this currency is open.")
	p = b.Page(person.Submit("/receipts", sitetest.Change(p.Typed(), "date", "2026-11-22", "amount", "100")))
	p.Says("The invoices get 135.77 EUR together, which is more than this amount.")
	typed = sitetest.Change(p.Typed(), "amount", "1000.50", "provider", "Bank", "reference", "BX 1")
	person.Submit("/receipts", typed).Want(t, http.StatusSeeOther)
	b.Prepared(b.Acme, "draft", invoices, sitetest.Change(invoices.Command, "currency", "GBP", "issue_date", "2026-11-23"))
	form = b.Page(person.Get(person.Get("/receipts/new?customer_id=" + customer).Location()))
	assert.Equal(t, form.Typed().Get("currency"), "EUR", "the currency of the last issued invoice, not of the draft")
	b.Page(person.Get("/receipts?customer_id=" + customer)).Says("1,000.50 EUR on 22 Nov 2026 Ada Lovelace Bank BX 1 864.73 EUR")
	b.Page(person.Get("/receipts?customer_id=" + sitetest.Nobody)).Says("No receipts found")
	for query, found := range map[string]bool{
		"q=1000.50": true, "q=lovelace+1,000.50": true, "q=grace+1000.50": false, "q=ada": true, "q=nobody": false, "q=bx": true,
		"from=2026-11-23": false, "to=2026-11-22&currency=EUR": true, "currency=USD": false, "q=ada&customer_id=" + customer: true,
	} {
		if p := b.Page(person.Get("/receipts?" + query)); found {
			p.Says("Received 1 1,000.50 EUR Credit left 1 864.73 EUR")
		} else {
			p.Says("No receipts found")
		}
	}
	person.Get("/receipts?customer_id=nothing").Want(t, http.StatusUnprocessableEntity)
	csv := person.Get("/receipts/csv")
	csv.Want(t, http.StatusOK)
	assert.Thatf(t, len(csv.Body) > 0, "%v", csv)
}

// TestRemoveAReceipt removes a receipt and its repayment on their pages. In a closed period, neither they nor the page of the invoice have
// a button, and the pages that ask about each removal, and about voiding an invoice, have the reason instead. The payments that were
// recorded with the receipt are removed, too.
func TestRemoveAReceipt(t *testing.T) {
	b := sitetest.Setup(t)
	person, program, invoices := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme), invoicecases.Invoices()
	invoice := "/invoices/" + b.Prepared(b.Acme, "one", invoices, invoices.Command, "issue").ID
	post := func(path, body string) string {
		made := program.With("Idempotency-Key", strconv.Quote(path+strconv.Itoa(len(body)))).Post("/api/v1"+path, body)
		made.Want(t, http.StatusCreated)
		return sitetest.Decode[sitetest.Created](b, made).ID
	}
	customer := sitetest.Get[string](b, `SELECT id::text FROM customers`)
	at := "/receipts/" + post("/receipts", `{"customer_id": "`+customer+`", "currency": "EUR", "amount": "90.00",
		"date": "2025-03-01", "method": "cash",
		"allocations": [{"invoice_id": "`+strings.TrimPrefix(invoice, "/invoices/")+`", "amount": "40.00"}]}`)
	repayment := "/repayments/" + post(at+"/repayments", `{"amount": "10.00", "date": "2025-03-02"}`) + "/remove"
	payment := "/payments/" + sitetest.Get[string](b, `SELECT id::text FROM payments`)
	refund := "/refunds/" + post(payment+"/refunds", `{"amount": "5.00", "date": "2025-03-03"}`) + "/remove"

	of := sitetest.Change(invoices.Command, "issue_date", "2025-03-01", "due_date", "")
	void := "/invoices/" + b.Prepared(b.Acme, "void", invoices, of, "issue").ID + "/void"
	spare := post("/receipts", `{"customer_id": "`+customer+`", "currency": "EUR", "amount": "1.00",
		"date": "2025-03-01", "method": "cash"}`)
	paid := "/invoices/" + b.Prepared(b.Acme, "paid", invoices, of, "issue").ID
	simple := post(paid+"/payments", `{"amount": "1.00", "date": "2025-03-31", "method": "cash"}`)

	closing := "/api/v1/closings/" + post("/closings", `{"through": "2025-03-31"}`)
	for path, times := range map[string]int{at: 1, "/receipts/" + spare: 1, invoice: 1} { // the repayment, the receipt, the refund
		text := b.Page(person.Get(path)).Text()
		assert.Thatf(t, strings.Count(text, "Its period is closed") == times && !strings.Contains(text, "Remove"), "%s: %s", path, text)
	}
	text := b.Page(person.Get(strings.TrimSuffix(void, "/void"))).Says("Its period is closed, so it can't be voided").Text()
	assert.Thatf(t, !strings.Contains(text, "Void…"), "%s", text)
	for path, says := range map[string]string{
		repayment: "Record a receipt, or", refund: "Record a payment, or", void: "Credit it, or",
		"/receipts/" + spare + "/remove": "Pay the money back, or", "/payments/" + simple + "/remove": "Refund it, or",
		payment + "/remove": "Refund it, or", // and not: remove the refund first, which is refused too
	} {
		refused := person.Get(path + "?key=closed")
		p := b.Page(refused).Says("The books are closed through 31 Mar 2025.", says+" reopen the books.")
		assert.Thatf(t, refused.Status == http.StatusConflict && !strings.Contains(p.Text(), "Cancel"), "%s: %v", path, refused)
	}
	program.Post(closing+"/reopen", "").Want(t, http.StatusOK)

	b.Page(person.Get(invoice)).LeadsTo(refund)
	p := b.Page(person.Get(at)).Says("10.00 EUR on 2 Mar 2025 Remove repayment of 10.00 EUR on 2 Mar 2025")
	p.LeadsTo(repayment)
	b.Page(person.Get(at+"/remove?key=used")).Says("You can't remove this receipt.",
		"First take back the repayment of 10.00 EUR and the refund of 5.00 EUR on 2026-0001.")
	p = b.Page(person.Get(person.Get(repayment).Location())).Says("Remove repayment Ada Lovelace: 10.00 EUR, paid back 2 Mar 2025",
		"The credit of the customer goes up by 10.00 EUR.", "recorded today, 27 Nov 2026.")
	person.Press(p, "Remove repayment").Want(t, http.StatusSeeOther)
	b.Page(person.Get(at)).Says("Repayment removed.", "10.00 EUR on 2 Mar 2025 removed", "Credit left 50.00 EUR")
	program.Post("/api/v1"+refund, "").Want(t, http.StatusOK)
	b.Page(person.Get(at)).LeadsTo(at + "/remove")
	p = b.Page(person.Get(person.Get(at+"/remove").Location())).Says("Remove receipt Ada Lovelace: 90.00 EUR, received 1 Mar 2025",
		"The credit of the customer goes down by 50.00 EUR.", "what is open on their invoices goes up by 40.00 EUR together.",
		"recorded today, 27 Nov 2026.")
	person.Press(p, "Remove receipt").Want(t, http.StatusSeeOther)
	b.Page(person.Get(at)).Says("Receipt 90.00 EUR on 1 Mar 2025 removed.", "2026-0001 removed")
	b.Page(person.Get(invoice)).Says("Open 135.77 EUR", "Payment of 40.00 EUR removed")
}

// TestRemovalNeedsOthers: the page that removes a receipt leads to all that has to be taken back first, and the page of the receipt has it,
// too. The payment that became credit has the reason in place of its button.
func TestRemovalNeedsOthers(t *testing.T) {
	b := sitetest.Setup(t)
	person, program, invoices := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme), invoicecases.Invoices()
	of := sitetest.Change(invoices.Command, "issue_date", "2025-03-01", "due_date", "")
	invoice := b.Prepared(b.Acme, "one", invoices, of, "issue").ID
	post := func(path, body string) string {
		made := program.With("Idempotency-Key", strconv.Quote(path)).Post("/api/v1"+path, body)
		made.Want(t, http.StatusCreated)
		return sitetest.Decode[sitetest.Created](b, made).ID
	}
	customer := sitetest.Get[string](b, `SELECT id::text FROM customers`)
	at := "/receipts/" + post("/receipts", `{"customer_id": "`+customer+`", "currency": "EUR", "amount": "150.00", "date": "2025-03-01",
		"method": "cash", "allocations": [{"invoice_id": "`+invoice+`", "amount": "135.77"}]}`)
	repayment := post(at+"/repayments", `{"amount": "10.00", "date": "2025-04-02"}`)
	note := post("/invoices/"+invoice+"/credit-notes", `{"amount": "35.77"}`)
	closing := post("/closings", `{"through": "2025-03-31"}`)

	const all = "First take back the closing through 31 Mar 2025, the repayment of 10.00 EUR and the credit note of 35.77 EUR on 2025-0001."
	refused := person.Get(at + "/remove?key=used")
	refused.Want(t, http.StatusConflict)
	p := b.Page(refused).Says("You can't remove this receipt. " + all)
	for _, link := range []string{at, "/closings/" + closing, "/repayments/" + repayment, "/credit-notes/" + note} {
		p.LeadsTo(link)
	}
	b.Page(person.Get(at)).Says(all)
	program.With("Idempotency-Key", `"reopen"`).Post("/api/v1/closings/"+closing+"/reopen", "").Want(t, http.StatusOK)
	text := b.Page(person.Get(at)).Says("2025-0001 A part became credit with a credit note").Text()
	assert.Thatf(t, !strings.Contains(text, "Remove payment"), "%s", text)
}
