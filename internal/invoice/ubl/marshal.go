package ubl

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

const (
	// namespace begins the names of the schemas.
	namespace = "urn:oasis:names:specification:ubl:schema:xsd:"
	// customization declares that the XML conforms to the standard, without national rules (BT-24).
	customization = "urn:cen.eu:en16931:2017"
	// commercialInvoice and creditNote are the types of documents (BT-3, UNTDID 1001).
	commercialInvoice = "380"
	creditNote        = "381"
	// creditTransfer is the means of payment (BT-81, UNCL 4461).
	creditTransfer = "30"
	// piece is the default unit of quantities (BT-130, UN/ECE Recommendation 20).
	piece = "C62"
	// discount is the reason for an allowance (BT-139).
	discount = "Discount"
	// vat is the only kind of tax in the standard, and other the kind of tax numbers that are not VAT identifiers.
	vat   = "VAT"
	other = "TAX"
)

// Marshal returns an invoice as XML. Characters that XML can't represent become U+FFFD. The error is from encoding/xml, which never fails
// for these types.
func Marshal(inv Invoice) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(document(inv)); err != nil { //nolint:musttag // the name of the element depends on the kind of document
		return nil, fmt.Errorf("encode invoice: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func document(inv Invoice) invoiceXML {
	money := func(amount string) amountXML { return amountXML{inv.Currency, amount} }
	doc := invoiceXML{
		XMLName: xml.Name{Local: "Invoice"}, Xmlns: namespace + "Invoice-2",
		Cac: namespace + "CommonAggregateComponents-2", Cbc: namespace + "CommonBasicComponents-2",

		CustomizationID: customization, ID: inv.Number, IssueDate: inv.IssueDate, DueDate: inv.DueDate,
		InvoiceTypeCode: commercialInvoice, Note: inv.Notes, DocumentCurrencyCode: inv.Currency,
		BuyerReference: inv.BuyerReference,
		Supplier:       partyOf(inv.Seller), Customer: partyOf(inv.Buyer),
		TaxTotal: taxTotalXML{TaxAmount: money(inv.TaxTotal)},
		Totals: totalsXML{
			LineExtensionAmount: money(inv.Subtotal), TaxExclusiveAmount: money(inv.Subtotal),
			TaxInclusiveAmount: money(inv.Total), PrepaidAmount: money(inv.Paid), PayableAmount: money(inv.Open),
		},
	}
	if inv.Credit {
		doc.XMLName.Local, doc.Xmlns = "CreditNote", namespace+"CreditNote-2"
		doc.InvoiceTypeCode, doc.CreditNoteTypeCode = "", creditNote
	}
	if inv.Corrected != (Reference{}) {
		doc.Corrected = &documentXML{inv.Corrected.Number, inv.Corrected.IssueDate}
	}
	if inv.Terms != "" {
		doc.Terms = &termsXML{inv.Terms}
	}
	if inv.PeriodStart != "" {
		doc.Period = &periodXML{inv.PeriodStart, inv.PeriodEnd}
	}
	if inv.DeliveredOn != "" || inv.DeliveredTo != "" {
		doc.Delivery = &deliveryXML{Date: inv.DeliveredOn}
		if inv.DeliveredTo != "" {
			doc.Delivery.Address = &addressXML{Country: &countryXML{inv.DeliveredTo}}
		}
	}
	if a := inv.Account; a.Number != "" {
		doc.PaymentMeans = &paymentMeansXML{Code: creditTransfer, ID: a.Reference, Account: accountXML{ID: a.Number, Name: a.Holder}}
		if a.BIC != "" {
			doc.PaymentMeans.Account.Branch = &branchXML{a.BIC}
		}
	}
	for _, t := range inv.Taxes {
		doc.TaxTotal.Subtotals = append(doc.TaxTotal.Subtotals, taxSubtotalXML{
			TaxableAmount: money(t.Net), TaxAmount: money(t.Amount),
			Category: categoryXML{ID: t.Category, Percent: t.Rate, ReasonCode: t.ReasonCode, Reason: t.Reason, Scheme: vat},
		})
	}
	for i, l := range inv.Lines {
		line := lineXML{
			ID: strconv.Itoa(i + 1), Quantity: &quantityXML{cmp.Or(l.Unit, piece), l.Quantity}, LineExtensionAmount: money(l.Net),
			Name: strings.Join(strings.Fields(l.Name), " "), Price: money(l.UnitPrice),
			Category: categoryXML{ID: l.Category, Percent: l.TaxRate, Scheme: vat},
		}
		if l.Discount != "" {
			line.Allowance = &allowanceXML{Reason: discount, Percent: l.DiscountRate, Amount: money(l.Discount)}
			if l.Gross != "" {
				line.Allowance.BaseAmount = new(money(l.Gross))
			}
		}
		if inv.Credit {
			line.Credited, line.Quantity = line.Quantity, nil
			doc.CreditedLines = append(doc.CreditedLines, line)
		} else {
			doc.Lines = append(doc.Lines, line)
		}
	}
	return doc
}

func partyOf(p Party) partyXML {
	party := partyXML{LegalEntity: legalEntityXML{p.Name, p.Registration}}
	if len(p.Address) > 0 || p.Country != "" {
		party.Address = addressOf(p.Address)
	}
	if p.Country != "" {
		party.Address.Country = &countryXML{p.Country}
	}
	if p.VAT != "" {
		party.TaxSchemes = append(party.TaxSchemes, taxSchemeXML{p.VAT, vat})
	}
	if p.TaxID != "" {
		party.TaxSchemes = append(party.TaxSchemes, taxSchemeXML{p.TaxID, other})
	}
	if p.Contact != "" || p.Email != "" {
		party.Contact = &contactXML{p.Contact, p.Email}
	}
	return party
}

// addressOf returns an address. It has three elements for lines; the last one gets the remaining lines.
func addressOf(lines []string) *addressXML {
	var address addressXML
	for i, line := range lines {
		switch i {
		case 0:
			address.Street = line
		case 1:
			address.Additional = line
		case 2:
			address.Line = &lineOfAddressXML{line}
		default:
			address.Line.Line += ", " + line
		}
	}
	return &address
}
