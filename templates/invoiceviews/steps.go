package invoiceviews

import (
	"strings"

	"onlyonce/templates"
)

// InvoiceStep is the invoice that a page asks about.
type InvoiceStep struct {
	Number, Href, Customer, Total, Due string
}

// Issue asks before an invoice is issued.
type Issue struct {
	templates.Form
	InvoiceStep

	To           string   // the customer's email
	Lacks        []string // what the invoice does not say, such as "your address"
	NoMailServer bool
}

// Void asks before an invoice is voided.
type Void struct {
	templates.Form
	InvoiceStep

	To          string // the email of a customer to whom the invoice was sent; "" for none
	DuplicateOf string // the number of the invoice that stays; "" for none
}

// Remove asks before a payment is removed.
type Remove struct {
	templates.Form

	Number, Href string // of the invoice
	Amount, Date string
	Reference    string // with who gave it; "" for none
	Removed      bool   // already
}

// listed joins what is counted up in a sentence.
func listed(all []string) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}
