package invoice_test

import (
	"context"
	"testing"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

func (b *bundle) create(key string, d invoice.Draft) (idempotency.Done[invoice.Invoice], error) {
	return invoice.Create.Do(context.Background(), b.Store, b.Intent(key), d)
}

// count returns the number that a query selects.
func (b *bundle) count(sql string, args ...any) int {
	b.Helper()
	return storetest.Value[int](b, sql, args...)
}

// input returns a valid invoice of 123.00 EUR.
func input(number string) invoice.Input {
	return invoice.Input{
		Number:    number,
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}
}

func draft(t testing.TB, in invoice.Input) invoice.Draft {
	t.Helper()
	d, err := in.Draft()
	must.OK(t, err)
	return d
}
