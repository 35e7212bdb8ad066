package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

const (
	routePay      = "POST /api/v1/invoices/{id}/payments"
	routePayments = "GET /api/v1/invoices/{id}/payments"

	// bank is a provider, and takenReference is one of those that fill.sql has used.
	bank           = "Bank"
	takenReference = "R-1"
	paidKey        = "paid"
)

// payments are those of an invoice that was just issued, and what is read of the one with many.
func payments() []kind {
	return []kind{
		{name: "API: pay", route: routePay, want: http.StatusCreated, make: fresh(pay("12.50", ""), "issue")},
		{name: "API: pay more than is open", route: routePay, want: http.StatusConflict, make: fresh(pay("9999.00", ""), "issue")},
		{name: "API: pay under a reference that is taken", route: routePay, want: http.StatusConflict,
			make: fresh(pay("12.50", takenReference), "issue")},
		{name: "API: pay a draft", route: routePay, want: http.StatusConflict, make: fresh(pay("12.50", ""))},
		{name: "API: replay of a payment", route: routePay, want: http.StatusCreated, make: payAgain, prepare: sent(payAgain)},
		{name: "form: pay", route: "POST /invoices/{id}/payments", want: http.StatusSeeOther, make: fresh(payForm, "issue")},
		{name: "payment form", route: "GET /invoices/{id}/payments/new", want: http.StatusOK,
			make: largePage(func() string { return "/payments/new?key=" + newKey() })},
		{name: "page of an invoice with many payments", route: "GET /invoices/{id}", want: http.StatusOK,
			make: largePage(func() string { return "" })},
		apiAt("API: payments of an invoice with many", routePayments,
			func(s *site) string { return "/invoices/" + s.known.largeInvoice + "/payments" }),
		apiAt("API: payments of an invoice with many, from the middle", routePayments,
			func(s *site) string {
				return from("/invoices/"+s.known.largeInvoice+"/payments", nil, "", s.known.middlePayment)
			}),
		pageAt("payments", "GET /payments", func(*site) string { return "/payments" }),
		pageAt("payments from the middle", "GET /payments",
			func(s *site) string { return from("/payments", nil, s.known.middleDay, s.known.middlePayment) }),
		pageAt("payments of a customer", "GET /payments", func(*site) string { return "/payments?q=northwind" }),
		pageAt("payments by a rare word", "GET /payments", func(*site) string { return "/payments?q=rare" }),
		pageAt("payments in a currency that has none", "GET /payments", func(*site) string { return "/payments?currency=JPY" }),
		apiAt("API: payments", "GET /api/v1/payments", func(*site) string { return "/payments" }),
		apiAt("API: one payment", "GET /api/v1/payments/{id}", func(s *site) string { return "/payments/" + s.known.middlePayment }),
		{name: "page of a payment", route: "GET /payments/{id}", want: http.StatusSeeOther,
			make: page(func(s *site) string { return "/payments/" + s.known.middlePayment })},
	}
}

// payments is the address of the payments of an invoice.
func (s *site) payments(id string) string { return s.origin + invoicesPath + "/" + id + "/payments" }

// pay records a payment, with a reference of its own if none is given.
func pay(amount, reference string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		key := newKey()
		if reference == "" {
			return apiPost(ctx, s.payments(id), key, apiPayment(amount, key))
		}
		return apiPost(ctx, s.payments(id), key, apiPayment(amount, reference))
	}
}

func apiPayment(amount, reference string) string {
	return fmt.Sprintf(`{"amount":%q,"date":%q,"method":"bank_transfer","provider":%q,"reference":%q}`,
		amount, issueDate(), bank, reference)
}

// payAgain repeats a payment of the large invoice.
func payAgain(ctx context.Context, s *site, _ int) (*http.Request, error) {
	return apiPost(ctx, s.payments(s.known.largeInvoice), paidKey, apiPayment("1.00", paidKey))
}

func payForm(ctx context.Context, s *site, id string) (*http.Request, error) {
	return formPost(ctx, s.origin+"/invoices/"+id+"/payments", s.cookie, url.Values{
		"idempotency_key": {newKey()}, "amount": {"12.50"}, "date": {issueDate()}, "method": {"bank_transfer"},
		"provider": {bank}, "reference": {newKey()},
	})
}

// largePage is a page of the invoice with many payments.
func largePage(path func() string) maker {
	return page(func(s *site) string { return "/invoices/" + s.known.largeInvoice + path() })
}
