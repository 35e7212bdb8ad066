package invoiceviews

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"onlyonce/templates"
)

// InvoiceForm is the form of an invoice. What was typed is shown again exactly as it came.
type InvoiceForm struct {
	templates.Form

	// Customers to choose from; CustomerID is the Value of the choice, "" for a
	// new one. A Value is the id, a space and the Text.
	Customers       []templates.Option
	CustomerID      string
	CustomerAddress string // in one line, of the one who is chosen
	CustomerSearch  string // what customers were searched for, without JavaScript
	// Prefills is set if the currency and the due date follow the customer who is chosen.
	Prefills bool

	Number    string // "" for the next one
	IssueDate string // 2006-01-02
	DueDate   string // 2006-01-02, or "" to leave it to the payment terms
	DueHint   string // what that means
	Currency  string // the chosen code
	Notes     string
	Lines     []InvoiceFormLine

	// MaxLines is how many lines there can be.
	MaxLines int
	// NextNumber is what an invoice without a number would get now, for example "2026-0043".
	NextNumber string

	// Currencies to choose from, and those that are chosen for old invoices only.
	Currencies, Withdrawn []Currency
	// Subtotal, Tax and Total are plain amounts such as "1,234.50", or "" when
	// not known. The script keeps them current.
	Subtotal string
	Tax      string
	Total    string
}

// CustomerChoices are customers that the field for one offers as somebody types.
type CustomerChoices struct {
	All  []CustomerChoice
	More bool // there are more than these
}

// CustomerChoice is a customer to choose, with what a new invoice begins with.
type CustomerChoice struct {
	templates.Option

	ID          string
	Address     string // in one line
	Currency    string
	PaymentDays string
}

// LineControl returns the id of a control in the line at index (from 0), for example LineControl("line_quantity", 0).
func LineControl(name string, index int) string {
	return name + "-" + strconv.Itoa(index)
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

// Currency is a currency to choose. Digits is how many decimals it has.
type Currency struct {
	Code   string
	Digits int
}

func (v InvoiceForm) number() templates.Input {
	in := v.Input(templates.Input{
		ID: "number", Label: "Number", Placeholder: v.NextNumber, Hint: "Leave blank for the next number,", HintNumber: v.NextNumber,
	})
	if v.Version != 0 {
		in.Placeholder, in.Hint, in.HintNumber = "", "If blank, it stays as it is, or is the next one of another year.", ""
	}
	in.Value = v.Number
	return in
}

// startsIn returns the one control that has the focus on a form that is not
// headed by a notice or an error summary, which take it themselves.
func (v InvoiceForm) startsIn(control string) bool {
	return !v.CameBack() && v.Focus == control
}

// customers are the choices, with the one that was sent even if it is no
// longer among them: what came in is always shown.
func (v InvoiceForm) customers() []templates.Option {
	known := slices.ContainsFunc(v.Customers, func(o templates.Option) bool { return o.Value == v.CustomerID })
	if known || v.CustomerID == "" {
		return v.Customers
	}
	_, label, _ := strings.Cut(v.CustomerID, " ")
	return append(slices.Clip(v.Customers), templates.Option{Value: v.CustomerID, Text: cmp.Or(label, v.CustomerID)})
}

// currencies are the choices, likewise.
func (v InvoiceForm) currencies() []Currency {
	known := slices.ContainsFunc(slices.Concat(v.Currencies, v.Withdrawn), func(c Currency) bool { return c.Code == v.Currency })
	if known || v.Currency == "" {
		return v.Currencies
	}
	return append(slices.Clip(v.Currencies), Currency{Code: v.Currency, Digits: 2})
}

// cell is one input of a line; index is "new" in the template that the
// script clones and numbers.
func (v InvoiceForm) cell(name, index, label, value, mode string) templates.Input {
	id := name + "-" + index
	return templates.Input{ID: id, Name: name, Label: label, Value: value, Mode: mode, Error: v.Wrong(id), Focus: v.startsIn(id)}
}

func (c Currency) digits() string { return strconv.Itoa(c.Digits) }
