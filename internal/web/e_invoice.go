package web

import (
	"net/http"

	"onlyonce/internal/invoice"
	"onlyonce/internal/ubl"
)

// invoiceUBL writes an issued invoice as XML. It returns a [*conflict.Error] for one that is a draft or void.
func invoiceUBL(r *http.Request, inv invoice.Invoice) (file, error) {
	if err := invoice.Sendable(inv); err != nil {
		return file{}, err
	}
	sent, err := eInvoice(inv, seller(r))
	if err != nil {
		return file{}, err
	}
	content, err := ubl.Marshal(sent)
	return file{"Invoice-" + inv.Number + ".xml", "application/xml", content}, err
}

// eInvoice is an issued invoice as its XML says it. Payments change what is paid and open, and nothing else does.
func eInvoice(inv invoice.Invoice, from named) (ubl.Invoice, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return ubl.Invoice{}, err
	}
	money := inv.Currency.Format
	sent := ubl.Invoice{
		Number: inv.Number, IssueDate: inv.IssueDate.String(), DueDate: inv.DueDate.String(), Currency: inv.Currency.String(),
		Notes: inv.Notes, Seller: from.ubl(), Buyer: buyer(inv).ubl(),
		Subtotal: money(inv.Subtotal), TaxTotal: money(inv.TaxTotal), Total: money(inv.Total), Paid: money(inv.Paid),
		Open: money(inv.Total - inv.Paid), // a credit note is a document of its own
	}
	for _, g := range totals.Groups {
		sent.Taxes = append(sent.Taxes, ubl.Tax{Rate: g.Rate.String(), Net: money(g.Net), Amount: money(g.Tax)})
	}
	for _, l := range inv.Lines {
		sent.Lines = append(sent.Lines, ubl.Line{
			Name: l.Description, Quantity: l.Quantity.String(), UnitPrice: money(l.UnitPrice), TaxRate: l.TaxRate.String(),
			Net: money(l.Net),
		})
	}
	return sent, nil
}

func (p named) ubl() ubl.Party {
	return ubl.Party{Name: p.name, Street: p.street, City: p.city, Zip: p.zip, Country: p.country, VAT: p.vat, Email: p.email}
}
