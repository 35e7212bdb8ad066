// Package document makes the content of the PDF file of an invoice, a credit note or a statement of account, and of the e-invoice.
package document

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/file"
	"onlyonce/internal/invalid/text"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
)

// Logo returns the logo that the documents of a business show; zero for none.
func Logo(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, of invoice.Seller) (pdf.Image, error) {
	if of.Logo == (file.Stored{}) {
		return pdf.Image{}, nil
	}
	content, err := io.ReadAll(file.Open(ctx, pool, tenant, of.Logo))
	return pdf.Image{Type: of.Logo.Type, Content: content}, err //nolint:wrapcheck // it is of package file, which wraps it
}

// Of returns the document of an invoice with its logo. After the invoice was issued, only the mark of a void one changes: payments are not
// included. It may return [money.ErrRange].
func Of(inv invoice.Invoice, logo pdf.Image) (pdf.Document, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return pdf.Document{}, err
	}
	amount := inv.Currency.Display
	shown := pdf.Document{
		Title: "Invoice " + inv.Number, At: inv.IssuedAt, Seller: seller(inv.Seller), Logo: logo, Buyer: buyer(inv.Customer),
		Facts: []pdf.Fact{
			{Label: "Issue date", Value: inv.IssueDate.Time().Format(day)}, {Label: "Due date", Value: inv.DueDate.Time().Format(day)},
		},
		Head: head, Currency: inv.Currency.String(), Payment: Payment(inv), Footer: inv.Seller.Footer,
		Notes: pdf.Fact{Label: "Notes", Value: inv.Notes},
	}
	shown.Facts = slices.Concat(shown.Facts, Supply(inv), reference(inv))
	switch inv.Status {
	case invoice.StatusDraft:
		shown.Mark, shown.At = "DRAFT", inv.CreatedAt
	case invoice.StatusVoid:
		shown.Mark, shown.At = "VOID", inv.VoidedAt
	}
	for _, l := range inv.Lines {
		shown.Lines = append(shown.Lines, lineOf(l, inv.Currency))
	}
	shown.Totals = append(shown.Totals, pdf.Total{Label: "Subtotal", Amount: amount(inv.Subtotal)})
	for _, g := range totals.Groups {
		shown.Totals = append(shown.Totals, pdf.Total{Label: g.NoTax.GroupText(g.Rate) + " on " + amount(g.Net), Amount: amount(g.Tax)})
		if reason := g.NoTax.ReasonText(inv.Exemption); reason != "" {
			shown.Reasons = append(shown.Reasons, reason)
		}
	}
	shown.Totals = append(shown.Totals, pdf.Total{Label: "Total", Amount: amount(inv.Total), Grand: true})
	return shown, nil
}

// head is the head of the table of an invoice or a credit note.
var head = pdf.Line{Text: "Description", Cells: []string{"Quantity", "Unit price", "Tax", "Amount"}}

func lineOf(l invoice.Line, c money.Currency) pdf.Line {
	return pdf.Line{Text: l.Description, Below: l.LessText(c), Cells: []string{
		l.QuantityText(), c.DisplayPrice(l.UnitPrice), l.NoTax.TaxText(l.TaxRate), c.Display(l.Net),
	}}
}

func seller(s invoice.Seller) pdf.Party { return partyOf(s.Name, s.Details, s.Email) }

func buyer(b invoice.Buyer) pdf.Party {
	of := partyOf(b.Name, b.Details, b.Email)
	of.Address = BuyerLines(b)
	return of
}

// reference returns the customer's reference as a fact, or nil without one.
func reference(inv invoice.Invoice) []pdf.Fact {
	if inv.Customer.Reference == "" {
		return nil
	}
	return []pdf.Fact{{Label: "Your reference", Value: inv.Customer.Reference}}
}

// Supply returns the day or the period of supply as a fact, or nil for none.
func Supply(inv invoice.Invoice) []pdf.Fact {
	switch {
	case inv.SuppliedFrom == (date.Date{}):
		return nil
	case inv.SuppliedTo == (date.Date{}), inv.SuppliedTo == inv.SuppliedFrom:
		return []pdf.Fact{{Label: "Supplied on", Value: inv.SuppliedFrom.Display()}}
	default:
		return []pdf.Fact{{Label: "Supplied", Value: inv.SuppliedFrom.Display() + " – " + inv.SuppliedTo.Display()}}
	}
}

// BuyerLines returns the lines below the name of a customer: the contact and the address.
func BuyerLines(of invoice.Buyer) []string {
	lines := AddressLines(of.Details)
	if of.Contact != "" {
		lines = append([]string{of.Contact}, lines...)
	}
	return lines
}

func partyOf(name string, d party.Details, email string) pdf.Party {
	return pdf.Party{Name: name, Address: AddressLines(d), TaxID: TaxText(d), Email: email}
}

// TaxText returns a tax ID with its label, or "" if it is unknown.
func TaxText(d party.Details) string {
	if d.TaxID == "" {
		return ""
	}
	return "Tax ID " + d.TaxID
}

// AddressLines returns the lines of an address, the last one with the country.
func AddressLines(d party.Details) (lines []string) {
	for _, line := range append(strings.Split(d.Address, "\n"), party.CountryName(d.Country)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Payment returns the bank account to pay to, if it is known. It returns nil for a void invoice.
func Payment(inv invoice.Invoice) (facts []pdf.Fact) {
	if inv.Status == invoice.StatusVoid {
		return nil
	}
	return account(inv.Seller, inv.Number)
}

// account returns the bank account of a business, if it is known, with the reference of a payment; "" for none.
func account(of invoice.Seller, reference string) (facts []pdf.Fact) {
	if of.AccountNumber == "" {
		return nil
	}
	label := "Account number"
	if party.IsIBAN(of.AccountNumber) {
		label = "IBAN"
	}
	for _, f := range []pdf.Fact{
		{Label: "Account holder", Value: cmp.Or(of.AccountHolder, of.Name)},
		{Label: label, Value: party.SpacedAccount(of.AccountNumber)}, {Label: "BIC", Value: of.BIC},
		{Label: "Reference", Value: reference},
	} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

const day = "2 Jan 2006"

// Name returns the file name of an invoice, without characters of the number that a file name can't have: see [text.FileName].
func Name(inv invoice.Invoice) string { return text.FileName("Invoice-" + inv.Number + ".pdf") }
