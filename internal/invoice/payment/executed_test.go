package payment_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/must"
	"onlyonce/internal/value/money"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	sql := b.Executed()
	draft := func(amount string) payment.Draft {
		d, err := payment.Input{Amount: amount, Date: "2026-11-22", Method: "bank_transfer"}.Draft(inv.ID, inv.Currency)
		must.OK(t, err)
		return d
	}
	paid := storetest.Execute(sql, "", payment.Create, uuid.Nil, 0, draft("40"))
	storetest.Refuse(sql, &payment.ExceedsOpen, payment.Create, uuid.Nil, 0, draft("61"))
	_, err := b.Pay("second", inv, "1.00")
	must.OK(t, err)

	euro, _ := money.ParseCurrency("EUR")
	storetest.Pages(sql, "payments", storetest.By(payment.List, invoice.BelowFilter{}))
	storetest.List(sql, "payments in a currency", storetest.By(payment.List, invoice.BelowFilter{Currency: euro}))
	storetest.List(sql, "payments, a search", storetest.By(payment.List, invoice.BelowFilter{Search: "ada"}))
	storetest.List(sql, "payments, an amount and a word", storetest.By(payment.List, invoice.BelowFilter{Search: "40.00 ada"}))
	sql.Lookup("sums of a filter", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := payment.SumUp(ctx, pool, b.Tenant, invoice.BelowFilter{Search: "40"})
		return err
	})
	storetest.List(sql, "payments of an invoice", storetest.By(payment.ListOf, inv.ID))
	storetest.Record(sql, "payment", payment.Table, paid.ID)
	storetest.Execute(sql, "", payment.Remove, paid.ID, 0, struct{}{})
}
