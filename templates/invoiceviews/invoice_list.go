package invoiceviews

import "onlyonce/templates"

// InvoiceList is a page of invoices.
type InvoiceList struct {
	templates.Finder

	Rows    []InvoiceRow
	NewHref string // where one is made; "" for those who may not
	// BatchHref is the form that issues or sends chosen invoices; "" if none can be chosen. Chooses chooses all, or none.
	BatchHref string
	Chooses   templates.Link
	// RemindHref is the form that sends reminders of chosen invoices; "" in lists with other ones than overdue invoices.
	RemindHref string
	// Standing has the open, overdue and paid amounts, or those of the filter. Unsummed is set if the filter selects too many invoices.
	Standing []Standing
	Unsummed bool
}

// CustomerInvoices is a page of the invoices of a customer.
type CustomerInvoices struct {
	templates.Pager

	Rows    []InvoiceRow
	NewHref string // where one is made; "" for those who may not
	// Href is the list of all these invoices, with search and sort.
	Href          string
	StatementHref string // the statement of account
	Balance       []Standing
}

// InvoiceRow is an invoice in a list.
type InvoiceRow struct {
	ID        string // of one that can be chosen; "" for others
	Chosen    bool
	Href      string
	Number    string
	Customer  string
	IssueDate string
	DueDate   string
	Status    string // "draft", "issued", "partially_paid", "partially_credited", "overdue", "paid", "credited", "written_off" or "void"
	Late      string // the time since it was due, "12 days"
	// Reminded has the number of reminders of an overdue invoice, and the day of the last one; "" for none.
	Reminded string
	// MailFailed reports whether the newest email about it has failed.
	MailFailed bool
	Total      string // with its currency, "1,230.00 EUR"
	Open       string // the open amount; "" if it can't have one
}

// Standing is a sum of similar records, with a link to them.
type Standing struct {
	Kind    string // such as "open", as in the sums that it shows
	Label   string
	Href    string   // "" if the list below has its records
	Count   string   // "12,345", or "" if the records of the amounts aren't counted
	Amounts []string // one for each currency, "1,230.00 EUR"
}

// hasAny reports whether one of the sums has an amount.
func hasAny(sums []Standing) bool {
	for _, s := range sums {
		if len(s.Amounts) > 0 {
			return true
		}
	}
	return false
}

// statusText returns the text for a status.
func statusText(status string) string {
	switch status {
	case "draft":
		return "Draft"
	case "issued":
		return "Issued"
	case "overdue":
		return "Overdue"
	case "partially_paid":
		return "Partially paid"
	case "partially_credited":
		return "Partially credited"
	case "paid":
		return "Paid"
	case "credited":
		return "Credited"
	case "written_off":
		return "Written off"
	case "void":
		return "Void"
	default:
		return status
	}
}

// statusIcon returns a drawing of a status, as the path of an SVG of 12 by 12 units.
func statusIcon(status string) string {
	const circle = "M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z"
	switch status {
	case "issued":
		return circle
	case "overdue":
		return circle + "M6 3.5v3M6 8.4v.1"
	case "partially_paid", "partially_credited":
		return circle + "M6 2v8M7 2.5v7M8 3v6M9 4v4"
	case "paid":
		return "M1.5 6.5L4.5 9.5L10.5 3"
	case "written_off":
		return circle + "M3.5 6h5"
	case "credited":
		return "M5 2.5L2 5.5l3 3M2 5.5h5.5a2.5 2.5 0 0 1 0 5H6"
	case "void":
		return circle + "M3 9L9 3"
	default: // a pencil
		return "M1.5 10.5l.7-2.8L8.5 1.4l2.1 2.1l-6.3 6.3z"
	}
}
