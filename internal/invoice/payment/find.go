package payment

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// Listed is a payment in the list of all payments.
type Listed struct {
	Payment
	invoice.Of

	// Transfer has the provider and the reference of the payment, or else of the receipt that it is a part of. If that is credit from a
	// credit note, the reference is its number.
	Transfer Transfer `json:"transfer"`
	// BecameCredit is set if less is paid on the invoice than its amount, because a part became credit.
	BecameCredit bool `json:"became_credit"`
}

// Transfer identifies the transfer of a payment; it is the zero value if nothing does.
type Transfer struct {
	Provider  string `json:"provider,omitzero"`
	Reference string `json:"reference,omitzero"`
}

// String returns the provider and the reference.
func (t Transfer) String() string { return strings.TrimSpace(t.Provider + " " + t.Reference) }

// All is the table of payments with the fields of their invoices and receipts.
var All = record.Table[Listed]{Name: Table.Name, Fields: Table.Fields + `,` + invoice.OfFields + `, 'transfer', (
	SELECT json_build_object('provider', COALESCE(r.provider, c.provider), 'reference', COALESCE(r.reference, c.reference, (
		SELECT n.number FROM credit_notes n WHERE n.tenant_id = c.tenant_id AND n.id = c.credit_note_id LIMIT 1)))
	FROM (SELECT) AS of LEFT JOIN LATERAL (
		SELECT tenant_id, provider, reference, credit_note_id FROM receipts
		WHERE tenant_id = r.tenant_id AND id = r.receipt_id LIMIT 1) AS c ON true),
	'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)`}

var below = invoice.Below{
	Parent: invoice.Invoices(), Day: "paid_on", Amount: "amount", Text: "reference", Where: `removed_at IS NULL`,
	Provided: true, Whole: "receipts", PartOf: "receipt_id",
	Sums: `json_strip_nulls(json_build_object(CASE WHEN (
			SELECT c.credit_note_id IS NOT NULL FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id LIMIT 1)
		THEN 'credited' ELSE 'paid' END, r.amount, 'direct', CASE WHEN r.receipt_id IS NULL THEN r.amount END,
		'refunded', NULLIF(r.refunded, 0)))`,
}

// List returns a page of a tenant's payments that a filter selects, without removed ones: see [invoice.ListBelow].
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter, page record.Page) (record.List[Listed], error) {
	return invoice.ListBelow(ctx, pool, tenant, below, All, f, page)
}

// SumUp returns the sums of these payments, of the kinds "paid", "credited" (from credit notes), "direct" (without a receipt) and
// "refunded": see [invoice.SumBelow].
func SumUp(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter) ([]invoice.Sum, bool, error) {
	return invoice.SumBelow(ctx, pool, tenant, below, All, f)
}

// ListOf returns a page of the payments of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Payment], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// ListOfReceipt returns a page of the payments of a receipt, also removed ones.
func ListOfReceipt(ctx context.Context, pool *pgxpool.Pool, tenant, receipt uuid.UUID, page record.Page) (record.List[Listed], error) {
	return record.ListBy(ctx, pool, All, tenant, page, `r.receipt_id = @receipt`, pgx.NamedArgs{"receipt": receipt})
}

// Name returns the display name of a payment: "50.00 EUR on 21 Nov 2026".
func Name(p Payment) string {
	return p.Currency.Display(p.Amount) + " " + p.Currency.String() + " on " + p.Date.Display()
}
