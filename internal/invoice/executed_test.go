package invoice_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	sql := b.Executed()
	first := storetest.Execute(sql, "for a new customer, with a typed number", invoice.Create, uuid.Nil, 0, draft(t, input("2026-0001")))
	in := input("")
	in.Customer, in.CustomerID = nil, first.Customer.ID.String()
	second := storetest.Execute(sql, "for a customer, with the next number", invoice.Create, uuid.Nil, 0, draft(t, in))
	storetest.Refuse(sql, &invoice.NumberTaken, invoice.Create, uuid.Nil, 0, draft(t, input("2026-0001")))
	in.Number, in.Notes = "2026-0002", "Thank you."
	second = storetest.Execute(sql, "", invoice.Edit, second.ID, second.Version, draft(t, in))
	storetest.Execute(sql, "", invoice.Issue, first.ID, 0, invoice.IssueDraft{})
	storetest.Execute(sql, "without an email", invoice.Issue, second.ID, 0, invoice.IssueDraft{NoEmail: true})
	storetest.Execute(sql, "as a duplicate", invoice.Void, second.ID, 0, invoice.VoidDraft{DuplicateOf: first.ID, Tell: true})

	day, err := date.Parse("2026-11-21")
	b.OK(nil, err)
	for _, c := range []struct {
		name   string
		filter invoice.Filter
	}{
		{"invoices, a search", invoice.Filter{Search: "lov"}},
		{"invoices, a search for two words", invoice.Filter{Search: "ada design"}},
		{"overdue invoices", invoice.Filter{Overdue: day}},
		{"invoices of a customer", invoice.Filter{Customer: first.Customer.ID}},
		{"invoices of some days", invoice.Filter{From: day, To: day}},
		{"invoices paid on some days", invoice.Filter{PaidFrom: day, PaidTo: day}},
		{"drafts by number", invoice.Filter{States: []string{invoice.StatusDraft}, Sort: "number"}},
		{"invoices by total", invoice.Filter{Sort: "total"}},
		{"invoices with lines", invoice.Filter{Lines: true}},
		{"invoices, a search for a total and a word", invoice.Filter{Search: "1,234.50 lov"}},
	} {
		storetest.List(sql, c.name, storetest.By(invoice.List, c.filter))
	}
	storetest.Pages(sql, "invoices", storetest.By(invoice.List, invoice.Filter{}))
	storetest.List(sql, "postings of an invoice", storetest.By(invoice.Ledger, first.ID))
	storetest.List(sql, "history of an invoice", func(
		ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page,
	) (record.List[idempotency.Entry], error) {
		return idempotency.History(ctx, pool, tenant, first.ID, page, invoice.Postings)
	})
	storetest.Record(sql, "invoice", invoice.Table, first.ID)
	storetest.Find(sql, "number of an invoice", invoice.Numbers.Of, first.ID)
	storetest.Find(sql, "chosen invoices", invoice.Chosen, []string{first.ID.String()})
	storetest.Find(sql, "next number of a year", invoice.NextNumber, 2026)
	storetest.Find(sql, "invoices out of order", invoice.OutOfOrder, first)
	storetest.Find(sql, "usual terms of customers", invoice.UsualOf, []uuid.UUID{first.Customer.ID})
	storetest.Find(sql, "amounts by month and age", invoice.Periods, day)
	euro, _ := money.ParseCurrency("EUR")
	sql.Lookup("open and overdue amounts", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := invoice.Standing(ctx, pool, b.Tenant, b.Tenant, day)
		return err
	})
	sql.Lookup("sums of a filter", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := invoice.FilterSums(ctx, pool, b.Tenant, invoice.Filter{Search: "ada", From: day})
		return err
	})
	sql.Lookup("invoices with an open amount", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := invoice.WithOpen(ctx, pool, b.Tenant, euro, 12300, 5)
		return err
	})
}
