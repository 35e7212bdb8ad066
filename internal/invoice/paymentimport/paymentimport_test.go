package paymentimport_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/importing/importingtest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/paymentimport"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/money"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// setup returns a bundle with invoices of 100.00 EUR, INV-0 and so on.
func setup(t *testing.T, invoices int) *importingtest.Bundle {
	t.Helper()
	b := importingtest.Setup(t, paymentimport.Kind)
	for n := range invoices {
		issue(b, fmt.Sprint("INV-", n), "2026-11-21")
	}
	return b
}

// issue creates and issues an invoice of 100.00 EUR.
func issue(b *importingtest.Bundle, number, day string) {
	b.Helper()
	d, err := invoice.Input{
		Number: number, Customer: &customer.Input{Name: "Ada Lovelace"}, IssueDate: day, Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(b, err)
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(number+" "+day), d)
	must.OK(b, err)
	b.OK(invoice.Issue.Do(b.Context(), b.Store, b.Of(number+" "+day, made.Value.ID, 0), invoice.IssueDraft{NoEmail: true}))
}

const headings = "Invoice Number,Date,Amount,Reference,Method\n"

// rows returns payments of 1.00 of two invoices, two equal ones of each.
func rows(from, to int) string {
	var text strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&text, "INV-%d,2026-11-%02d,1.00,,Visa\n", n%2, n/4+1)
	}
	return text.String()
}

// books returns the sums of the payments and invoices: "paid 200, open 9800".
func books(b *importingtest.Bundle) string {
	b.Helper()
	return storetest.Value[string](b, `
		SELECT format('paid %s, open %s', (SELECT COALESCE(sum(amount), 0) FROM payments), (SELECT sum(open_amount) FROM invoices))`)
}

// TestSamePaymentsAgain imports a file, then the same one, and then one with ten more payments in other places: exactly those are created.
func TestSamePaymentsAgain(t *testing.T) {
	b := setup(t, 2)
	for i, c := range []struct{ content, want, books string }{
		{headings + rows(0, 40), "40 created, 0 known, 0 left out, 40 payments", "paid 4000, open 16000"},
		{headings + rows(0, 40), "0 created, 40 known, 0 left out, 40 payments", "paid 4000, open 16000"},
		{headings + rows(45, 50) + rows(0, 45), "10 created, 40 known, 0 left out, 50 payments", "paid 5000, open 15000"},
	} {
		assert.Equal(t, b.Imported(fmt.Sprint("import ", i), c.content), c.want, i)
		assert.Equal(t, books(b), c.books, i)
	}
}

// TestVerdicts checks the verdict on each payment before the confirmation, and which are imported.
func TestVerdicts(t *testing.T) {
	b := setup(t, 3)
	issue(b, "2025", "2025-03-01")
	issue(b, "2025", "2026-03-01")
	d, err := invoice.Input{
		Number: "DRAFT-1", Customer: &customer.Input{Name: "Ada"}, IssueDate: "2026-11-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(t, err)
	b.OK(invoice.Create.Do(t.Context(), b.Store, b.Intent("draft"), d))
	const columns = "id,Invoice Number,Date,Amount,Currency,Reference\n"
	assert.Equal(t, b.Imported("before", columns+"py_1,INV-0,21.11.2026,\"30,00\",EUR,\n"), "1 created, 0 known, 0 left out, 1 payments")
	b.Exec(`INSERT INTO closings (tenant_id, id, through) VALUES ($1, new_id(), '2026-10-31')`, b.Tenant)
	i := b.Uploaded("upload", columns+strings.Join([]string{
		"py_1,INV-0,2026-11-21,\"30,00\",EUR,", "py_1,INV-0,2026-11-21,\"30,00\",EUR,", "py_2,inv-1,2026-11-22,\"60,00\",,TX 1",
		"py_3,INV-1,2026-11-22,\"60,00\",,", ",INV-1,2026-11-22,\"40,00\",eur,", ",INV-9,2026-11-22,\"60,00\",EUR,",
		",DRAFT-1,2026-11-22,\"60,00\",EUR,", ",INV-2,2026-11-22,\"60,00\",USD,", ",INV-2,2026-11-22,\"-60,00\",EUR,",
		",INV-2,2026-10-22,\"60,00\",EUR,", ",2025,2026-11-22,1,EUR,", ",INV-2,,1,EUR,", ",INV-2,2026-11-22,1,EUR,TX 1",
	}, "\n")+"\n")
	assert.Equal(t, strings.Join(b.Preview(i), "\n"), strings.Join([]string{
		"2 known", "3 wrong Line 2 has the same ID.", "4 new",
		"5 wrong The open amount is 40.00 EUR. The payment is larger.", "6 new", "7 wrong No invoice has the number INV-9.",
		"8 wrong The invoice isn't issued. Only an issued invoice can be paid.", "9 wrong The invoice is in EUR, and the payment in USD.",
		"10 wrong Enter an amount above 0, like 50.00.",
		"11 wrong The books are closed through 31 Oct 2026. Change the date, or reopen the books.",
		"12 wrong Invoices of several years have the number 2025. Record this payment by hand.",
		"13 wrong Enter the number or the ID of the invoice, and the day of the payment from 2000 to 2099.",
		"14 new Its reference is left out, because line 4 has the same.",
	}, "\n"))
	done, err := b.Confirm(b.Store, "confirm", i)
	must.OK(t, err)
	must.OK(t, b.Work(t.Context(), b.Store, done.Value))
	assert.Equal(t, len(b.Problems(i)), 9, "problems")
	assert.Equal(t, b.Outcome(i), "3 created, 1 known, 9 left out, 4 payments")

	i = b.Uploaded("differs", columns+"py_1,INV-0,2026-11-23,\"35,00\",EUR,\n")
	assert.Equal(t, strings.Join(b.Preview(i), ""),
		"2 differs Amount: saved is 30.00, the file has 35.00. Date: saved is 21 Nov 2026, the file has 23 Nov 2026.")
}

// TestPaid imports only payments whose money is there and stays.
func TestPaid(t *testing.T) {
	b := setup(t, 1)
	const refunded = "wrong It was refunded, in whole or in part. Record the refund by hand, and the payment unless it is there."
	content := "Invoice Number,Created date (UTC),Amount Applied,Status,Captured,Amount Refunded\n"
	var want []string
	for n, c := range []struct{ cells, want string }{
		{"Paid,TRUE,0.00", "new"}, {"succeeded,,", "new"}, {"Completed,true,", "new"}, {"captured,,", "new"}, {"settled,,", "new"},
		{",,", "new"}, {"complete,,-0.00", "new"}, {"accepted,,", "new"},
		{"Failed,FALSE,0.00", "wrong Its status is “failed”, so it isn't paid."},
		{"Pending,,", "wrong Its status is “pending”, so it isn't paid."},
		{"Canceled,,", "wrong Its status is “canceled”, so it isn't paid."},
		{"Cancelled,,", "wrong Its status is “cancelled”, so it isn't paid."},
		{"Uncaptured,FALSE,", "wrong Its status is “uncaptured”, so it isn't paid."},
		{"requires_payment_method,,", "wrong Its status is “requires payment method”, so it isn't paid."},
		{"Blocked,,", "wrong Its status is “blocked”, so it isn't paid."},
		{"Disputed,TRUE,", "wrong Its status is “disputed”, so it isn't paid."},
		{"in-transit,,", "wrong Its status is “in transit”, so it isn't paid."},
		{"Paid,FALSE,", "wrong It wasn't captured, so it isn't paid."},
		{"Refunded,TRUE,1.00", refunded},
		{"Partially Refunded,,", refunded},
		{",,0.50", refunded},
		{"Odd,,", "wrong The status “odd” is unknown. Record this payment by hand if it was paid."},
	} {
		content += "INV-0,2026-11-21,1.00," + c.cells + "\n"
		want = append(want, fmt.Sprint(n+2, " ", c.want))
	}
	i := b.Uploaded("upload", content)
	i.DecimalSign = importing.Point
	assert.Equal(t, strings.Join(b.Preview(i), "\n"), strings.Join(want, "\n"))
	assert.Equal(t, b.Imported("import", content), "8 created, 0 known, 14 left out, 8 payments")
	assert.Equal(t, books(b), "paid 800, open 9200")
}

// TestReferences imports payments with the same reference. It is no identity, and only one of them has it.
func TestReferences(t *testing.T) {
	b := setup(t, 3)
	id := storetest.Value[uuid.UUID](b, `SELECT id FROM invoices WHERE number = 'INV-2'`)
	euro, _ := money.ParseCurrency("EUR")
	d, err := payment.Input{Amount: "7.00", Date: "2026-11-20", Method: "cash", Provider: "CSV", Reference: "TX 1"}.Draft(id, euro)
	must.OK(t, err)
	b.OK(payment.Create.Do(t.Context(), b.Store, b.Intent("by hand"), d))
	content := headings + strings.Join([]string{
		"INV-0,2026-11-21,10.00,Cash,", "INV-1,2026-11-22,20.00,Cash,", "INV-0,2026-11-21,10.00,Cash,", "INV-0,2026-11-21,7.00,TX 1,",
		"INV-2,2026-11-21,8.00,TX 1,", "INV-1,2026-11-22,20.00," + strings.Repeat("é", 101) + ",", "INV-2,2026-11-21,7.00,TX 1,",
	}, "\n") + "\n"
	assert.Equal(t, strings.Join(b.Preview(b.Uploaded("upload", content)), "\n"), strings.Join([]string{
		"2 new", "3 new Its reference is left out, because line 2 has the same.",
		"4 new Its reference is left out, because line 2 has the same.", "5 new Its reference is left out, because another payment has it.",
		"6 new Its reference is left out, because line 5 has the same.",
		"7 new Its reference is left out, because it has more than 100 characters.",
		"8 alike Looks like a payment of this invoice with the same amount and reference.",
	}, "\n"))
	assert.Equal(t, b.Imported("import", content), "6 created, 0 known, 1 left out, 7 payments")
	assert.Equal(t, books(b), "paid 8200, open 21800")
	assert.Equal(t, storetest.Value[string](b, `SELECT string_agg(reference, ',' ORDER BY reference) FROM payments`), "Cash,TX 1")
	assert.Equal(t, b.Imported("again", content), "0 created, 6 known, 1 left out, 7 payments")
	assert.Equal(t, b.Imported("more", content+"INV-0,2026-11-21,10.00,Cash,\n"), "1 created, 6 known, 1 left out, 8 payments")
	i := b.Uploaded("with alike ones", content)
	i.TakesAlike = true
	done, err := b.Confirm(b.Store, "with alike ones, confirmed", i)
	must.OK(t, err)
	must.OK(t, b.Work(t.Context(), b.Store, done.Value))
	assert.Equal(t, b.Outcome(i), "1 created, 6 known, 0 left out, 9 payments")
}

// TestPaidWithTheInvoice asks about payments of an invoice that was imported with what was paid.
func TestPaidWithTheInvoice(t *testing.T) {
	b := setup(t, 2)
	id := storetest.Value[uuid.UUID](b, `SELECT id FROM invoices WHERE number = 'INV-0'`)
	euro, _ := money.ParseCurrency("EUR")
	d, err := payment.Input{
		Amount: "40.00", Date: "2026-11-21", Method: "other",
		External: idempotency.External{Source: "csv", ExternalID: "imported with INV-0 of 2026-11-21"},
	}.Draft(id, euro)
	must.OK(t, err)
	b.OK(payment.Create.Do(t.Context(), b.Store, b.Intent("with the invoice"), d))
	content := headings + "INV-0,2026-11-21,40.00,,\nINV-1,2026-11-21,40.00,,\nINV-1,2026-11-21,$40.00,,\n"
	assert.Equal(t, strings.Join(b.Preview(b.Uploaded("upload", content)), "\n"),
		"2 alike May be part of the 40.00 EUR that was recorded as paid when the invoice was imported.\n3 new\n"+
			"4 wrong The invoice is in EUR, and the payment is $40.00.")
	assert.Equal(t, b.Imported("import", content), "1 created, 0 known, 2 left out, 2 payments")
}

// TestIDsOfInvoices finds invoices by their IDs in the system of the file.
func TestIDsOfInvoices(t *testing.T) {
	b := setup(t, 3)
	b.DB.Spoil(t)
	must.Exec(t, b.DB.Admin(), `
		ALTER TABLE invoices DISABLE TRIGGER USER;
		UPDATE invoices SET source = 'CSV', external_id = 'in_' || right(number, 1), external_digest = sha256('') WHERE number <> 'INV-2';
		ALTER TABLE invoices ENABLE TRIGGER USER`)
	content := "id,Invoice ID,Date,Amount\nch_1,in_0,2026-11-21,1\nch_2,in_1,2026-11-21,1\nch_3,in_9,2026-11-21,1\nch_4,,2026-11-21,1\n"
	assert.Equal(t, strings.Join(b.Preview(b.Uploaded("upload", content)), "\n"), strings.Join([]string{
		"2 new", "3 new", "4 wrong No invoice from csv has the ID in_9. Import the invoices first.",
		"5 wrong Enter the number or the ID of the invoice, and the day of the payment from 2000 to 2099.",
	}, "\n"))
	assert.Equal(t, b.Imported("import", content), "2 created, 0 known, 2 left out, 2 payments")
	assert.Equal(t, storetest.Value[string](b, `
		SELECT string_agg(i.number || ' ' || i.paid, ',' ORDER BY i.number) FROM invoices i`), "INV-0 100,INV-1 100,INV-2 0")
	i := b.Uploaded("both", "Invoice ID,Number,Date,Amount\n"+strings.Join([]string{
		"in_0,INV-0,2026-11-21,1", "in_0,INV-1,2026-11-21,1", "in_9,INV-2,2026-11-21,1", "in_9,INV-1,2026-11-21,1",
	}, "\n"))
	assert.Equal(t, strings.Join(b.Preview(i), "\n"), strings.Join([]string{
		"2 new", "3 wrong The invoice with the ID in_0 has another number.", "4 new",
		"5 wrong No invoice from csv has the ID in_9. Import the invoices first.",
	}, "\n"))
}

// TestGuess: the headings of exports of other products.
func TestGuess(t *testing.T) {
	t.Parallel()
	for headings, want := range map[string]string{
		"id,Created date (UTC),Amount,Amount Refunded,Currency,Captured,Status,Invoice ID":// of Stripe
		"external_id,date,amount,refunded,currency,captured,status,invoice_id",
		"Date,Invoice Number,Amount,Amount Applied,Payment Type": "date,number,,amount,method",
		"Datum;Rechnungsnummer;Betrag;Währung;Verwendungszweck":  "date,number,amount,currency,reference",
		"Invoice ID,Number": "invoice_id,number",
	} {
		columns := strings.FieldsFunc(headings, func(r rune) bool { return r == ',' || r == ';' })
		assert.Equal(t, strings.Join(paymentimport.Kind.Guess(columns), ","), want, headings)
	}
}

// TestPaymentsInTwoTabs confirms an import 16 times at once, and runs the jobs at once, on two replicas. Then it kills the job of another
// one in the middle.
func TestPaymentsInTwoTabs(t *testing.T) {
	b := setup(t, 2)
	i := b.Uploaded("upload", headings+rows(0, 100))
	stores := []*idempotency.Store{b.Store, b.Replica()}
	for _, err := range storetest.Together(16, func(n int) error {
		_, err := b.Confirm(stores[n%2], fmt.Sprint("tab ", n/4), i)
		return err
	}) {
		must.OK(t, err)
	}
	for _, err := range storetest.Together(4, func(n int) error { return b.Work(context.Background(), stores[n%2], i) }) {
		must.OK(t, err)
	}
	assert.Equal(t, b.Outcome(i), "100 created, 0 known, 0 left out, 100 payments")
	assert.Equal(t, books(b), "paid 10000, open 10000")

	next := b.Confirmed("next", headings+strings.Repeat("INV-0,2026-12-01,0.50,,\n", 90))
	for _, after := range []int32{1, 20, 40} {
		ctx, kill := context.WithCancel(t.Context())
		var attempts atomic.Int32
		killed := *b.Replica()
		killed.Observe = func(context.Context, idempotency.Attempt) {
			if attempts.Add(1) == after {
				kill()
			}
		}
		assert.Thatf(t, errors.Is(b.Work(ctx, &killed, next), importing.ErrAgain), "the job ended")
		kill()
	}
	must.OK(t, b.Work(t.Context(), b.Store, next))
	assert.Equal(t, b.Outcome(next), "90 created, 0 known, 0 left out, 190 payments")
	assert.Equal(t, books(b), "paid 14500, open 5500")
}
