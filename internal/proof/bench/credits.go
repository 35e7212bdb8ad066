package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// refunds are those of a payment that was just recorded, which is removed too, and what is read of payments with a refund.
func refunds() []kind {
	const route = "POST /api/v1/payments/{id}/refunds"
	return []kind{
		{name: "API: refund", route: route, want: http.StatusCreated, make: fresh(paid(refund("5.00")), "issue")},
		{name: "API: refund more than was paid", route: route, want: http.StatusConflict, make: fresh(paid(refund("99.00")), "issue")},
		{name: "form: refund", route: "POST /payments/{id}/refunds", want: http.StatusSeeOther, make: fresh(paid(refundForm), "issue")},
		{name: "refund form", route: "GET /payments/{id}/refunds/new", want: http.StatusOK,
			make: fresh(paid(pageOf(func(id string) string { return "/payments/" + id + "/refunds/new" })), "issue")},
		{name: "API: remove a payment", route: "POST /api/v1/payments/{id}/remove", want: http.StatusOK,
			make: fresh(paid(pressAPI("/payments/", "/remove")), "issue")},
		{name: "form: remove a payment", route: "POST /payments/{id}/remove", want: http.StatusSeeOther,
			make: fresh(paid(press("/payments/", "/remove")), "issue")},
		{name: "page that asks before removing a payment", route: "GET /payments/{id}/remove", want: http.StatusOK,
			make: fresh(paid(pageOf(func(id string) string { return "/payments/" + id + "/remove" })), "issue")},
		apiAt("API: refunds of a payment", "GET /api/v1/payments/{id}/refunds",
			func(s *site) string { return "/payments/" + s.known.middlePayment + "/refunds" }),
		apiAt("API: one refund", "GET /api/v1/refunds/{id}", func(s *site) string { return "/refunds/" + s.known.middleRefund }),
		{name: "page of a refund", route: "GET /refunds/{id}", want: http.StatusSeeOther,
			make: page(func(s *site) string { return "/refunds/" + s.known.middleRefund })},
	}
}

// creditNotes are those of an invoice that was just issued, and what is read of the one with many.
func creditNotes() []kind {
	const route = "POST /api/v1/invoices/{id}/credit-notes"
	return []kind{
		{name: "API: credit", route: route, want: http.StatusCreated, make: fresh(credit("0.5"), "issue")},
		{name: "API: credit more than was billed", route: route, want: http.StatusConflict, make: fresh(credit("9999"), "issue")},
		{name: "form: credit", route: "POST /invoices/{id}/credit-notes", want: http.StatusSeeOther, make: fresh(creditForm, "issue")},
		{name: "credit note form", route: "GET /invoices/{id}/credit-notes/new", want: http.StatusOK,
			make: largePage(func() string { return "/credit-notes/new?key=" + newKey() })},
		apiAt("API: credit notes of an invoice with many", "GET /api/v1/invoices/{id}/credit-notes",
			func(s *site) string { return "/invoices/" + s.known.largeInvoice + "/credit-notes" }),
		pageAt("credit notes", "GET /credit-notes", func(*site) string { return "/credit-notes" }),
		pageAt("credit notes of a customer", "GET /credit-notes", func(*site) string { return "/credit-notes?q=northwind" }),
		apiAt("API: credit notes", "GET /api/v1/credit-notes", func(*site) string { return "/credit-notes" }),
		apiAt("API: one credit note", "GET /api/v1/credit-notes/{id}",
			func(s *site) string { return "/credit-notes/" + s.known.middleNote }),
		pageAt("page of a credit note", "GET /credit-notes/{id}", func(s *site) string { return "/credit-notes/" + s.known.middleNote }),
	}
}

// paid makes requests about a payment of an invoice, which is recorded outside of the measurement.
func paid(from aboutOne) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		made, err := created(ctx, s, "/invoices/"+id+"/payments", apiPayment("12.50", newKey()))
		if err != nil {
			return nil, err
		}
		return from(ctx, s, made)
	}
}

func refund(amount string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		return apiPost(ctx, s.origin+"/api/v1/payments/"+id+"/refunds", newKey(),
			fmt.Sprintf(`{"amount":%q,"date":%q}`, amount, issueDate()))
	}
}

func refundForm(ctx context.Context, s *site, id string) (*http.Request, error) {
	return formPost(ctx, s.origin+"/payments/"+id+"/refunds", s.cookie, url.Values{
		"idempotency_key": {newKey()}, "amount": {"5.00"}, "date": {issueDate()},
	})
}

func credit(quantity string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		return apiPost(ctx, s.origin+invoicesPath+"/"+id+"/credit-notes", newKey(),
			fmt.Sprintf(`{"lines":[{"position":1,"quantity":%q}]}`, quantity))
	}
}

func creditForm(ctx context.Context, s *site, id string) (*http.Request, error) {
	return formPost(ctx, s.origin+"/invoices/"+id+"/credit-notes", s.cookie, url.Values{
		"idempotency_key": {newKey()}, "line_quantity": {"0.5"},
	})
}
