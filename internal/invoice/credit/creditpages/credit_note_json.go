package creditpages

import (
	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// creditNoteJSON is a credit note in the API.
type creditNoteJSON struct {
	record.Header
	record.Alike

	InvoiceID    uuid.UUID        `json:"invoice_id"`
	Number       string           `json:"number"`
	Date         date.Date        `json:"date"`
	Currency     money.Currency   `json:"currency"`
	Reason       string           `json:"reason"`
	Lines        []creditLineJSON `json:"lines"`
	Taxes        []creditTaxJSON  `json:"taxes"`
	Subtotal     string           `json:"subtotal" format:"number"`
	TaxTotal     string           `json:"tax_total" format:"number"`
	Total        string           `json:"total" format:"number" doc:"Below 0 for a reversal."`
	BecameCredit string           `json:"became_credit" format:"number" doc:"Part of the total that is the customer's credit."`
	Receipt      uuid.UUID        `json:"receipt_id,omitzero" doc:"Has what became credit."`
	Reverses     uuid.UUID        `json:"reverses,omitzero" doc:"The credit note that this one takes back."`
	ReversedBy   uuid.UUID        `json:"reversed_by,omitzero" doc:"The credit note that takes this one back."`
}

type creditLineJSON struct {
	Position int `json:"position"`

	excerpt.Line
}

type creditTaxJSON struct {
	Rate      string            `json:"rate" format:"decimal"`
	Treatment invoice.Treatment `json:"tax_treatment" enum:"standard,zero,exempt,reverse_charge,intra_community,export,outside_scope"`
	Net       string            `json:"net" format:"number"`
	Tax       string            `json:"tax" format:"number"`
}

func showCreditNote(n credit.Note) any {
	c := n.Currency
	shown := creditNoteJSON{
		Header: n.Header, Alike: n.Alike, InvoiceID: n.InvoiceID, Number: n.Number, Date: n.Date, Currency: c, Reason: n.Reason,
		Lines: make([]creditLineJSON, 0, len(n.Lines)), Taxes: make([]creditTaxJSON, 0, len(n.Taxes)),
		Subtotal: c.Format(n.Subtotal), TaxTotal: c.Format(n.TaxTotal), Total: c.Format(n.Total),
		BecameCredit: c.Format(n.BecameCredit), Receipt: n.Receipt, Reverses: n.Reverses.ID, ReversedBy: n.ReversedBy.ID,
	}
	for _, l := range n.Lines {
		shown.Lines = append(shown.Lines, creditLineJSON{l.Position, excerpt.LineOf(l.Line, c)})
	}
	for _, t := range n.Taxes {
		shown.Taxes = append(shown.Taxes, creditTaxJSON{t.Rate.String(), t.NoTax.At(t.Rate), c.Format(t.Net), c.Format(t.Tax)})
	}
	return shown
}
