package templates

// CustomerList is one page of customers.
type CustomerList struct {
	Rows      []CustomerRow
	NextHref  string // empty on the last page
	FirstHref string // empty on the first page
}

// CustomerRow is one customer in a list.
type CustomerRow struct {
	Href  string
	Name  string
	Email string
	Since string // when created
}

// Customer is one customer with their newest invoices.
type Customer struct {
	Name  string
	Email string
	Since string
	// Invoices are one page of the customer's, newest first.
	Invoices  []InvoiceRow
	NextHref  string // empty on the last page
	FirstHref string // empty on the first page
	// NewInvoiceHref opens a new invoice; empty hides the button.
	NewInvoiceHref string
}

// CustomerForm is the form that creates or reuses a customer, fresh or as it
// came back. It posts to /customers.
type CustomerForm struct {
	Key    string // idempotency key
	Owner  Owner
	Notice *Notice
	Errors FieldErrors
	Email  string // as typed
	Name   string // as typed
}

func (v CustomerForm) cameBack() bool { return v.Notice != nil || len(v.Errors) > 0 }
