package document

import (
	"time"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/invoice/statement"
	"onlyonce/internal/value/date"
)

// OfStatement returns the document of a statement of account with all entries of the period, made at a point in time. Without an account
// number of the business or an amount to pay, it has no bank account.
func OfStatement(
	business invoice.Seller, customer invoice.Buyer, of statement.Account, found statement.Statement, logo pdf.Image, at time.Time,
) pdf.Document {
	sum := of.Currency.DisplaySum
	shown := pdf.Document{
		Title: "Statement of account", At: at, Seller: seller(business), Logo: logo, Buyer: buyer(customer), Footer: business.Footer,
		Facts: []pdf.Fact{
			{Label: "Period", Value: of.First.Display() + " – " + of.Last.Display()},
			{Label: "Balance before", Value: sum(found.Opening) + " " + of.Currency.String()},
		},
		Currency: of.Currency.String(),
		Head:     pdf.Line{Text: "Date and entry", Cells: []string{"Due date", "Amount", "Balance"}},
		Totals:   []pdf.Total{{Label: "Balance", Amount: sum(found.Closing), Grand: true}},
	}
	for _, e := range found.Entries.Rows {
		due := ""
		if e.DueDate != (date.Date{}) {
			due = e.DueDate.Display()
		}
		text := e.Day.Display() + "  " + e.Text()
		if e.Number != "" {
			text += " " + e.Number
		}
		shown.Lines = append(shown.Lines, pdf.Line{
			Text: text, Below: e.Reference, Cells: []string{due, of.Currency.Display(e.Amount), sum(e.Balance)},
		})
	}
	if found.Closing.IsPositive() {
		shown.Payment = account(business, "")
	}
	return shown
}
