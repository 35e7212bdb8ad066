package document

import (
	"slices"

	"github.com/google/uuid"

	"onlyonce/internal/invalid/text"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/pdf"
)

// OfCreditNote returns the document of a credit note, with the parties and the logo of its invoice. The document never changes.
func OfCreditNote(n credit.Note, inv invoice.Invoice, logo pdf.Image) pdf.Document {
	money := n.Currency.Display
	shown := pdf.Document{
		Title: "Credit note " + n.Number, At: n.CreatedAt, Seller: seller(inv.Seller), Logo: logo, Buyer: buyer(inv.Customer),
		Facts: append([]pdf.Fact{
			{Label: "Date", Value: n.Date.Time().Format(day)},
			{Label: "Credits invoice", Value: inv.Number + " of " + inv.IssueDate.Time().Format(day)},
		}, reference(inv)...),
		Head: head, Currency: n.Currency.String(), Notes: pdf.Fact{Label: "Reason", Value: n.Reason}, Footer: inv.Seller.Footer,
		Totals: []pdf.Total{{Label: "Subtotal", Amount: money(n.Subtotal)}},
	}
	if n.Reverses.ID != uuid.Nil {
		shown.Title = "Credit note reversal " + n.Number
		shown.Facts = slices.Insert(shown.Facts, 1, pdf.Fact{Label: "Reverses", Value: n.Reverses.Name})
	}
	for _, l := range n.Lines {
		line := lineOf(l.Line, n.Currency)
		if l.Part {
			line.Below, line.Cells[0], line.Cells[1] = credit.PartText, "", ""
		}
		shown.Lines = append(shown.Lines, line)
	}
	for _, t := range n.Taxes {
		shown.Totals = append(shown.Totals, pdf.Total{Label: t.NoTax.GroupText(t.Rate) + " on " + money(t.Net), Amount: money(t.Tax)})
		if reason := t.NoTax.ReasonText(inv.Exemption); reason != "" {
			shown.Reasons = append(shown.Reasons, reason)
		}
	}
	shown.Totals = append(shown.Totals, pdf.Total{Label: "Total credited", Amount: money(n.Total), Grand: true})
	if n.BecameCredit != 0 {
		shown.Totals = append(shown.Totals, pdf.Total{Label: "Became your credit", Amount: money(n.BecameCredit)})
	}
	return shown
}

// CreditNoteName returns the file name of a credit note.
func CreditNoteName(n credit.Note) string { return text.FileName("Credit-note-" + n.Number + ".pdf") }
