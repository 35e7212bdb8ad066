package document

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

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
	taxOfLine  = "Item/ClassifiedTaxCategory/"
	supplier   = "AccountingSupplierParty/Party/"
	buyerParty = "AccountingCustomerParty/Party/"
)

func rules() []rule {
	return slices.Concat(rulesOfContent(), rulesOfParties(), rulesOfLines(), rulesOfTotals(), rulesOfTax())
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
		{"BR-CO-25", one("DueDate"), [2]string{"DueDate", "Other"}},
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
	vat := func(inv element) (ids []string) {
		for _, scheme := range slices.Concat(inv.all(supplier+"PartyTaxScheme"), inv.all(buyerParty+"PartyTaxScheme")) {
			if scheme.text("TaxScheme/ID") == "VAT" {
				ids = append(ids, scheme.text("CompanyID"))
			}
		}
		return ids
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
		// The categories S and Z require a VAT identifier.
		{"BR-CO-26, BR-S-02, BR-Z-02", one(supplier + "PartyTaxScheme/CompanyID"), [2]string{
			"<cbc:CompanyID>IE6388047V</cbc:CompanyID>", "",
		}},
		{"BR-CO-09", func(inv element) string {
			for _, id := range vat(inv) {
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
				ok = ok && l.Unit == "C62"
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
				net := l.amount("InvoicedQuantity").Mul(l.amount("Price/PriceAmount")).Round(inv.decimals())
				if !net.Equal(l.amount("LineExtensionAmount")) {
					return fmt.Sprintf("a line is %s", net)
				}
			}
			return ""
		}, [2]string{">1.5<", ">1.6<"}},
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
		}, [2]string{"PayableAmount currencyID=\"EUR\">100.00", "PayableAmount currencyID=\"EUR\">134.99"}},
		{"BR-DEC", func(inv element) string { // 09 to 24: no more decimals than the currency has
			ok := true
			inv.walk(func(e element) {
				if strings.HasSuffix(e.XMLName.Local, "Amount") {
					_, decimals, _ := strings.Cut(e.Text, ".")
					ok = ok && len(decimals) == int(inv.decimals())
				}
			})
			return unless(ok, "an amount with other decimals than its currency")
		}, [2]string{">50.00<", ">50.001<"}},
	}
}

// rulesOfTax returns the rules about the tax. Lines are taxed at one or more standard rates, or zero-rated.
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
		{"BR-48", eachTax("TaxCategory/Percent"), [2]string{"<cbc:Percent>0</cbc:Percent>", ""}},
		{"BR-CO-17", func(inv element) string {
			for _, tax := range inv.all(subtotal) {
				want := tax.amount("TaxableAmount").Mul(tax.amount("TaxCategory/Percent")).Shift(-2).Round(inv.decimals())
				if problem := same(tax.amount("TaxAmount"), want); problem != "" {
					return problem
				}
			}
			return ""
		}, [2]string{"<cbc:Percent>23</cbc:Percent>", "<cbc:Percent>22</cbc:Percent>"}},
		// Each category and rate of the lines has exactly one breakdown, with the sum of their net amounts. All zero-rated lines share a
		// breakdown.
		{"BR-S-01, BR-S-08, BR-Z-01, BR-Z-08", func(inv element) string {
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
		{"BR-S-05, BR-Z-05", func(inv element) string {
			ok := true
			for _, tax := range slices.Concat(inv.all(subtotal+"/TaxCategory"), inv.all("InvoiceLine/Item/ClassifiedTaxCategory")) {
				switch tax.text("ID") {
				case "S":
					ok = ok && tax.amount("Percent").IsPositive()
				case "Z":
					ok = ok && tax.amount("Percent").IsZero()
				default:
					ok = false
				}
			}
			return unless(ok, "a rate that does not go with its category")
		}, [2]string{"<cbc:ID>Z</cbc:ID>", "<cbc:ID>S</cbc:ID>"}},
		{"BR-S-09, BR-Z-09", func(inv element) string {
			for _, tax := range inv.all(subtotal) {
				if tax.text("TaxCategory/ID") == "Z" && !tax.amount("TaxAmount").IsZero() {
					return "tax of what is zero-rated"
				}
			}
			return ""
		}, [2]string{"TaxAmount currencyID=\"EUR\">0.00", "TaxAmount currencyID=\"EUR\">0.01"}},
		{"BR-S-10, BR-Z-10", func(inv element) string {
			const reason = subtotal + "/TaxCategory/TaxExemptionReason"
			return unless(len(inv.all(reason))+len(inv.all(reason+"Code")) == 0, "a reason for an exemption")
		}, [2]string{"<cbc:Percent>0</cbc:Percent>", "<cbc:Percent>0</cbc:Percent><cbc:TaxExemptionReason>why</cbc:TaxExemptionReason>"}},
	}
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
