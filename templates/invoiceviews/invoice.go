// Package invoiceviews has the pages of invoices, payments, refunds, credit notes, emails, schedules and webhooks.
package invoiceviews

import (
	"slices"
	"strings"

	"onlyonce/templates"
)

// Invoice is an invoice on its page. Amounts have no currency, "1,234.50"; the page shows it once, beside the total.
type Invoice struct {
	Number    string
	Status    string // as in [InvoiceRow]
	Seller    Party  // the business that bills
	Buyer     Party  // the customer
	IssueDate string
	DueDate   string
	Supply    []templates.Fact // the day or the period of supply; empty for none
	Currency  string           // ISO 4217 code
	Lines     []InvoiceLine
	Subtotal  string
	Taxes     []TaxLine
	Total     string
	Paid      string // empty if there are no payments
	Credited  string // empty if there are no credit notes
	// BecameCredit is the part of Paid that is the customer's credit, below 0; empty for none.
	BecameCredit string
	// WrittenOff is empty if there are no write-offs.
	WrittenOff string
	Open       string
	Ledger     Ledger
	// WriteOffHref writes off what is open; empty if that is not possible.
	WriteOffHref string
	PayHref      string         // records a payment; empty if that is not possible
	Remind       templates.Link // sends the next reminder; zero if that is not possible
	// LastReminder is the last reminder of an overdue invoice and its day; "" for none.
	LastReminder string
	NextReminder string           // the day of the next automatic one, or "today"; "" for none
	CreditHref   string           // creates a credit note; empty if that is not possible
	Payment      []templates.Fact // payment instructions; empty if unknown
	Notes        string
	Footer       string // of the business
	Mails        InvoiceMails
	// Attachments are its files.
	Attachments Attachments
	// VoidHref is the page that voids it; empty if that is not possible.
	VoidHref string
	// Closed is set instead of the action that issues a draft, or of VoidHref, if the day of the invoice is closed.
	Closed bool
	// EditHref opens the form of a draft; empty for others. Actions are its transitions.
	EditHref string
	Actions  []templates.Action
	// CopyHref opens a new form filled like this invoice.
	CopyHref string
	// RepeatHref opens the form of a schedule filled like this invoice.
	RepeatHref string
	// PDFHref is the invoice as a PDF file, and EInvoiceHref its XML; empty unless it is issued.
	PDFHref, EInvoiceHref string
	// Mentions are sentences about related records: invoices with the same contents, and the schedule that billed it.
	Mentions []Mention
	// External is its id in another system; zero if there is none.
	External templates.Fact
}

// Mention is a sentence with a link in it.
type Mention struct {
	Before string
	Link   templates.Link
	After  string
}

// Party is a business or a person on an invoice. Unknown values are empty.
type Party struct {
	Name, Href, Email string
	Address           []string // lines
	TaxID             string
	Reference         string
	LogoHref          string // "" for none
}

// small returns the lines below the name.
func (p Party) small() []string {
	lines := slices.Concat(p.Address, []string{p.TaxID, p.Reference, p.Email})
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// InvoiceLine is a line of an invoice.
type InvoiceLine struct {
	Description string
	Discount    string // "less 10%", or why a line has no quantity; "" for none
	Quantity    string
	UnitPrice   string
	TaxRate     string // "23%", or why there is no tax
	Amount      string // rounded net
}

// TaxLine is the sum of the tax of a treatment and rate.
type TaxLine struct {
	Label  string // "Tax 23%", or why there is no tax
	Net    string // the taxed amount
	Amount string // the tax
	Reason string // why there is none, as a sentence; "" for a tax
}

// standing is the amount that matters in the status of an invoice.
type standing struct {
	label  string // the name of the amount
	amount string
	note   string
}

func (v Invoice) standing() standing {
	due := "Due " + v.DueDate + "."
	switch v.Status {
	case "draft":
		return standing{"Total", v.Total, "Once issued, this invoice can't be edited."}
	case "void":
		return standing{"Total", v.Total, "Nothing is owed on this invoice. It keeps its number."}
	case "paid":
		return standing{"Paid", v.Paid, v.amountNotes("paid") + "Nothing is open."}
	case "credited":
		return standing{"Credited", v.Credited, v.amountNotes("credited") + "Nothing is open."}
	case "written_off":
		return standing{"Written off", v.WrittenOff, v.amountNotes("written off") + "Nothing is open."}
	case "overdue":
		due = "Was due " + v.DueDate + "."
		if v.LastReminder != "" {
			due += " Last reminder: " + v.LastReminder + "."
		}
		if v.NextReminder != "" {
			due += " Next automatic reminder: " + v.NextReminder + "."
		}
	}
	return standing{"Open", v.Open, v.amountNotes("") + due}
}

// amountNotes returns a sentence for each kind of amount that there is, except the one that the page shows already. Without such a kind,
// the first sentence has the total: "50.00 of 123.00 paid. 61.50 credited. ".
func (v Invoice) amountNotes(shown string) (notes string) {
	of := " of " + v.Total
	for _, kind := range []struct{ amount, did string }{
		{v.Paid, "paid"}, {strings.TrimPrefix(v.BecameCredit, "−"), "became credit"}, {v.Credited, "credited"},
		{v.WrittenOff, "written off"},
	} {
		if kind.amount == "" || kind.did == shown {
			continue
		}
		if shown != "" || notes != "" {
			of = ""
		}
		notes += kind.amount + of + " " + kind.did + ". "
	}
	return notes
}
