package web

import (
	"net/http"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/pdf"
)

// documentsAtOnce is how many documents are rendered at once: the largest ones take a processor for half a second, and
// some 60 MB.
const documentsAtOnce = 2

// named is a business or a person, as documents name them. What is not known is empty.
type named struct {
	name, street, zip, city string
	country                 string // ISO 3166-1 alpha-2
	vat, email              string
}

// seller is the business whose invoices they are.
func seller(r *http.Request) named { return named{name: principal(r).TenantName} }

// buyer is the customer as an issued invoice froze them, or as they are now for a draft.
func buyer(inv invoice.Invoice) named {
	return named{name: inv.Customer.Name, email: inv.Customer.Email}
}

// invoicePDF renders an invoice, for few at once. It returns errCrowded to those that wait too long.
func (s *Server) invoicePDF(r *http.Request, inv invoice.Invoice) (file, error) {
	shown, err := printed(inv, seller(r))
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
func printed(inv invoice.Invoice, from named) (pdf.Invoice, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return pdf.Invoice{}, err
	}
	money := inv.Currency.Display
	shown := pdf.Invoice{
		Number: inv.Number, At: inv.IssuedAt, Seller: from.pdf(), Buyer: buyer(inv).pdf(),
		Facts: []pdf.Fact{
			{Label: "Issue date", Value: day(inv.IssueDate.Time())}, {Label: "Due date", Value: day(inv.DueDate.Time())},
		},
		Currency: inv.Currency.String(), Notes: inv.Notes,
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

func (p named) pdf() pdf.Party {
	shown := pdf.Party{Name: p.name, TaxID: p.vat, Email: p.email}
	for _, text := range []string{p.street, strings.TrimSpace(p.zip + " " + p.city), p.country} {
		if text != "" {
			shown.Address = append(shown.Address, text)
		}
	}
	return shown
}
