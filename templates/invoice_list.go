package templates

// InvoiceList is one page of invoices, newest first.
type InvoiceList struct {
	Pager

	Rows []InvoiceRow
}

// InvoiceRow is one invoice in a list.
type InvoiceRow struct {
	Href      string
	Number    string
	Customer  string
	IssueDate string
	DueDate   string
	Status    string // "draft", "issued", "partially_paid", "overdue", "paid" or "void"
	Total     string // with its currency, "1,230.00 EUR"
}

// statusText is how people read a status.
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
	case "paid":
		return "Paid"
	case "void":
		return "Void"
	default:
		return status
	}
}
