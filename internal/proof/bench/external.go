package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// shop is a source of external ids. fill.sql gives each record of the past one of its ids.
const (
	shop       = "Shop"
	externalID = "synced"
)

// syncs say what another system has: something new, the same again under other keys, and something else of it.
func syncs() []kind {
	customer := synced(customersPath, func() string { return fmt.Sprintf(`{"email":"%s@new.example","name":%[1]q}`, externalID) })
	invoice := synced(invoicesPath, func() string { return apiInvoice("", regularEmail, externalID) })
	otherInvoice := synced(invoicesPath, func() string { return apiInvoice("", regularEmail, newKey()) })
	payment := func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return apiPost(ctx, s.payments(s.known.largeInvoice), newKey(), external(apiPayment("1.00", externalID), externalID))
	}
	return []kind{
		{name: "API: sync a new invoice", route: routeCreate, want: http.StatusCreated,
			make: invoices(func(*site) string { return external(apiInvoice("", regularEmail, newKey()), newKey()) })},
		{name: "API: sync an invoice again", route: routeCreate, want: http.StatusOK, make: invoice, prepare: sent(invoice)},
		{name: "API: sync an invoice again, with other content", route: routeCreate, want: http.StatusConflict,
			make: otherInvoice, prepare: sent(invoice)},
		{name: "API: sync a customer again", route: routeUpsert, want: http.StatusOK, make: customer, prepare: sent(customer)},
		{name: "API: sync a payment again", route: routePay, want: http.StatusOK, make: payment, prepare: sent(payment)},
		{name: "API: find an invoice by its external id", route: routeInvoiceListAPI, want: http.StatusOK, prepare: sent(invoice),
			make: apiPage(func(*site) string {
				return "/invoices?" + url.Values{"source": {shop}, "external_id": {externalID}}.Encode()
			})},
	}
}

// synced makes requests of the API that say something of one external id, each under a new key.
func synced(path string, body func() string) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return apiPost(ctx, s.origin+path, newKey(), external(body(), externalID))
	}
}

// external adds an external id to the JSON of an object.
func external(body, id string) string {
	return fmt.Sprintf(`{"source":%q,"external_id":%q,`, shop, id) + body[1:]
}
