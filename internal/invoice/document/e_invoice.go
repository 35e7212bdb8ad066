package document

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid/text"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/ubl"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
)

// Incomplete is the conflict of an issued invoice without data that the rules of EN 16931 require.
var Incomplete = conflict.Kind{
	Slug: "e-invoice-incomplete", Title: "Data is missing for an e-invoice",
	Meaning: "EN 16931 requires data that the invoice was issued without. No XML was made, because a recipient would refuse it.",
	ToDo: "Add the data to the settings or the customer before you issue the next invoice. An issued invoice doesn't change: " +
		"void or credit it, and issue a copy.",
}

// EInvoice returns the XML of an issued invoice, in UBL 2.1 with the terms of EN 16931. It returns a [*conflict.Error] for a draft or a
// void invoice, and if data is missing: see [Lacks].
func EInvoice(inv invoice.Invoice) ([]byte, error) {
	if err := invoice.Sendable(inv); err != nil {
		return nil, err
	}
	const advice = "To correct it, add the data, void or credit this invoice, and issue a copy."
	if err := complete(inv, "This invoice can't be an e-invoice.", "It", advice); err != nil {
		return nil, err
	}
	sent, err := eInvoice(inv)
	if err != nil {
		return nil, err
	}
	return ubl.Marshal(sent)
}

// complete returns a [*conflict.Error] if an invoice lacks data.
func complete(inv invoice.Invoice, title, subject, advice string) error {
	lacks := Lacks(inv)
	if len(lacks) == 0 {
		return nil
	}
	return &conflict.Error{
		Kind: &Incomplete, Title: title,
		Text: strings.TrimSpace(subject + " was issued without " + Listed(lacks) + ". An issued invoice doesn't change. " + advice),
	}
}

// EInvoiceName returns the file name of an e-invoice.
func EInvoiceName(inv invoice.Invoice) string { return text.FileName("Invoice-" + inv.Number + ".xml") }

// Lacks returns the names of the data that an e-invoice requires and an invoice doesn't have, for a sentence: "the customer's country".
// The rules are BR-09 and BR-11, whose countries are also the smallest addresses of BR-08 and BR-10, BR-CO-26, and for the treatments of
// its lines BR-S-02, BR-Z-02, BR-E-02, BR-AE-02, BR-IC-02 and BR-G-02.
func Lacks(inv invoice.Invoice) (names []string) {
	_, sellersVAT := party.VATNumber(inv.Seller.TaxID)
	_, buyersVAT := party.VATNumber(inv.Customer.TaxID)
	has := func(treatments ...invoice.Treatment) bool {
		return slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool { return slices.Contains(treatments, l.NoTax) })
	}
	for _, required := range []struct {
		name    string
		missing bool
	}{
		{"your country", inv.Seller.Country == ""},
		{"your VAT number", !sellersVAT && has(invoice.IntraCommunity, invoice.Export)},
		{"your tax ID", inv.Seller.TaxID == "" && !has(invoice.IntraCommunity, invoice.Export)},
		{"the customer's country", inv.Customer.Country == ""},
		{"the customer's VAT number", !buyersVAT && has(invoice.IntraCommunity)},
		{"the customer's tax ID", inv.Customer.TaxID == "" && has(invoice.ReverseCharge) && !has(invoice.IntraCommunity)},
	} {
		if required.missing {
			names = append(names, required.name)
		}
	}
	return names
}

// ECreditNote is [EInvoice] for a credit note of an invoice or its reversal. It returns a [*conflict.Error] if the invoice lacks data.
func ECreditNote(n credit.Note, inv invoice.Invoice) ([]byte, error) {
	if err := complete(inv, "This credit note can't be an e-invoice.", "Its invoice", ""); err != nil {
		return nil, err
	}
	return ubl.Marshal(eCreditNote(n, inv))
}

// ECreditNoteName returns the file name of an e-invoice of a credit note.
func ECreditNoteName(n credit.Note) string { return text.FileName("Credit-note-" + n.Number + ".xml") }

// eCreditNote converts a credit note for its XML. A reversal becomes an invoice of the amount that the customer owes again, above
// zero because recipients refuse to pay an amount below zero. The part that had become credit is prepaid.
func eCreditNote(n credit.Note, inv invoice.Invoice) ubl.Invoice {
	reverses, sign := n.Reverses.ID != uuid.Nil, int64(1)
	if reverses {
		sign = -1
	}
	money := func(amount int64) string { return inv.Currency.Format(sign * amount) }
	lines, groups := make([]invoice.Line, 0, len(n.Lines)), make([]invoice.TaxGroup, 0, len(n.Taxes))
	for _, l := range n.Lines {
		l.Quantity, l.Net, l.Discount = l.Quantity.Mul(decimal.NewFromInt(sign)), sign*l.Net, sign*l.Discount
		lines = append(lines, l.Line)
	}
	for _, t := range n.Taxes {
		groups = append(groups, invoice.TaxGroup{NoTax: t.NoTax, Rate: t.Rate, Net: sign * t.Net, Tax: sign * t.Tax})
	}
	sent := eDocument(inv, lines, groups)
	sent.Number, sent.IssueDate, sent.Notes = n.Number, n.Date.String(), n.Reason
	sent.Subtotal, sent.TaxTotal, sent.Total, sent.Open = money(n.Subtotal), money(n.TaxTotal), money(n.Total), money(n.Total)
	sent.DueDate = "" // BR-CO-25 requires it or the terms
	if reverses {
		sent.Corrected, sent.Terms = ubl.Reference{Number: n.Reverses.Name}, "Reversal of "+n.Reverses.Name+" for invoice "+inv.Number
		sent.Paid, sent.Open = money(n.BecameCredit), money(n.Total-n.BecameCredit)
		return sent
	}
	sent.Credit, sent.Corrected = true, ubl.Reference{Number: inv.Number, IssueDate: inv.IssueDate.String()}
	sent.Terms, sent.Account = "Credit for invoice "+inv.Number, ubl.Account{}
	return sent
}

// eInvoice converts an issued invoice for its XML, as it was issued.
func eInvoice(inv invoice.Invoice) (ubl.Invoice, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	return eDocument(inv, inv.Lines, totals.Groups), err
}

// eDocument converts an issued invoice with lines and their taxes.
func eDocument(inv invoice.Invoice, lines []invoice.Line, groups []invoice.TaxGroup) ubl.Invoice {
	money := inv.Currency.Format
	sent := ubl.Invoice{
		Number: inv.Number, IssueDate: inv.IssueDate.String(), DueDate: inv.DueDate.String(), Currency: inv.Currency.String(),
		Notes: inv.Notes, BuyerReference: inv.Customer.Reference,
		Seller: ublParty(inv.Seller.Name, inv.Seller.Details),
		Buyer:  ublParty(inv.Customer.Name, inv.Customer.Details),
		Account: ubl.Account{
			Number: inv.Seller.AccountNumber, Holder: inv.Seller.AccountHolder, BIC: inv.Seller.BIC, Reference: inv.Number,
		},
		Subtotal: money(inv.Subtotal), TaxTotal: money(inv.TaxTotal), Total: money(inv.Total), Paid: money(0),
		Open: money(inv.Total), // as it was issued: payments and credit notes come later
	}
	sent.Seller.Email, sent.Buyer.Email, sent.Buyer.Contact = inv.Seller.Email, inv.Customer.Email, inv.Customer.Contact
	switch (date.Date{}) {
	case inv.SuppliedFrom:
	case inv.SuppliedTo:
		sent.DeliveredOn = inv.SuppliedFrom.String()
	default:
		sent.PeriodStart, sent.PeriodEnd = inv.SuppliedFrom.String(), inv.SuppliedTo.String()
	}
	sent.Seller.TaxID = sent.Seller.Registration // billing tax without a VAT number requires a tax number
	for _, g := range groups {
		terms := g.NoTax.At(g.Rate).Terms()
		tax := ubl.Tax{
			Category: terms.Category, Rate: sentRate(g.NoTax, g.Rate), Net: money(g.Net), Amount: money(g.Tax),
			Reason: g.NoTax.ReasonText(inv.Exemption), ReasonCode: terms.Code,
		}
		switch g.NoTax {
		case invoice.IntraCommunity: // requires a day or a period, and the country, which the app has no data about
			if inv.SuppliedFrom == (date.Date{}) {
				sent.DeliveredOn = sent.IssueDate
			}
			sent.DeliveredTo = sent.Buyer.Country
		case invoice.OutsideScope:
			withoutVAT(&sent.Seller)
			withoutVAT(&sent.Buyer)
		default:
		}
		sent.Taxes = append(sent.Taxes, tax)
	}
	for _, l := range lines {
		line := ubl.Line{
			Name: l.Description, Quantity: l.Quantity.String(), Unit: string(l.Unit), UnitPrice: inv.Currency.FormatPrice(l.UnitPrice),
			Category: l.NoTax.At(l.TaxRate).Terms().Category, TaxRate: sentRate(l.NoTax, l.TaxRate), Net: money(l.Net),
		}
		if l.Discount != 0 {
			line.Discount = money(l.Discount)
			if !l.DiscountRate.IsZero() {
				line.DiscountRate, line.Gross = l.DiscountRate.String(), money(l.Net+l.Discount)
			}
		}
		sent.Lines = append(sent.Lines, line)
	}
	return sent
}

// sentRate returns the rate of a treatment for XML: "" outside of the scope of tax (BR-O-05).
func sentRate(noTax invoice.Treatment, rate decimal.Decimal) string {
	if noTax == invoice.OutsideScope {
		return ""
	}
	return rate.String()
}

// withoutVAT makes a VAT number a registration, because an invoice that is not subject to tax must not have VAT numbers (BR-O-02).
func withoutVAT(p *ubl.Party) {
	p.Registration, p.VAT = cmp.Or(p.Registration, p.VAT), ""
}

// ublParty converts a party. A tax ID in the form of a VAT number is used as the VAT number, and any other as the registration: see
// [ubl.Party].
func ublParty(name string, d party.Details) ubl.Party {
	p := ubl.Party{Name: name, Address: AddressLines(party.Details{Address: d.Address}), Country: d.Country}
	if number, ok := party.VATNumber(d.TaxID); ok {
		p.VAT = number
	} else {
		p.Registration = d.TaxID
	}
	return p
}
