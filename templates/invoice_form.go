package templates

import "strconv"

// InvoiceForm is the form that creates an invoice: fresh, copied, or as it
// came back with a [Notice] or errors. It posts to /invoices.
type InvoiceForm struct {
	// Key is the idempotency key of this intent.
	Key string
	// AllowRepeat keeps a "Create anyway" that was already given.
	AllowRepeat bool
	// Notice and Errors say why the form came back.
	Notice *Notice
	Errors FieldErrors
	// CopyOf is the number of the invoice this one was copied from, or "".
	CopyOf string

	// Customers to choose from; CustomerID is the choice, "" for a new one.
	Customers  []Option
	CustomerID string
	// What was typed, shown again exactly as it came.
	CustomerEmail string
	CustomerName  string
	Number        string
	IssueDate     string // 2006-01-02
	DueDate       string // 2006-01-02
	Currency      string // the chosen code
	Notes         string
	Lines         []InvoiceFormLine

	// Currencies to choose from.
	Currencies []Currency
	// Subtotal, Tax and Total are plain amounts such as "1,234.50", or "" when
	// not known. The script keeps them current.
	Subtotal string
	Tax      string
	Total    string
	// Focus is the id of the control to start in, for a line that was just
	// added; "" starts in the first one.
	Focus string
}

// InvoiceFormLine is one line as typed. Amount is the rounded line net, "1,234.50",
// or "" when it is not known.
type InvoiceFormLine struct {
	Description string
	Quantity    string
	UnitPrice   string
	TaxRate     string
	Amount      string
}

// Option is one choice of a select.
type Option struct {
	Value string
	Text  string
}

// Currency is a currency to choose. Digits is how many decimals it has.
type Currency struct {
	Code   string
	Digits int
}

func (v InvoiceForm) title() string {
	if v.CopyOf != "" {
		return "Copy of " + v.CopyOf
	}
	return "New invoice"
}

func (v InvoiceForm) cameBack() bool { return v.Notice != nil || len(v.Errors) > 0 }

func (v InvoiceForm) starts(control string) bool {
	return !v.cameBack() && v.Focus == control
}

// cell is one input of a line; index is "new" in the template that the
// script clones and numbers.
func (v InvoiceForm) cell(name, index, label, value, mode string) input {
	id := name + "-" + index
	return input{ID: id, Name: name, Label: label, Value: value, Mode: mode, Error: v.Errors.of(id), Focus: v.starts(id)}
}

func (c Currency) digits() string { return strconv.Itoa(c.Digits) }
