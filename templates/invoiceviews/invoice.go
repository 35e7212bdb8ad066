// Package invoiceviews is the pages of invoices and of what belongs to them: payments, refunds, credit notes and emails.
package invoiceviews

import (
	"slices"

	"onlyonce/templates"
)

// Invoice is one invoice as its page shows it. Amounts without a currency are
// plain, "1,234.50"; the page says the currency once, beside the total.
type Invoice struct {
	Number     string
	Status     string // as in [InvoiceRow]
	Seller     Party  // the business that bills
	Buyer      Party  // the customer
	IssueDate  string
	DueDate    string
	Currency   string // ISO 4217 code
	Lines      []InvoiceLine
	Subtotal   string
	Taxes      []TaxLine
	Total      string
	Paid       string // empty if nothing was
	Credited   string // empty if nothing was
	Open       string
	Ledger     Ledger
	PayHref    string           // records a payment; empty if nothing can be paid
	CreditHref string           // creates a credit note; empty if nothing can be credited
	Payment    []templates.Fact // where to pay; empty if that is not known
	Notes      string
	Mails      InvoiceMails
	// VoidHref is the page that voids it; empty if it cannot be voided.
	VoidHref string
	// EditHref opens the form of a draft; empty for others. Actions bring it into another state.
	EditHref string
	Actions  []templates.Action
	// CopyHref opens a new form filled like this invoice.
	CopyHref string
	// RepeatHref opens the form of a schedule filled like this invoice.
	RepeatHref string
	// PDFHref is the invoice as a file.
	PDFHref string
	// Mentions are sentences about what else there is: other invoices that it is the same as, and the schedule that billed it.
	Mentions []Mention
	// External is what another system calls it; zero if none does.
	External templates.Fact
}

// Mention is a sentence with a link in it.
type Mention struct {
	Before string
	Link   templates.Link
	After  string
}

// Party is a business or a person as an invoice names it. What is not known is empty.
type Party struct {
	Name, Href, Email string
	Address           []string // lines
	TaxID             string
}

// small are the lines below the name.
func (p Party) small() []string {
	lines := slices.Concat(p.Address, []string{p.TaxID, p.Email})
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// InvoiceLine is one line of an invoice.
type InvoiceLine struct {
	Description string
	Quantity    string
	UnitPrice   string
	TaxRate     string // "23%"
	Amount      string // rounded net
}

// TaxLine is the tax of all lines of one rate.
type TaxLine struct {
	Rate   string // "23%"
	Net    string // what is taxed
	Amount string // the tax
}

// standing is what matters about an invoice now.
type standing struct {
	label  string // of the amount
	amount string
	note   string
}

func (v Invoice) standing() standing {
	due := "Due " + v.DueDate + "."
	switch v.Status {
	case "draft":
		return standing{"Total", v.Total, "Once issued, this invoice can't be edited."}
	case "void":
		return standing{"Total", v.Total, "This invoice doesn't count. It keeps its number."}
	case "paid":
		return standing{"Paid", v.Paid, v.creditedNote() + "Nothing is open."}
	case "credited":
		return standing{"Credited", v.Credited, "Nothing is open."}
	case "overdue":
		due = "Was due " + v.DueDate + "."
	}
	switch {
	case v.Paid != "":
		due = v.Paid + " of " + v.Total + " paid. " + v.creditedNote() + due
	case v.Credited != "":
		due = v.Credited + " of " + v.Total + " credited. " + due
	}
	return standing{"Open", v.Open, due}
}

// creditedNote is a sentence about what was credited, if anything was.
func (v Invoice) creditedNote() string {
	if v.Credited == "" {
		return ""
	}
	return v.Credited + " credited. "
}
