package paymentimport

import (
	"strings"

	"onlyonce/internal/importing"
)

// fields are the fields of payments. The headings include those in exports of Stripe, QuickBooks and Invoice Ninja, and German ones.
var fields = []importing.Field{
	{Name: "number", Label: "Number of the invoice", Headings: "invoicenumber invoiceno invoice number rechnungsnummer rechnung"},
	{Name: "invoice_id", Label: "ID of the invoice in that system", Headings: "invoiceid"},
	{
		Name: "date", Label: "Date", Type: importing.Day,
		Headings: "date paymentdate paidon createdutc createddateutc created dateutc datum zahlungsdatum",
	},
	{
		Name: "amount", Label: "Amount", Type: importing.Number,
		Headings: "amountapplied amount paymentamount amountpaid paid total betrag",
	},
	{Name: "currency", Label: "Currency", Headings: "currency currencycode währung"},
	{
		Name: "reference", Label: "Reference",
		Headings: "reference transactionreference transactionid bankreference verwendungszweck",
	},
	{Name: "method", Label: "Method", Read: method, Headings: "method paymentmethod type paymenttype paymentsourcetype"},
	{Name: "status", Label: "Status", Read: words, Headings: "status paymentstatus"},
	{Name: "captured", Label: "Captured", Read: words, Headings: "captured"},
	{Name: "refunded", Label: "Amount refunded", Type: importing.Number, Headings: "amountrefunded refundedamount refunded"},
	{Name: "external_id", Label: "ID in that system", Headings: "id paymentid externalid"},
}

// lacks returns a sentence about a field that no column has, although it is required, or "".
func lacks(has func(string) bool) string {
	switch {
	case !has("number") && !has("invoice_id"):
		return "Choose the column that has the number or the ID of the invoice."
	case !has("date"):
		return "Choose the column that has the date."
	case !has("amount"):
		return "Choose the column that has the amount."
	}
	return ""
}

// method returns the method of a payment by the word of another system.
func method(text string) string {
	text = strings.ToLower(text)
	for _, m := range []struct{ name, words string }{
		{"bank_transfer", "transfer bank sepa wire ach"}, {"card", "card visa mastercard amex"}, {"cash", "cash"},
	} {
		for word := range strings.FieldsSeq(m.words) {
			if strings.Contains(text, word) {
				return m.name
			}
		}
	}
	return "other"
}

// words returns a word of another system in lower case with single spaces: "requires_action" becomes "requires action".
func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" _-", r) }), " ")
}

// isPaid has the known statuses, and whether the money of a payment is there.
var isPaid = map[string]bool{
	"paid": true, "succeeded": true, "complete": true, "completed": true, "captured": true, "settled": true, "accepted": true,
	"partially refunded": true, "refunded": true, // see refunded

	"failed": false, "pending": false, "canceled": false, "cancelled": false, "uncaptured": false, "blocked": false, "disputed": false,
	"in transit": false,
}

// unpaid returns a sentence why a row isn't a payment whose money is there and stays, or "".
func unpaid(values map[string]string) string {
	status, captured, refunded := values["status"], values["captured"], values["refunded"]
	paid, known := isPaid[status]
	switch {
	case status != "" && !known && !strings.HasPrefix(status, "requires "):
		return "The status “" + status + "” is unknown. Record this payment by hand if it was paid."
	case status != "" && !paid:
		return "Its status is “" + status + "”, so it isn't paid."
	case captured != "" && captured != "true":
		return "It wasn't captured, so it isn't paid."
	case strings.HasSuffix(status, "refunded"), strings.Trim(refunded, "-0.") != "":
		return "It was refunded, in whole or in part. Record the refund by hand, and the payment unless it is there."
	}
	return ""
}
