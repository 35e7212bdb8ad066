// Package invoiceimport imports invoices: see [importing]. A file with lines has each line in a row. A file without them has the balances
// that are carried forward from another system.
package invoiceimport

import (
	"strings"

	"onlyonce/internal/importing"
)

// fields are the fields of invoices in the order of a file.
//
// The headings include those in exports of Stripe, Xero, QuickBooks and Invoice Ninja, and German ones.
func fields() []importing.Field {
	return []importing.Field{
		{Name: "number", Label: "Number", Headings: "invoicenumber invoiceno number docnumber num no rechnungsnummer rechnungsnr"},
		{Name: "customer", Label: "Customer", Headings: "contactname customername customer clientname client billto name kunde kundenname"},
		{Name: "email", Label: "Email of the customer", Headings: "customeremail emailaddress email"},
		{
			Name: "customer_id", Label: "ID of the customer in that system",
			Headings: "customerid clientid contactid accountnumber customernumber kundennummer",
		},
		{
			Name: "issue_date", Label: "Issue date", Type: importing.Day,
			Headings: "invoicedate issuedate dateutc date txndate createdutc created rechnungsdatum",
		},
		{Name: "due_date", Label: "Due date", Type: importing.Day, Headings: "duedate duedateutc due fälligam fälligkeitsdatum"},
		{Name: "currency", Label: "Currency", Headings: "currency currencycode währung"},
		{Name: "status", Label: "Status", Headings: "status state"},
		{Name: "type", Label: "Type of document", Headings: "type documenttype transactiontype"},
		{Name: "reference", Label: "Reference", Headings: "reference ponumber po"},
		{Name: "note", Label: "Note", Headings: "note notes memo publicnotes"},
		{Name: "external_id", Label: "ID in that system", Headings: "id invoiceid externalid"},
		{
			Name: "description", Label: "Description",
			Headings: "description itemdescription itemnotes productdescription itemproductservice productservice product item itemname " +
				"memodescription beschreibung",
		},
		{Name: "quantity", Label: "Quantity", Type: importing.Number, Headings: "quantity itemquantity qty menge"},
		{Name: "unit", Label: "Unit", Headings: "unit unitname"},
		{
			Name: "unit_price", Label: "Unit price", Type: importing.Number,
			Headings: "unitamount unitprice itemrate itemcost price cost rate einzelpreis",
		},
		{
			Name: "discount", Label: "Discount of the line, in percent", Type: importing.Rate,
			Headings: "discount discountpercent discountpercentage itemdiscount",
		},
		{
			Name: "tax_rate", Label: "Tax rate", Type: importing.Rate, Read: untaxed,
			Headings: "taxrate taxtype vatrate taxpercent itemtaxrate1 taxname vat itemtaxcode steuersatz",
		},
		{Name: "net_amount", Label: "Net amount of the line", Type: importing.Number, Headings: "lineamount netamount itemamount"},
		{Name: "tax_amount", Label: "Tax amount of the line", Type: importing.Number, Headings: "taxamount linetaxamount itemtaxamount"},
		{Name: "total", Label: "Total", Type: importing.Number, Headings: "total invoicetotal grandtotal amount gesamtbetrag"},
		{Name: "paid", Label: "Amount paid", Type: importing.Number, Headings: "invoiceamountpaid amountpaid paidtodate paid bezahlt"},
		{
			Name: "open", Label: "Amount due", Type: importing.Number,
			Headings: "invoiceamountdue amountremaining amountdue balancedue openbalance balance offenerbetrag",
		},
		{
			Name: "paid_on", Label: "Date of the payment", Type: importing.Day,
			Headings: "paymentdate paiddate datepaid paidon paidatutc fullypaidondate lastpaymentdate",
		},
	}
}

// untaxed returns 0 for the words of a rate of 0, such as "No VAT" and "Zero Rated Income". Any other text is returned unchanged.
func untaxed(text string) string {
	if short := strings.ToLower(text); short == "none" || strings.HasPrefix(short, "no ") || strings.HasPrefix(short, "zero") {
		return "0"
	}
	return text
}

// ofLines are the fields that belong to a line. All others belong to the invoice.
const ofLines = " description quantity unit unit_price discount tax_rate net_amount tax_amount "

// lacks returns a sentence about a field that no column has, or "".
func lacks(has func(string) bool) string {
	switch {
	case !has("number"):
		return "Choose the column that has the number of the invoice."
	case !has("customer") && !has("email"):
		return "Choose the column that has the name of the customer."
	case !has("issue_date"):
		return "Choose the column that has the issue date."
	case has("unit_price") && !has("description"):
		return "Choose the column that has the description of a line."
	case !has("unit_price") && !has("total") && !has("open"):
		return "Choose the column that has the total or the amount due."
	default:
		return ""
	}
}
