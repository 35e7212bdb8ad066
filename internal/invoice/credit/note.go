// Package credit has credit notes, which reduce issued invoices. A credit note credits quantities of the invoice's lines, or an amount
// with tax, never more than a line has left and never more than the open and paid amounts. What exceeds the open amount becomes credit
// of the customer, which is a receipt. A credit note is posted to the invoice in the same transaction, has a number of a separate
// series, and never changes: one that was created by mistake is reversed by another one. The database computes its amounts: see
// migrations/00112_credit_notes.sql, 00216_invoice_credit_by_amount.sql and 00217_invoice_credit_reversed.sql.
package credit

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Note is a stored credit note or its reversal. Amounts are in minor units of its currency. A reversal has amounts below 0.
type Note struct {
	record.Header
	record.Alike

	InvoiceID uuid.UUID      `json:"invoice_id"`
	Number    string         `json:"number"`
	Date      date.Date      `json:"date"`     // of issue
	Currency  money.Currency `json:"currency"` // of the invoice
	Reason    string         `json:"reason"`
	Lines     []Line         `json:"lines"`
	Taxes     []Tax          `json:"taxes"` // by rate, lowest first, and by treatment
	Subtotal  int64          `json:"subtotal"`
	TaxTotal  int64          `json:"tax_total"`
	Total     int64          `json:"total"`
	// BecameCredit is the part of Total that exceeded the open amount. It was paid, and is credit of the customer since then: the receipt
	// with the id Receipt.
	BecameCredit int64     `json:"became_credit"`
	Receipt      uuid.UUID `json:"receipt_id"`
	// Reverses is the credit note that this one takes back, and ReversedBy the one that takes it back; zero for none.
	Reverses   record.Reference `json:"reverses,omitzero"`
	ReversedBy record.Reference `json:"reversed_by,omitzero"`
}

// Line is the credited quantity of a line of the invoice, with its share of the discount, or a net amount with the quantity 1.
type Line struct {
	Position int `json:"position"` // of the line of the invoice, from 1
	invoice.Line

	// Part reports whether an amount was credited, so that the quantity and the price are made up for it.
	Part bool `json:"part"`
}

// PartText is the text for users at a line with Part, in place of its quantity and price.
const PartText = "Part of the amount"

// Tax is the credited amount of a treatment and rate.
type Tax struct {
	Rate  decimal.Decimal   `json:"rate"`                   // percent
	NoTax invoice.Treatment `json:"tax_treatment,omitzero"` // "" if the rate decides
	Net   int64             `json:"net"`
	Tax   int64             `json:"tax"`
}

// Table is the table of credit notes.
var Table = record.Table[Note]{Name: "credit_notes", Fields: `
	'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
	'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
	'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
	'reverses', (
		SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
		WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
	'reversed_by', (
		SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
		WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'lines', (
		SELECT json_agg(json_build_object(
			'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
			'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
			'unit', CASE WHEN of.quantities THEN l.unit END,
			'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
			'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
			'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
			'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
		FROM (
			SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
				COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
				CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
			FROM credit_note_lines n LEFT JOIN LATERAL (
				SELECT credited, quantity, net FROM credit_note_lines
				WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
			WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
			SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
				round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
				credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
			FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
			WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
			LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of)`}

// Rules returns the uniqueness rules of credit notes.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "credit_notes_number_once",
			Sentence:   "One credit note per number in each tenant.",
			Answer:     "Credit notes are numbered without gaps. Their numbers can't be chosen.",
		},
		{
			Constraint: "receipts_credit_note_once",
			Optional:   true,
			Sentence:   "One receipt per credit note, with what became credit.",
			Answer:     "It's made with the credit note.",
		},
	}
}
