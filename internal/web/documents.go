package web

import (
	"cmp"
	"net/http"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/party"
	"onlyonce/internal/pdf"
)

// documentsAtOnce is how many documents are rendered at once: the largest ones take a processor for half a second, and
// some 60 MB.
const documentsAtOnce = 2

// invoicePDF renders an invoice, for few at once. It returns errCrowded to those that wait too long.
func (s *Server) invoicePDF(r *http.Request, inv invoice.Invoice) (file, error) {
	shown, err := printed(inv)
	if err != nil {
		return file{}, err
	}
	if err := take(r.Context(), s.rendered); err != nil {
		return file{}, err
	}
	defer s.rendered.Release(1)
	content, err := s.documents.Render(shown)
	return file{"Invoice-" + inv.Number + ".pdf", "application/pdf", content}, err
}

// printed is an invoice as its document shows it. Nothing in it changes after the invoice was issued but the mark of a
// void one: payments are no part of it.
func printed(inv invoice.Invoice) (pdf.Invoice, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return pdf.Invoice{}, err
	}
	money := inv.Currency.Display
	shown := pdf.Invoice{
		Number: inv.Number, At: inv.IssuedAt, Seller: printedParty(inv.Seller.Name, inv.Seller.Details, ""),
		Buyer: printedParty(inv.Customer.Name, inv.Customer.Details, inv.Customer.Email),
		Facts: []pdf.Fact{
			{Label: "Issue date", Value: day(inv.IssueDate.Time())}, {Label: "Due date", Value: day(inv.DueDate.Time())},
		},
		Currency: inv.Currency.String(), Notes: inv.Notes, Payment: paymentFacts(inv),
	}
	switch inv.Status {
	case invoice.StatusDraft:
		shown.Mark, shown.At = "DRAFT", inv.CreatedAt
	case invoice.StatusVoid:
		shown.Mark, shown.At = "VOID", inv.VoidedAt
	}
	for _, l := range inv.Lines {
		shown.Lines = append(shown.Lines, pdf.Line{
			Description: l.Description, Quantity: l.Quantity.String(), UnitPrice: money(l.UnitPrice),
			TaxRate: l.TaxRate.String() + "%", Amount: money(l.Net),
		})
	}
	shown.Totals = append(shown.Totals, pdf.Total{Label: "Subtotal", Amount: money(inv.Subtotal)})
	for _, g := range totals.Groups {
		shown.Totals = append(shown.Totals, pdf.Total{Label: "Tax " + g.Rate.String() + "% on " + money(g.Net), Amount: money(g.Tax)})
	}
	shown.Totals = append(shown.Totals, pdf.Total{Label: "Total", Amount: money(inv.Total), Grand: true})
	return shown, nil
}

func printedParty(name string, d party.Details, email string) pdf.Party {
	return pdf.Party{Name: name, Address: addressLines(d), TaxID: taxText(d), Email: email}
}

// taxText says a tax ID, if it is known.
func taxText(d party.Details) string {
	if d.TaxID == "" {
		return ""
	}
	return "Tax ID " + d.TaxID
}

// addressLines are the lines of an address as people read it, the last with the country.
func addressLines(d party.Details) (lines []string) {
	for _, line := range append(strings.Split(d.Address, "\n"), party.CountryName(d.Country)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// paymentFacts say where an invoice is to be paid, if that is known.
func paymentFacts(inv invoice.Invoice) (facts []pdf.Fact) {
	if inv.Seller.AccountNumber == "" {
		return nil
	}
	label := "Account number"
	if party.IsIBAN(inv.Seller.AccountNumber) {
		label = "IBAN"
	}
	for _, f := range []pdf.Fact{
		{Label: "Account holder", Value: cmp.Or(inv.Seller.AccountHolder, inv.Seller.Name)},
		{Label: label, Value: party.SpacedAccount(inv.Seller.AccountNumber)}, {Label: "BIC", Value: inv.Seller.BIC},
		{Label: "Reference", Value: inv.Number},
	} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}
