package document

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/value/money"
)

// rule is a business rule of EN 16931-1 about an element that the app writes. check returns the violation, or "".
type rule struct {
	name  string
	check func(inv element) string
	// breaks is a change of text in TestEveryRuleCanFail's invoice that the rule must notice.
	breaks [2]string
}

const (
	totals     = "LegalMonetaryTotal/"
	subtotal   = "TaxTotal/TaxSubtotal"
	allowance  = "AllowanceCharge/"
	taxOfLine  = "Item/ClassifiedTaxCategory/"
	supplier   = "AccountingSupplierParty/Party/"
	buyerParty = "AccountingCustomerParty/Party/"
)

func rules() []rule {
	return slices.Concat(rulesOfTaxed(), rulesOfOptions(), rulesOfUntaxed(), rulesOfOutsideScope())
}

// rulesOfTaxed returns the rules that an invoice with standard rates and zero-rated lines can break.
func rulesOfTaxed() []rule {
	return slices.Concat(rulesOfContent(), rulesOfParties(), rulesOfLines(), rulesOfTotals(), rulesOfTax())
}

// rulesOfCreditNotes returns the rules about the elements that only a credit note has, or under another name: see asInvoice.
func rulesOfCreditNotes() []rule {
	const corrected = "BillingReference/InvoiceDocumentReference/"
	return []rule{
		{"BR-02", matches("ID", "CN-2026-0007"), [2]string{"<cbc:ID>CN-2026-0007</cbc:ID>", "<cbc:ID>2026-0042</cbc:ID>"}},
		{"BR-03", matches("IssueDate", "2026-11-28"), [2]string{"IssueDate>2026-11-28", "IssueDate>2026-11-21"}},
		{"BR-04", matches("CreditNoteTypeCode", "381"), [2]string{">381<", ">380<"}},
		{
			"BR-16", func(n element) string { return unless(len(n.all("CreditNoteLine")) > 0, "no line") },
			[2]string{"CreditNoteLine", "Other"},
		},
		{"BR-22", func(n element) string {
			return unless(len(n.all("CreditNoteLine")) == len(n.all("CreditNoteLine/CreditedQuantity")), "no quantity")
		}, [2]string{"CreditedQuantity", "Other"}},
		{"BR-55, BT-25", matches(corrected+"ID", "2026-0042"), [2]string{"<cbc:ID>2026-0042</cbc:ID>", "<cbc:ID>2026-0041</cbc:ID>"}},
		{"BT-26", matches(corrected+"IssueDate", "2026-11-21"), [2]string{"IssueDate>2026-11-21", "IssueDate>2026-11-20"}},
		{"BR-CO-25", one("PaymentTerms/Note"), [2]string{"PaymentTerms", "Other"}},
	}
}

// asInvoice renames the elements of a credit note, so that the rules of invoices check it, too.
func asInvoice(creditNote string) string {
	return strings.NewReplacer("CreditNoteTypeCode>381<", "InvoiceTypeCode>380<", "CreditNoteTypeCode", "InvoiceTypeCode",
		"CreditNoteLine", "InvoiceLine", "CreditedQuantity", "InvoicedQuantity").Replace(creditNote)
}

// rulesOfContent returns the rules about required content.
func rulesOfContent() []rule {
	return []rule{
		{"BR-01", one("CustomizationID"), [2]string{"<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>", ""}},
		{"BR-02", one("ID"), [2]string{"<cbc:ID>2026-0042</cbc:ID>", ""}},
		{"BR-03", matches("IssueDate", `\d{4}-\d\d-\d\d`), [2]string{"IssueDate>2026-11-21", "IssueDate>21 Nov 2026"}},
		{"BR-04", matches("InvoiceTypeCode", "380"), [2]string{">380<", ">381<"}},
		{"BR-05", one("DocumentCurrencyCode"), [2]string{"<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>", ""}},
		{"BR-06", one(supplier + "PartyLegalEntity/RegistrationName"), [2]string{"<cbc:RegistrationName>Acme</cbc:RegistrationName>", ""}},
		{"BR-07", one(buyerParty + "PartyLegalEntity/RegistrationName"), [2]string{"<cbc:RegistrationName>Ada</cbc:RegistrationName>", ""}},
		{"BR-12", one(totals + "LineExtensionAmount"), [2]string{
			"<cbc:LineExtensionAmount currencyID=\"EUR\">111.99</cbc:LineExtensionAmount>", "",
		}},
		{"BR-13", one(totals + "TaxExclusiveAmount"), [2]string{"TaxExclusiveAmount", "Other"}},
		{"BR-14", one(totals + "TaxInclusiveAmount"), [2]string{"TaxInclusiveAmount", "Other"}},
		{"BR-15", one(totals + "PayableAmount"), [2]string{"PayableAmount", "Other"}},
		{"BR-16", func(inv element) string {
			return unless(len(inv.all("InvoiceLine")) > 0, "no line")
		}, [2]string{"InvoiceLine", "Other"}},
		{"BR-CO-25", func(inv element) string {
			return unless(len(inv.all("DueDate"))+len(inv.all("PaymentTerms/Note")) == 1, "neither a due date nor terms")
		}, [2]string{"DueDate", "Other"}},
		{"BR-CL-03", func(inv element) string { // amounts use the invoice's currency, which is an ISO 4217 code (BR-CL-04)
			_, known := money.ParseCurrency(inv.text("DocumentCurrencyCode"))
			ok := known
			inv.walk(func(e element) {
				if strings.HasSuffix(e.XMLName.Local, "Amount") {
					ok = ok && e.Currency == inv.text("DocumentCurrencyCode")
				}
			})
			return unless(ok, "an amount in another currency")
		}, [2]string{`currencyID="EUR">50.00`, `currencyID="USD">50.00`}},
	}
}

// ofPayment applies a check to invoices with payment instructions, which are optional.
func ofPayment(check func(element) string) func(element) string {
	return func(inv element) string {
		if len(inv.all("PaymentMeans")) == 0 {
			return ""
		}
		return check(inv)
	}
}

// rulesOfParties returns the rules about the parties and the payment.
func rulesOfParties() []rule {
	country := func(party string) func(element) string {
		return matches(party+"PostalAddress/Country/IdentificationCode", "[A-Z]{2}")
	}
	return []rule{
		{"BR-08", func(inv element) string {
			return unless(len(inv.all(supplier+"PostalAddress")) == 1, "no address of the seller")
		}, [2]string{"PostalAddress", "Other"}},
		{"BR-09", country(supplier), [2]string{">IE<", ">Ireland<"}},
		{"BR-10", func(inv element) string {
			return unless(len(inv.all(buyerParty+"PostalAddress")) == 1, "no address of the buyer")
		}, [2]string{"PostalAddress", "Other"}},
		{"BR-11", country(buyerParty), [2]string{">GB<", "><"}},
		{"BR-CO-26", func(inv element) string {
			identified := inv.text(supplier+"PartyTaxScheme/CompanyID") + inv.text(supplier+"PartyLegalEntity/CompanyID")
			return unless(identified != "", "no identifier of the seller")
		}, [2]string{"<cbc:CompanyID>IE6388047V</cbc:CompanyID>", ""}},
		{"BR-S-02, BR-Z-02, BR-E-02", func(inv element) string {
			return unless(!inv.has("S", "Z", "E") || one(supplier+"PartyTaxScheme/CompanyID")(inv) == "", "no tax number of the seller")
		}, [2]string{"<cbc:CompanyID>IE6388047V</cbc:CompanyID>", ""}},
		{"BR-CO-09", func(inv element) string {
			for _, id := range slices.Concat(inv.vat(supplier), inv.vat(buyerParty)) {
				if !regexp.MustCompile("^[A-Z]{2}[0-9A-Z]+$").MatchString(id) {
					return "a VAT identifier " + id
				}
			}
			return ""
		}, [2]string{"IE6388047V", "6388047V"}},
		{"BT-83", ofPayment(matches("PaymentMeans/PaymentID", "2026-0042")), [2]string{"<cbc:PaymentID>2026-0042</cbc:PaymentID>", ""}},
		{"BR-49", ofPayment(one("PaymentMeans/PaymentMeansCode")), [2]string{"<cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>", ""}},
		{"BR-50, BR-61", ofPayment(one("PaymentMeans/PayeeFinancialAccount/ID")), [2]string{"<cbc:ID>IE29AIBK93115212345678</cbc:ID>", ""}},
	}
}

// rulesOfLines returns the rules about each line.
func rulesOfLines() []rule {
	return []rule{
		{"BR-21", each("ID"), [2]string{"<cbc:ID>1</cbc:ID>", ""}},
		{"BR-22", each("InvoicedQuantity"), [2]string{"InvoicedQuantity", "Other"}},
		{"BR-23", func(inv element) string {
			ok := true
			for _, l := range inv.all("InvoiceLine/InvoicedQuantity") {
				ok = ok && (l.Unit == "C62" || invoice.Unit(l.Unit).Name() != "")
			}
			return unless(ok, "a quantity without unit")
		}, [2]string{` unitCode="C62"`, ""}},
		{"BR-24", each("LineExtensionAmount"), [2]string{
			"<cbc:LineExtensionAmount currencyID=\"EUR\">100.00</cbc:LineExtensionAmount>", "",
		}},
		{"BR-25", each("Item/Name"), [2]string{"<cbc:Name>Design</cbc:Name>", ""}},
		{"BR-26", each("Price/PriceAmount"), [2]string{"PriceAmount", "Other"}},
		{"BR-27", func(inv element) string {
			ok := true
			for _, price := range inv.amounts("InvoiceLine/Price/PriceAmount") {
				ok = ok && !price.IsNegative()
			}
			return unless(ok, "a negative price")
		}, [2]string{">50.00<", ">-50.00<"}},
		{"BR-CO-04", each(taxOfLine + "ID"), [2]string{"ClassifiedTaxCategory", "Other"}},
		{"PEPPOL-EN16931-R120", func(inv element) string {
			for _, l := range inv.all("InvoiceLine") {
				gross := l.amount("InvoicedQuantity").Mul(l.amount("Price/PriceAmount")).Round(inv.decimals())
				net := gross.Sub(l.amount(allowance + "Amount"))
				if !net.Equal(l.amount("LineExtensionAmount")) {
					return fmt.Sprintf("a line is %s", net)
				}
			}
			return ""
		}, [2]string{">1.5<", ">1.6<"}},
	}
}

// rulesOfOptions returns the rules of optional data: discounts of lines, and a period of supply.
func rulesOfOptions() []rule {
	return []rule{
		{"BR-41", everyOne("InvoiceLine/AllowanceCharge", "Amount"), [2]string{"<cbc:Amount currencyID=\"EUR\">11.11</cbc:Amount>", ""}},
		{"BR-42", everyOne("InvoiceLine/AllowanceCharge", "AllowanceChargeReason"), [2]string{"AllowanceChargeReason", "Other"}},
		{"PEPPOL-EN16931-R040 to R043", func(inv element) string {
			for _, a := range inv.all("InvoiceLine/AllowanceCharge") {
				share := a.amount("BaseAmount").Mul(a.amount("MultiplierFactorNumeric")).Shift(-2).Round(inv.decimals())
				switch rated := len(a.all("MultiplierFactorNumeric")); {
				case a.text("ChargeIndicator") != "false":
					return "no allowance"
				case len(a.all("BaseAmount")) != rated, rated == 1 && !share.Equal(a.amount("Amount")):
					return "another share"
				}
			}
			return ""
		}, [2]string{">111.11<", ">121.11<"}},
		{"BR-29, BR-CO-19", func(inv element) string {
			for _, period := range inv.all("InvoicePeriod") {
				start, end := period.text("StartDate"), period.text("EndDate")
				if len(start) != len("2026-11-21") || len(end) != len(start) || end < start {
					return "a period that ends before it begins"
				}
			}
			return ""
		}, [2]string{"EndDate>2026-11-30", "EndDate>2026-10-31"}},
	}
}

// rulesOfTotals returns the rules about the sums. Documents have no allowances or charges (BR-CO-11, BR-CO-12).
func rulesOfTotals() []rule {
	return []rule{
		{"BR-CO-10", func(inv element) string {
			return same(inv.amount(totals+"LineExtensionAmount"), sum(inv.amounts("InvoiceLine/LineExtensionAmount")))
		}, [2]string{">11.99<", ">12.00<"}},
		{"BR-CO-13", func(inv element) string {
			return same(inv.amount(totals+"TaxExclusiveAmount"), inv.amount(totals+"LineExtensionAmount"))
		}, [2]string{"TaxExclusiveAmount currencyID=\"EUR\">111.99", "TaxExclusiveAmount currencyID=\"EUR\">112.99"}},
		{"BR-CO-14", func(inv element) string {
			return same(inv.amount("TaxTotal/TaxAmount"), sum(inv.amounts(subtotal+"/TaxAmount")))
		}, [2]string{"TaxAmount currencyID=\"EUR\">0.00", "TaxAmount currencyID=\"EUR\">0.01"}},
		{"BR-CO-15", func(inv element) string {
			want := inv.amount(totals + "TaxExclusiveAmount").Add(inv.amount("TaxTotal/TaxAmount"))
			return same(inv.amount(totals+"TaxInclusiveAmount"), want)
		}, [2]string{"TaxInclusiveAmount currencyID=\"EUR\">134.99", "TaxInclusiveAmount currencyID=\"EUR\">111.99"}},
		{"BR-CO-16", func(inv element) string {
			return same(inv.amount(totals+"PayableAmount"), inv.amount(totals+"TaxInclusiveAmount").Sub(inv.amount(totals+"PrepaidAmount")))
		}, [2]string{"PayableAmount currencyID=\"EUR\">134.99", "PayableAmount currencyID=\"EUR\">100.00"}},
		{"BR-DEC", func(inv element) string { // 09 to 24: no more decimals than the currency has; prices may have more
			ok := true
			inv.walk(func(e element) {
				if strings.HasSuffix(e.XMLName.Local, "Amount") && e.XMLName.Local != "PriceAmount" {
					_, decimals, _ := strings.Cut(e.Text, ".")
					ok = ok && len(decimals) == int(inv.decimals())
				}
			})
			return unless(ok, "an amount with other decimals than its currency")
		}, [2]string{">100.00<", ">100.001<"}},
	}
}

// rulesOfTax returns the rules about the breakdown of the tax.
func rulesOfTax() []rule {
	return []rule{
		{"BR-CO-18", func(inv element) string {
			return unless(len(inv.all(subtotal)) > 0, "no breakdown")
		}, [2]string{"TaxSubtotal", "Other"}},
		{"BR-45", eachTax("TaxableAmount"), [2]string{"TaxableAmount", "Other"}},
		{"BR-46", eachTax("TaxAmount"), [2]string{
			"<cbc:TaxAmount currencyID=\"EUR\">0.00</cbc:TaxAmount>", "",
		}},
		{"BR-47", eachTax("TaxCategory/ID"), [2]string{"<cbc:ID>Z</cbc:ID>", ""}},
		{"BR-48", func(inv element) string {
			return unless(inv.has("O") || eachTax("TaxCategory/Percent")(inv) == "", "a category without rate")
		}, [2]string{"<cbc:Percent>0</cbc:Percent>", ""}},
		{"BR-CO-17", func(inv element) string {
			for _, tax := range inv.all(subtotal) {
				want := tax.amount("TaxableAmount").Mul(tax.amount("TaxCategory/Percent")).Shift(-2).Round(inv.decimals())
				if problem := same(tax.amount("TaxAmount"), want); problem != "" {
					return problem
				}
			}
			return ""
		}, [2]string{"<cbc:Percent>23</cbc:Percent>", "<cbc:Percent>22</cbc:Percent>"}},
		// Each category and rate of the lines has exactly one breakdown, with the sum of their net amounts. The categories other than S
		// have one rate.
		{"BR-*-01, BR-*-08", func(inv element) string {
			nets := map[string]decimal.Decimal{}
			for _, l := range inv.all("InvoiceLine") {
				kind := l.text(taxOfLine+"ID") + l.text(taxOfLine+"Percent")
				nets[kind] = nets[kind].Add(l.amount("LineExtensionAmount"))
			}
			for _, tax := range inv.all(subtotal) {
				kind := tax.text("TaxCategory/ID") + tax.text("TaxCategory/Percent")
				if net, ok := nets[kind]; !ok || !net.Equal(tax.amount("TaxableAmount")) {
					return fmt.Sprintf("the lines of %s are %s", kind, net)
				}
				delete(nets, kind)
			}
			return unless(len(nets) == 0, "a rate without breakdown")
		}, [2]string{"TaxableAmount currencyID=\"EUR\">100.00", "TaxableAmount currencyID=\"EUR\">99.00"}},
		{"BR-*-05", func(inv element) string {
			ok := true
			for _, tax := range slices.Concat(inv.all(subtotal+"/TaxCategory"), inv.all("InvoiceLine/Item/ClassifiedTaxCategory")) {
				rates := tax.amounts("Percent")
				switch tax.text("ID") {
				case "S":
					ok = ok && len(rates) == 1 && rates[0].IsPositive()
				case "Z", "E", "AE", "K", "G":
					ok = ok && len(rates) == 1 && rates[0].IsZero()
				case "O":
					ok = ok && len(rates) == 0
				default:
					ok = false
				}
			}
			return unless(ok, "a rate that does not go with its category")
		}, [2]string{"<cbc:ID>Z</cbc:ID>", "<cbc:ID>S</cbc:ID>"}},
		{"BR-*-09", func(inv element) string {
			for _, tax := range inv.all(subtotal) {
				if tax.text("TaxCategory/ID") != "S" && !tax.amount("TaxAmount").IsZero() {
					return "tax of what has none"
				}
			}
			return ""
		}, [2]string{"TaxAmount currencyID=\"EUR\">0.00", "TaxAmount currencyID=\"EUR\">0.01"}},
		{"BR-S-10, BR-Z-10", func(inv element) string {
			for _, tax := range inv.all(subtotal + "/TaxCategory") {
				reasons := len(tax.all("TaxExemptionReason")) + len(tax.all("TaxExemptionReasonCode"))
				if id := tax.text("ID"); (id == "S" || id == "Z") && reasons > 0 {
					return "a reason for an exemption"
				}
			}
			return ""
		}, [2]string{"<cbc:Percent>0</cbc:Percent>", "<cbc:Percent>0</cbc:Percent><cbc:TaxExemptionReason>why</cbc:TaxExemptionReason>"}},
	}
}

// rulesOfUntaxed returns the rules about lines that are exempt, have a reverse charge, or go to another country.
func rulesOfUntaxed() []rule {
	// coded requires the code that only this category has.
	coded := func(category, code string) func(element) string {
		return func(inv element) string {
			for _, tax := range inv.all(subtotal + "/TaxCategory") {
				if (tax.text("ID") == category) != (tax.text("TaxExemptionReasonCode") == code) {
					return category + " without " + code
				}
			}
			return ""
		}
	}
	const sellerVAT, buyerVAT = "<cbc:CompanyID>IE6388047V</cbc:CompanyID>", "<cbc:CompanyID>GB123456789</cbc:CompanyID>"
	return []rule{
		{"BR-AE-02", func(inv element) string {
			buyer := inv.text(buyerParty+"PartyTaxScheme/CompanyID") + inv.text(buyerParty+"PartyLegalEntity/CompanyID")
			return unless(!inv.has("AE") || inv.text(supplier+"PartyTaxScheme/CompanyID") != "" && buyer != "",
				"a party without identifier")
		}, [2]string{buyerVAT, ""}},
		{"BR-IC-02", func(inv element) string {
			return unless(!inv.has("K") || len(inv.vat(supplier)) == 1 && len(inv.vat(buyerParty)) == 1, "a party without VAT identifier")
		}, [2]string{buyerVAT, ""}},
		{"BR-G-02", func(inv element) string {
			return unless(!inv.has("G") || len(inv.vat(supplier)) == 1, "a seller without VAT identifier")
		}, [2]string{sellerVAT, ""}},
		{"BR-E-10", func(inv element) string {
			for _, tax := range inv.all(subtotal + "/TaxCategory") {
				if tax.text("ID") == "E" && tax.text("TaxExemptionReason")+tax.text("TaxExemptionReasonCode") == "" {
					return "exempt without a reason"
				}
			}
			return ""
		}, [2]string{"<cbc:TaxExemptionReason>Exempt: Article 132 &amp; others</cbc:TaxExemptionReason>", ""}},
		{"BR-AE-10", coded("AE", "VATEX-EU-AE"), [2]string{"VATEX-EU-AE", "VATEX-EU-G"}},
		{"BR-IC-10", coded("K", "VATEX-EU-IC"), [2]string{"VATEX-EU-IC", "VATEX-EU-G"}},
		{"BR-G-10", coded("G", "VATEX-EU-G"), [2]string{"VATEX-EU-G", "VATEX-EU-O"}},
		{"BR-O-10", coded("O", "VATEX-EU-O"), [2]string{"VATEX-EU-G", "VATEX-EU-O"}},
		{"BR-IC-11", func(inv element) string {
			day := matches("Delivery/ActualDeliveryDate", `\d{4}-\d\d-\d\d`)(inv) == ""
			return unless(!inv.has("K") || day || len(inv.all("InvoicePeriod")) > 0, "no day of delivery")
		}, [2]string{"ActualDeliveryDate", "Other"}},
		{"BR-IC-12", func(inv element) string {
			const country = "Delivery/DeliveryLocation/Address/Country/IdentificationCode"
			return unless(!inv.has("K") || matches(country, "[A-Z]{2}")(inv) == "", "no country of delivery")
		}, [2]string{"DeliveryLocation", "Other"}},
	}
}

// rulesOfOutsideScope returns the rules about an invoice that is not subject to tax.
func rulesOfOutsideScope() []rule {
	return []rule{
		{"BR-O-02", func(inv element) string {
			return unless(!inv.has("O") || len(inv.vat(supplier))+len(inv.vat(buyerParty)) == 0, "a VAT identifier")
		}, [2]string{"</cac:PostalAddress>", "</cac:PostalAddress><cac:PartyTaxScheme><cbc:CompanyID>IE6388047V</cbc:CompanyID>" +
			"<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>"}},
		{"BR-O-11", func(inv element) string {
			return unless(!inv.has("O") || len(inv.all(subtotal)) == 1, "another breakdown")
		}, [2]string{"</cac:TaxSubtotal>", "</cac:TaxSubtotal><cac:TaxSubtotal/>"}},
		{"BR-O-12", func(inv element) string {
			ok := true
			for _, l := range inv.all("InvoiceLine") {
				ok = ok && (!inv.has("O") || l.text(taxOfLine+"ID") == "O")
			}
			return unless(ok, "a line with another category")
		}, [2]string{"</cac:InvoiceLine>", "</cac:InvoiceLine><cac:InvoiceLine/>"}},
	}
}

// has reports whether a breakdown of the invoice has one of the categories.
func (e element) has(categories ...string) bool {
	return slices.ContainsFunc(e.all(subtotal+"/TaxCategory/ID"), func(id element) bool { return slices.Contains(categories, id.Text) })
}

// vat returns the VAT identifiers of a party.
func (e element) vat(party string) (ids []string) {
	for _, scheme := range e.all(party + "PartyTaxScheme") {
		if id := scheme.text("CompanyID"); id != "" && scheme.text("TaxScheme/ID") == "VAT" {
			ids = append(ids, id)
		}
	}
	return ids
}

// one requires exactly one element with text.
func one(path string) func(element) string { return matches(path, "(?s).+") }

func matches(path, pattern string) func(element) string {
	whole := regexp.MustCompile("^(" + pattern + ")$")
	return func(inv element) string {
		found := inv.all(path)
		return unless(len(found) == 1 && whole.MatchString(found[0].Text), path)
	}
}

// each requires exactly one element with text in each line.
func each(path string) func(element) string { return everyOne("InvoiceLine", path) }

// eachTax is each for the breakdown of the tax.
func eachTax(path string) func(element) string { return everyOne(subtotal, path) }

func everyOne(parent, path string) func(element) string {
	return func(inv element) string {
		ok := true
		for _, e := range inv.all(parent) {
			ok = ok && one(path)(e) == ""
		}
		return unless(ok, path)
	}
}

func unless(ok bool, problem string) string {
	if ok {
		return ""
	}
	return problem
}

func same(got, want decimal.Decimal) string {
	return unless(got.Equal(want), fmt.Sprintf("%s and not %s", got, want))
}

func sum(all []decimal.Decimal) (total decimal.Decimal) {
	for _, d := range all {
		total = total.Add(d)
	}
	return total
}
