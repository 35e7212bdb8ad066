package invoicepages

import (
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// invoiceJSON is an invoice in the API: amounts, quantities and rates are decimal strings.
type invoiceJSON struct {
	record.Alike

	ID           uuid.UUID      `json:"id"`
	Number       string         `json:"number"`
	Status       string         `json:"status" enum:"draft,issued,partially_paid,paid,credited,written_off,void"`
	Overdue      bool           `json:"overdue"`
	Seller       invoice.Seller `json:"seller"`
	Customer     invoice.Buyer  `json:"customer"`
	Currency     money.Currency `json:"currency"`
	IssueDate    date.Date      `json:"issue_date"`
	DueDate      date.Date      `json:"due_date"`
	SuppliedFrom date.Date      `json:"supplied_from,omitzero" doc:"The day of supply, or the first day of its period."`
	SuppliedTo   date.Date      `json:"supplied_to,omitzero" doc:"The last day of the period of supply."`
	Lines        []excerpt.Line `json:"lines"`
	Subtotal     string         `json:"subtotal" format:"decimal"`
	TaxTotal     string         `json:"tax_total" format:"decimal"`
	Total        string         `json:"total" format:"decimal"`
	Paid         string         `json:"paid" format:"decimal" doc:"Less refunds."`
	BecameCredit string         `json:"became_credit" format:"decimal" doc:"What of paid is the customer's credit since a credit note."`
	Credited     string         `json:"credited" format:"decimal"`
	// WrittenOff is the sum of the write-offs that weren't taken back.
	WrittenOff string    `json:"written_off" format:"decimal"`
	Open       string    `json:"open" format:"decimal" doc:"What is still to be paid. It is 0 for a draft and for a void invoice."`
	Notes      string    `json:"notes"`
	Exemption  string    `json:"exemption_reason,omitzero" doc:"Why lines are exempt from tax."`
	Version    int       `json:"version"`
	CreatedAt  time.Time `json:"created_at"`
	IssuedAt   time.Time `json:"issued_at,omitzero"`
	VoidedAt   time.Time `json:"voided_at,omitzero"`
	// DuplicateOf is the invoice that was kept.
	DuplicateOf uuid.UUID `json:"duplicate_of,omitzero" doc:"The invoice that stayed, if this one was voided as its duplicate."`
	idempotency.External
}

func showInvoice(inv invoice.Invoice) any {
	c := inv.Currency
	return invoiceJSON{
		ID: inv.ID, Number: inv.Number, Status: inv.Status, Overdue: inv.Overdue,
		Seller: inv.Seller, Customer: inv.Customer, Currency: c,
		IssueDate: inv.IssueDate, DueDate: inv.DueDate, SuppliedFrom: inv.SuppliedFrom, SuppliedTo: inv.SuppliedTo,
		Notes: inv.Notes, Exemption: inv.Exemption,
		Subtotal: c.Format(inv.Subtotal), TaxTotal: c.Format(inv.TaxTotal), Total: c.Format(inv.Total),
		Paid: c.Format(inv.Received()), BecameCredit: c.Format(inv.BecameCredit), Credited: c.Format(inv.Credited),
		WrittenOff: c.Format(inv.WrittenOff), Open: c.Format(inv.Open),
		Version: inv.Version, CreatedAt: inv.CreatedAt, IssuedAt: inv.IssuedAt, VoidedAt: inv.VoidedAt,
		DuplicateOf: inv.DuplicateOf.ID,
		Alike:       inv.Alike, External: inv.External,
		Lines: excerpt.Lines(c, inv.Lines),
	}
}
