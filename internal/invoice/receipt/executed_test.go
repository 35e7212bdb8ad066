package receipt_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	customer := inv.Customer.ID
	sql := b.Executed()
	b.OK(b.Receive("first", "5", "", inv, invoicetest.Part(inv, "1")))
	d, err := receipt.Input{
		CustomerID: customer.String(), Currency: "EUR", Amount: "60", Date: "2026-11-23", Method: "cash", Provider: "Bank", Reference: "TX",
		Allocations: []receipt.AllocationInput{invoicetest.Part(inv, "40")},
	}.Draft()
	must.OK(t, err)
	made := storetest.Execute(sql, "", receipt.Create, uuid.Nil, 0, d)
	storetest.Refuse(sql, &payment.Taken, receipt.Create, uuid.Nil, 0, d)
	apply, err := receipt.ApplyInput{InvoiceID: inv.ID.String(), Amount: "2", Date: "2026-11-23"}.Draft(made)
	must.OK(t, err)
	storetest.Execute(sql, "", receipt.Apply, uuid.Nil, 0, apply)
	repay, err := receipt.RepayInput{Amount: "3", Date: "2026-11-23"}.Draft(made)
	must.OK(t, err)
	repaid := storetest.Execute(sql, "", receipt.Repay, uuid.Nil, 0, repay)
	b.OK(b.Repay("another", made, "1"))

	storetest.Pages(sql, "receipts", storetest.By(receipt.List, invoice.BelowFilter{}))
	storetest.List(sql, "receipts of a customer", storetest.By(receipt.List, invoice.BelowFilter{Customer: customer}))
	sql.Lookup("sums of a filter", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := receipt.SumUp(ctx, pool, b.Tenant, invoice.BelowFilter{Search: "ada"})
		return err
	})
	storetest.List(sql, "payments of a receipt", storetest.By(payment.ListOfReceipt, made.ID))
	storetest.Pages(sql, "repayments of a receipt", storetest.By(receipt.RepaymentsOf, made.ID))
	storetest.Find(sql, "open invoices of a customer", func(
		ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID,
	) ([]receipt.OpenInvoice, error) {
		return receipt.Open(ctx, pool, tenant, customer, inv.Currency)
	}, customer)
	storetest.Find(sql, "credit for an invoice", receipt.CreditFor, inv.ID)
	storetest.Record(sql, "receipt", receipt.Table, made.ID)
	storetest.Record(sql, "repayment", receipt.Repayments, repaid.ID)
	storetest.Execute(sql, "", receipt.RemoveRepayment, repaid.ID, 0, struct{}{})
	gone, err := b.Receive("mistake", "7", "", inv, invoicetest.Part(inv, "1"))
	must.OK(t, err)
	storetest.Execute(sql, "", receipt.Remove, gone.Value.ID, 0, struct{}{})
}
