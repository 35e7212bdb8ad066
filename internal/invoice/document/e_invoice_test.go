package document

import (
	"encoding/xml"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/ubl"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
)

// element is an XML element, independent of the code that wrote it.
type element struct {
	XMLName  xml.Name  `xml:""`
	Currency string    `xml:"currencyID,attr"`
	Unit     string    `xml:"unitCode,attr"`
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

// all returns the elements at a path of names.
func (e element) all(path string) []element {
	name, rest, deeper := strings.Cut(path, "/")
	var found []element
	for _, child := range e.Children {
		switch {
		case child.XMLName.Local != name:
		case deeper:
			found = append(found, child.all(rest)...)
		default:
			found = append(found, child)
		}
	}
	return found
}

func (e element) walk(visit func(element)) {
	visit(e)
	for _, child := range e.Children {
		child.walk(visit)
	}
}

func (e element) text(path string) string {
	for _, found := range e.all(path) {
		return found.Text
	}
	return ""
}

func (e element) amounts(path string) (all []decimal.Decimal) {
	for _, found := range e.all(path) {
		amount, err := decimal.NewFromString(found.Text)
		if err != nil {
			amount = decimal.New(-1, 30) // violates every rule
		}
		all = append(all, amount)
	}
	return all
}

func (e element) amount(path string) decimal.Decimal { return sum(e.amounts(path)) }

// decimals returns the number of decimals of the invoice's currency.
func (e element) decimals() int32 {
	c, _ := money.ParseCurrency(e.text("DocumentCurrencyCode"))
	return c.Decimals()
}

// issued returns an invoice that was created from the input, issued, and paid and credited in part.
func issued(t must.T, in invoice.Input, paid func(total int64) int64) invoice.Invoice {
	t.Helper()
	d, err := in.Draft()
	must.OK(t, err)
	sums, err := invoice.TotalsOf(d.Lines)
	must.OK(t, err)
	inv := invoice.Invoice{
		Number: in.Number, Status: invoice.StatusIssued, Seller: invoice.Seller{
			Name: "Acme", Details: party.Details{Address: "12 Dame Street\nDublin 2", Country: "IE", TaxID: "IE 6388047V"},
			BankAccount: party.BankAccount{AccountHolder: "Acme Limited", AccountNumber: "IE29AIBK93115212345678", BIC: "AIBKIE2D"},
		},
		Customer: invoice.Buyer{
			Customer: invoice.Customer{Name: in.Customer.Name, Email: in.Customer.Email},
			Texts: customer.Texts{
				Details: party.Details{Address: "12 St James's Square\nLondon", Country: "GB", TaxID: "GB123456789"},
				Contact: in.Customer.Contact, Reference: in.Customer.Reference,
			},
		},

		Currency: d.Currency, IssueDate: d.IssueDate, DueDate: d.DueDate, SuppliedFrom: d.SuppliedFrom, SuppliedTo: d.SuppliedTo,
		Lines: d.Lines, Notes: d.Notes, Exemption: d.Exemption,
		IssuedAt: time.Unix(0, 0),
		Subtotal: sums.Subtotal, TaxTotal: sums.Tax, Total: sums.Total, Paid: paid(sums.Total),
	}
	inv.Credited = (inv.Total - inv.Paid) / 2
	inv.Open = inv.Total - inv.Paid - inv.Credited
	return inv
}

// xmlOf returns the XML of an invoice, even if it lacks data.
func xmlOf(t must.T, inv invoice.Invoice) string {
	t.Helper()
	sent, err := eInvoice(inv)
	must.OK(t, err)
	content, err := ubl.Marshal(sent)
	must.OK(t, err)
	return string(content)
}

// broken returns the rules that an invoice violates.
func broken(t must.T, text string) (all []string) {
	t.Helper()
	var inv element
	must.OK(t, xml.Unmarshal([]byte(text), &inv))
	for _, rule := range rules() {
		if problem := rule.check(inv); problem != "" {
			all = append(all, rule.name+": "+problem)
		}
	}
	return all
}

// TestEInvoiceKeepsTheRules checks the rules on random invoices.
func TestEInvoiceKeepsTheRules(t *testing.T) {
	t.Parallel()
	// plain draws a decimal with a maximum number of decimals.
	plain := func(t *rapid.T, label string, least, most int64, decimals int32) string {
		scale := rapid.Int32Range(0, decimals).Draw(t, label+" decimals")
		return decimal.New(rapid.Int64Range(least, most).Draw(t, label), -scale).String()
	}
	rapid.Check(t, func(t *rapid.T) {
		currency, _ := money.ParseCurrency(rapid.SampledFrom([]string{"EUR", "PLN", "JPY", "KWD"}).Draw(t, "currency"))
		in := invoice.Input{
			Number: "2026-0042", Customer: &customer.Input{
				Email: "ada@example.com", Name: "Ada & Söhne <GmbH>", Texts: customer.Texts{
					Contact: rapid.SampledFrom([]string{"", "Einkauf & Co"}).Draw(t, "contact"), Reference: "04011000-12345-34",
				},
			},
			IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: currency.String(),
			Notes: rapid.SampledFrom([]string{"", "a\nb"}).Draw(t, "notes"), Exemption: "Article 132",
			SuppliedFrom: rapid.SampledFrom([]string{"", "2026-11-01"}).Draw(t, "supplied"),
		}
		if in.SuppliedFrom != "" {
			in.SuppliedTo = rapid.SampledFrom([]string{"", "2026-11-01", "2026-11-30"}).Draw(t, "until")
		}
		untaxed := rapid.Just(invoice.OutsideScope) // alone
		if rapid.Bool().Draw(t, "within the scope") {
			untaxed = rapid.SampledFrom([]invoice.Treatment{
				"", "", invoice.Exempt, invoice.ReverseCharge, invoice.IntraCommunity, invoice.Export,
			})
		}
		for range rapid.IntRange(1, 20).Draw(t, "lines") {
			line := invoice.LineInput{
				Description: rapid.SampledFrom([]string{"Design", "a\nb", "क्षत्रिय"}).Draw(t, "description"),
				Quantity:    plain(t, "quantity", 1, 1_000_000, 6),
				UnitPrice:   plain(t, "price", 0, 100_000, 6),
				TaxRate: rapid.OneOf(rapid.SampledFrom([]string{"0", "0.000", "5", "8", "23", "23.0"}),
					rapid.Custom(func(t *rapid.T) string { return plain(t, "rate", 0, 100, 3) })).Draw(t, "rate"),
			}
			line.Unit = rapid.SampledFrom([]string{"", "HUR", "KGM"}).Draw(t, "unit")
			line.Discount = rapid.SampledFrom([]string{"", "10%", "0.01%", "33.33%", "100%", "0"}).Draw(t, "discount")
			if noTax := untaxed.Draw(t, "treatment"); noTax != "" {
				line.TaxRate, line.Treatment = "0", string(noTax)
			}
			in.Lines = append(in.Lines, line)
			if rapid.IntRange(0, 4).Draw(t, "takes back") == 0 {
				line.Quantity = "-" + line.Quantity
				in.Lines = append(in.Lines, line)
			}
		}
		inv := issued(t, in, func(total int64) int64 { return rapid.Int64Range(0, total).Draw(t, "paid") })
		content, err := EInvoice(inv)
		must.OK(t, err)
		problems := broken(t, string(content))
		must.Thatf(t, len(problems) == 0, "%v in\n%s", problems, content)
		content, err = ECreditNote(credited(t, inv), inv)
		must.OK(t, err)
		problems = broken(t, asInvoice(string(content)))
		must.Thatf(t, len(problems) == 0, "%v in\n%s", problems, content)
		content, err = ECreditNote(reversed(credited(t, inv)), inv)
		must.OK(t, err)
		problems = broken(t, string(content))
		must.Thatf(t, len(problems) == 0, "%v in\n%s", problems, content)
	})
}

// credited returns a credit note for all lines of an invoice.
func credited(t must.T, inv invoice.Invoice) credit.Note {
	t.Helper()
	sums, err := invoice.TotalsOf(inv.Lines)
	must.OK(t, err)
	n := credit.Note{
		Number: "CN-2026-0007", Date: inv.IssueDate.AddDays(7), Currency: inv.Currency, Reason: "Returned & <late>",
		Subtotal: sums.Subtotal, TaxTotal: sums.Tax, Total: sums.Total,
	}
	for i, l := range inv.Lines {
		n.Lines = append(n.Lines, credit.Line{Position: i + 1, Line: l})
	}
	for _, g := range sums.Groups {
		n.Taxes = append(n.Taxes, credit.Tax{Rate: g.Rate, NoTax: g.NoTax, Net: g.Net, Tax: g.Tax})
	}
	return n
}

// reversed returns the reversal of a credit note. A third of its total had become credit.
func reversed(n credit.Note) credit.Note {
	back := n
	back.Number, back.Reverses = "CN-2026-0008", record.Reference{ID: uuid.New(), Name: n.Number}
	back.Subtotal, back.TaxTotal, back.Total, back.BecameCredit = -n.Subtotal, -n.TaxTotal, -n.Total, -n.Total/3
	back.Lines, back.Taxes = slices.Clone(n.Lines), slices.Clone(n.Taxes)
	for i := range back.Lines {
		l := &back.Lines[i]
		l.Quantity, l.Net, l.Discount = l.Quantity.Neg(), -l.Net, -l.Discount
	}
	for i := range back.Taxes {
		back.Taxes[i].Net, back.Taxes[i].Tax = -n.Taxes[i].Net, -n.Taxes[i].Tax
	}
	return back
}

// TestEReversal checks that the reversal of a credit note is an invoice that refers to it, and asks for what isn't paid.
func TestEReversal(t *testing.T) {
	t.Parallel()
	inv := issued(t, invoice.Input{
		Number: "2026-0042", Customer: &customer.Input{Email: "ada@example.com", Name: "Ada"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}, func(int64) int64 { return 0 })
	content, err := ECreditNote(reversed(credited(t, inv)), inv)
	must.OK(t, err)
	var sent element
	must.OK(t, xml.Unmarshal(content, &sent))
	for path, want := range map[string]string{
		"ID": "CN-2026-0008", "InvoiceTypeCode": "380", "BillingReference/InvoiceDocumentReference/ID": "CN-2026-0007",
		"InvoiceLine/InvoicedQuantity": "2", "InvoiceLine/LineExtensionAmount": "100.00", "DueDate": "",
		"PaymentTerms/Note": "Reversal of CN-2026-0007 for invoice 2026-0042", "PaymentMeans/PaymentID": "2026-0042",
		totals + "TaxInclusiveAmount": "123.00", totals + "PrepaidAmount": "41.00", totals + "PayableAmount": "82.00",
	} {
		assert.Equal(t, sent.text(path), want, path)
	}
}

// TestECreditNote checks the rules of credit notes, that each detects a violation, and that one of an invoice that lacks data is refused.
func TestECreditNote(t *testing.T) {
	t.Parallel()
	inv := issued(t, invoice.Input{
		Number: "2026-0042", Customer: &customer.Input{Email: "ada@example.com", Name: "Ada"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}, func(int64) int64 { return 0 })
	note := credited(t, inv)
	content, err := ECreditNote(note, inv)
	must.OK(t, err)
	for _, rule := range rulesOfCreditNotes() {
		var whole, changed element
		must.OK(t, xml.Unmarshal(content, &whole))
		must.OK(t, xml.Unmarshal([]byte(strings.ReplaceAll(string(content), rule.breaks[0], rule.breaks[1])), &changed))
		assert.Equal(t, rule.check(whole), "", rule.name, string(content))
		assert.Thatf(t, rule.check(changed) != "", "%s accepts %q", rule.name, rule.breaks[1])
	}
	inv.Seller.Country = ""
	_, err = ECreditNote(note, inv)
	refused, is := errors.AsType[*conflict.Error](err)
	assert.Thatf(t, is && refused.Kind == &Incomplete && strings.Contains(refused.Text, "without your country."), "%v", err)
}

// TestIncompleteEInvoice checks that an invoice is refused as an e-invoice exactly if its XML would break a rule.
func TestIncompleteEInvoice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		treatment invoice.Treatment // of the second line, whose rate is 0
		change    func(*invoice.Invoice)
		rules     []string
		text      string
	}{
		"all of the data":          {change: func(*invoice.Invoice) {}},
		"no address of the seller": {change: func(i *invoice.Invoice) { i.Seller.Address = "" }},
		"no address of the buyer":  {change: func(i *invoice.Invoice) { i.Customer.Address = "" }},
		"no account":               {change: func(i *invoice.Invoice) { i.Seller.BankAccount = party.BankAccount{} }},
		"no country of the seller": {
			change: func(i *invoice.Invoice) { i.Seller.Country = "" }, rules: []string{"BR-09"}, text: "your country",
		},
		"no tax ID": {
			change: func(i *invoice.Invoice) { i.Seller.TaxID = "" },
			rules:  []string{"BR-CO-26", "BR-S-02, BR-Z-02, BR-E-02"}, text: "your tax ID",
		},
		"no country of the buyer": {
			change: func(i *invoice.Invoice) { i.Customer.Country = "" }, rules: []string{"BR-11"}, text: "the customer's country",
		},
		"nothing about the parties": {
			change: func(i *invoice.Invoice) { i.Seller.Details, i.Customer.Details = party.Details{}, party.Details{} },
			rules:  []string{"BR-08", "BR-09", "BR-10", "BR-11", "BR-CO-26", "BR-S-02, BR-Z-02, BR-E-02"},
			text:   "your country, your tax ID and the customer's country",
		},
		"a reverse charge to a tax number": {
			treatment: invoice.ReverseCharge, change: func(i *invoice.Invoice) { i.Customer.TaxID = "93/815/08152" },
		},
		"a reverse charge without the buyer's": {
			treatment: invoice.ReverseCharge, change: func(i *invoice.Invoice) { i.Customer.TaxID = "" },
			rules: []string{"BR-AE-02"}, text: "the customer's tax ID",
		},
		"a supply without the buyer's VAT number": {
			treatment: invoice.IntraCommunity, change: func(i *invoice.Invoice) { i.Customer.TaxID = "93/815/08152" },
			rules: []string{"BR-IC-02"}, text: "the customer's VAT number",
		},
		"a supply without VAT numbers": {
			treatment: invoice.IntraCommunity, change: func(i *invoice.Invoice) { i.Seller.TaxID, i.Customer.TaxID = "93/815/08152", "" },
			rules: []string{"BR-IC-02"}, text: "your VAT number and the customer's VAT number",
		},
		"an export without a VAT number": {
			treatment: invoice.Export, change: func(i *invoice.Invoice) { i.Seller.TaxID = "93/815/08152" },
			rules: []string{"BR-G-02"}, text: "your VAT number",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inv := issued(t, invoice.Input{
				Number: "2026-0042", Customer: &customer.Input{Email: "ada@example.com", Name: "Ada"},
				IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
				Lines: []invoice.LineInput{
					{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"},
					{Description: "Books", Quantity: "1.5", UnitPrice: "7.99", TaxRate: "0", Treatment: string(c.treatment)},
				},
			}, func(int64) int64 { return 0 })
			c.change(&inv)
			var names []string
			for _, problem := range broken(t, xmlOf(t, inv)) {
				rule, _, _ := strings.Cut(problem, ":")
				names = append(names, rule)
			}
			assert.Thatf(t, slices.Equal(names, c.rules), "broken rules %q, want %q", names, c.rules)
			_, err := EInvoice(inv)
			refused, is := errors.AsType[*conflict.Error](err)
			if is != (len(c.rules) > 0) || is && (refused.Kind != &Incomplete || !strings.Contains(refused.Text, "without "+c.text+".")) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestEveryRuleCanFail checks that each rule detects a violation.
func TestEveryRuleCanFail(t *testing.T) {
	t.Parallel()
	line := func(treatment invoice.Treatment) invoice.LineInput {
		return invoice.LineInput{Description: "Books", Quantity: "1.5", UnitPrice: "7.99", TaxRate: "0", Treatment: string(treatment)}
	}
	for name, c := range map[string]struct {
		lines    []invoice.LineInput
		rules    []rule
		from, to string // the period of supply
	}{
		"taxed": {[]invoice.LineInput{
			{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}, line(invoice.Zero),
		}, rulesOfTaxed(), "", ""},
		"with options": {[]invoice.LineInput{
			{Description: "Advice", Quantity: "1", Unit: "HUR", UnitPrice: "111.11", Discount: "10%", TaxRate: "0"}, // 11.111 is 11.11
			{Description: "Travel", Quantity: "1", UnitPrice: "8.00", Discount: "8.00", TaxRate: "0"},
		}, rulesOfOptions(), "2026-11-01", "2026-11-30"},
		"untaxed": {[]invoice.LineInput{
			line(invoice.Exempt), line(invoice.ReverseCharge), line(invoice.IntraCommunity), line(invoice.Export),
		}, rulesOfUntaxed(), "", ""},
		"outside of the scope": {
			[]invoice.LineInput{line(invoice.OutsideScope), line(invoice.OutsideScope)}, rulesOfOutsideScope(), "2026-11-01", "",
		},
	} {
		text := xmlOf(t, issued(t, invoice.Input{
			Number: "2026-0042", Customer: &customer.Input{Email: "ada@example.com", Name: "Ada"},
			IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", Exemption: "Article 132 & others", Lines: c.lines,
			SuppliedFrom: c.from, SuppliedTo: c.to,
		}, func(total int64) int64 { return total * 34_99 / 134_99 }))
		if problems := broken(t, text); len(problems) > 0 {
			t.Fatal(name, problems, text)
		}
		for i, rule := range c.rules {
			t.Run(name+strconv.Itoa(i)+" "+rule.name, func(t *testing.T) {
				t.Parallel()
				changed := strings.ReplaceAll(text, rule.breaks[0], rule.breaks[1])
				if changed == text {
					t.Fatalf("%q is not in\n%s", rule.breaks[0], text)
				}
				noticed := func(problem string) bool { return strings.HasPrefix(problem, rule.name+":") }
				problems := broken(t, changed)
				assert.Thatf(t, slices.ContainsFunc(problems, noticed), "only %v", problems)
			})
		}
	}
}

// TestTaxIDsInXML checks that a tax ID that is not a VAT number is sent as a registration, and the seller's also as a tax number.
func TestTaxIDsInXML(t *testing.T) {
	t.Parallel()
	const both = "AccountingSupplierParty AccountingCustomerParty"
	for taxID, want := range map[string]struct{ vat, registration, tax string }{
		"IE 6388047V":          {vat: "IE6388047V"},
		"St.-Nr. 93/815/08152": {registration: "St.-Nr. 93/815/08152", tax: "St.-Nr. 93/815/08152"},
		"NIP 526-025-02-74":    {registration: "NIP 526-025-02-74", tax: "NIP 526-025-02-74"},
		"":                     {},
	} {
		details := party.Details{TaxID: taxID}
		buyer := invoice.Buyer{Texts: customer.Texts{Details: details}}
		content := xmlOf(t, invoice.Invoice{Seller: invoice.Seller{Details: details}, Customer: buyer})
		var inv element
		must.OK(t, xml.Unmarshal([]byte(content), &inv))
		for role := range strings.FieldsSeq(both) {
			got := map[string]string{"legal": inv.text(role + "/Party/PartyLegalEntity/CompanyID")}
			for _, scheme := range inv.all(role + "/Party/PartyTaxScheme") {
				got[scheme.text("TaxScheme/ID")] = scheme.text("CompanyID")
			}
			if role == "AccountingCustomerParty" {
				want.tax = "" // the standard has no element for it
			}
			assert.Thatf(t, got["VAT"] == want.vat && got["legal"] == want.registration && got["TAX"] == want.tax,
				"%s of %q: %v", role, taxID, got)
		}
	}
}
