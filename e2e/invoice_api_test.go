package e2e

import (
	"net/url"
	"slices"
)

func (r apiRecords) invoices(number string) (n int) {
	r.s.t.Helper()
	for _, invoice := range r.s.marked("invoices") {
		if number == "" || invoice.Number == number {
			n++
		}
	}
	return n
}

func (r apiRecords) life(number string) (operations []string, versions int) {
	r.s.t.Helper()
	invoice := r.named(number)
	return inOrder(r.changes("/invoices/" + invoice.ID)), invoice.Version - 1 - len(r.paymentsOf(invoice.ID))
}

func (r apiRecords) payments(number string) (amounts []string, paid string) {
	r.s.t.Helper()
	invoice := r.named(number)
	for _, payment := range slices.Backward(r.paymentsOf(invoice.ID)) {
		amounts = append(amounts, payment.Amount)
	}
	return amounts, invoice.Paid
}

func (r apiRecords) books(number string) (books string) {
	r.s.t.Helper()
	invoice := r.named(number)
	refunds := 0
	for _, payment := range r.paymentsOf(invoice.ID) {
		refunds += len(r.s.all("/payments/"+payment.ID+"/refunds", "refunds", url.Values{}))
	}
	notes := len(r.s.all("/invoices/"+invoice.ID+"/credit-notes", "credit_notes", url.Values{}))
	return booksText(invoice.Status, invoice.Paid, invoice.Credited, invoice.Open, refunds, notes)
}

// whole is an invoice in the API.
type whole struct {
	found
	Paid     string `json:"paid"`
	Credited string `json:"credited"`
	Open     string `json:"open"`
}

func (r apiRecords) named(number string) (invoice whole) {
	r.s.t.Helper()
	for _, one := range r.s.marked("invoices") {
		if one.Number == number {
			r.s.get("/invoices/"+one.ID, &invoice)
			return invoice
		}
	}
	r.s.t.Fatalf("there is no invoice %s", number)
	return invoice
}

func (r apiRecords) paymentsOf(id string) []found {
	r.s.t.Helper()
	return r.s.all("/invoices/"+id+"/payments", "payments", url.Values{})
}
