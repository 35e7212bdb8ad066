package invoicepages

import (
	"cmp"
	"net/http"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/ubl"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
)

// invoiceUBL returns an issued invoice as XML. It returns a [*conflict.Error] for a draft or a void invoice.
func invoiceUBL(_ *http.Request, inv invoice.Invoice) (web.File, error) {
	if err := invoice.Sendable(inv); err != nil {
		return web.File{}, err
	}
	sent, err := eInvoice(inv)
	if err != nil {
		return web.File{}, err
	}
	content, err := ubl.Marshal(sent)
	return web.File{Name: "Invoice-" + inv.Number + ".xml", Content: content}, err
}

// eInvoice converts an issued invoice for its XML. Later, only payments change it: the paid and the open amount.
func eInvoice(inv invoice.Invoice) (ubl.Invoice, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return ubl.Invoice{}, err
	}
	money := inv.Currency.Format
	sent := ubl.Invoice{
		Number: inv.Number, IssueDate: inv.IssueDate.String(), DueDate: inv.DueDate.String(), Currency: inv.Currency.String(),
		Notes:    inv.Notes,
		Seller:   ublParty(inv.Seller.Name, inv.Seller.Details),
		Buyer:    ublParty(inv.Customer.Name, inv.Customer.Details),
		Account:  ubl.Account{Number: inv.Seller.AccountNumber, Holder: inv.Seller.AccountHolder, BIC: inv.Seller.BIC},
		Subtotal: money(inv.Subtotal), TaxTotal: money(inv.TaxTotal), Total: money(inv.Total), Paid: money(inv.Paid),
		Open: money(inv.Total - inv.Paid), // a credit note is a separate document
	}
	sent.Seller.Email, sent.Buyer.Email = inv.Seller.Email, inv.Customer.Email
	sent.Seller.TaxID = sent.Seller.Registration // billing tax without a VAT number requires a tax number
	for _, g := range totals.Groups {
		terms := g.NoTax.At(g.Rate).Terms()
		tax := ubl.Tax{
			Category: terms.Category, Rate: sentRate(g.NoTax, g.Rate), Net: money(g.Net), Amount: money(g.Tax),
			Reason: g.NoTax.ReasonText(inv.Exemption), ReasonCode: terms.Code,
		}
		switch g.NoTax {
		case invoice.IntraCommunity: // requires the delivery, of which the app has no data
			sent.DeliveredOn, sent.DeliveredTo = sent.IssueDate, sent.Buyer.Country
		case invoice.OutsideScope:
			withoutVAT(&sent.Seller)
			withoutVAT(&sent.Buyer)
		default:
		}
		sent.Taxes = append(sent.Taxes, tax)
	}
	for _, l := range inv.Lines {
		sent.Lines = append(sent.Lines, ubl.Line{
			Name: l.Description, Quantity: l.Quantity.String(), UnitPrice: money(l.UnitPrice),
			Category: l.NoTax.At(l.TaxRate).Terms().Category, TaxRate: sentRate(l.NoTax, l.TaxRate), Net: money(l.Net),
		})
	}
	return sent, nil
}

// sentRate returns the rate of a treatment for XML: "" for what is not subject to tax (BR-O-05).
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
	p := ubl.Party{Name: name, Address: document.AddressLines(party.Details{Address: d.Address}), Country: d.Country}
	if number, ok := party.VATNumber(d.TaxID); ok {
		p.VAT = number
	} else {
		p.Registration = d.TaxID
	}
	return p
}
