package templates

// CustomerList is one page of customers.
type CustomerList struct {
	Pager

	Rows     []CustomerRow
	Archived bool // whether these are the archived ones
}

// CustomerRow is one customer in a list.
type CustomerRow struct {
	Href  string
	Name  string
	Email string
	Since string // when created
}

// Customer is one customer with a page of their invoices, newest first.
type Customer struct {
	Pager

	Name     string
	Email    string
	Since    string
	Archived string // when; empty if not
	Invoices []InvoiceRow

	EditHref       string
	NewInvoiceHref string
	Action         Action // archive or restore
}

func customerEmailHint(f Form) string {
	if f.Version != 0 {
		return "No other customer can have the same email."
	}
	return "One customer per email: an existing one is reused."
}

func (v CustomerList) title() string {
	if v.Archived {
		return "Archived customers"
	}
	return "Customers"
}
