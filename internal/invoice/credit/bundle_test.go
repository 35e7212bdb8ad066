package credit_test

import (
	"context"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
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

// taxed returns an issued invoice with two tax rates.
func (b *bundle) taxed(key string) invoice.Invoice {
	b.Helper()
	return b.Issued(key,
		invoice.LineInput{Description: "Design", Quantity: "3", UnitPrice: "33.33", TaxRate: "23"},
		invoice.LineInput{Description: "Printing", Quantity: "1.5", UnitPrice: "7.99", TaxRate: "6.5"})
}

// credit credits quantities of the lines, starting with the first; without quantities, everything that is left.
func (b *bundle) credit(k string, inv invoice.Invoice, quantities ...string) (idempotency.Done[credit.Note], error) {
	b.Helper()
	var in credit.Input
	for i, quantity := range quantities {
		in.Lines = append(in.Lines, credit.LineInput{Position: i + 1, Quantity: quantity})
	}
	d, err := in.Draft(inv)
	must.OK(b, err)
	return credit.Create.Do(context.Background(), b.Store, b.Intent(k), d)
}
