package invoiceviews

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"onlyonce/templates"
)

// InvoiceForm is the form of an invoice. Input is shown again as it was sent, with numbers normalized and
// without blank lines.
type InvoiceForm struct {
	templates.Form

	// Customers are the options for the customer. CustomerID is the Value of the chosen one, "" for a new customer. A Value is the id,
	// a space and the Text.
	Customers       []templates.Option
	CustomerID      string
	CustomerAddress string // the address of the chosen one, in one line
	CustomerSearch  string // the search for customers, without JavaScript
	SameEmailField  string // see templates.SameEmail
	// Prefills is set if the currency and the due date follow the chosen customer.
	Prefills bool

	Number    string // "" for the next one
	IssueDate string // 2006-01-02
	DueDate   string // 2006-01-02, or "" to leave it to the payment terms
	// DueByTerms is DueDate if that follows the issue date by the payment terms, whose days are Terms; both are "" otherwise.
	DueByTerms, Terms string
	// SuppliedFrom and SuppliedTo are days like DueDate, or "" for none.
	SuppliedFrom, SuppliedTo string
	IssueHint, DueHint       string // explanations of the dates, or ""
	Currency                 string // the chosen code
	Notes                    string
	Lines                    []InvoiceFormLine

	// NewRate and NewTreatment are those of a new line; "" for none.
	NewRate, NewTreatment string
	// MaxLines is the largest number of lines.
	MaxLines int
	// Units are the options for the unit of a quantity. The first is none, with the value "".
	Units []templates.Option
	// Treatments are the options for how a line is taxed. The first is the usual one, with the value "".
	Treatments []templates.Option
	// NextNumber is the number that an invoice of NextYear without a number would now get, for example "2026-0043".
	NextNumber, NextYear string

	// Currencies are the options for the currency, with the chosen one.
	Currencies []Currency
	// Subtotal, Tax and Total are amounts such as "1,234.50", or "" if unknown. The script updates them.
	Subtotal string
	Tax      string
	Total    string
}

// DueByTermsField is the name of the hidden field for [InvoiceForm.DueByTerms]. A due date that is equal was not entered by the user.
const DueByTermsField = "due_by_terms"

// LineControl returns the id of a control in the line at index (from 0), for example LineControl("line_quantity", 0).
func LineControl(name string, index int) string {
	return name + "-" + strconv.Itoa(index)
}

// InvoiceFormLine is a line as typed. Amount is the rounded net amount, "1,234.50", or "" if unknown.
type InvoiceFormLine struct {
	Description string
	Quantity    string
	Unit        string // a value of the column's options, "" for none
	UnitPrice   string
	Discount    string
	TaxRate     string
	Treatment   string // a value of the column's options, "" for a taxed line
	Amount      string
}

// Currency is an option for the currency. Digits is its number of decimals.
type Currency struct {
	Code   string
	Digits int
}

func (v InvoiceForm) number() templates.Input {
	in := v.Input(templates.Input{
		ID: "number", Label: "Number", Placeholder: v.NextNumber, Hint: "Leave blank for the next number. In " + v.NextYear + " it is",
		HintNumber: v.NextNumber,
	})
	if v.Version != 0 {
		in.Placeholder, in.Hint, in.HintNumber = "", "If blank, it stays as it is, or is the next one of another year.", ""
	}
	in.Value = v.Number
	return in
}

// customers returns the options for the customer, with the one that was sent even if it is no longer an option.
func (v InvoiceForm) customers() []templates.Option {
	known := slices.ContainsFunc(v.Customers, func(o templates.Option) bool { return o.Value == v.CustomerID })
	if known || v.CustomerID == "" {
		return v.Customers
	}
	_, label, _ := strings.Cut(v.CustomerID, " ")
	return append(slices.Clip(v.Customers), templates.Option{Value: v.CustomerID, Text: cmp.Or(label, v.CustomerID)})
}

// customerChoice returns the control for a customer with its options. none is the option for no customer.
func (v InvoiceForm) customerChoice(none, url string) (templates.Input, templates.Choices) {
	in := templates.Input{
		ID: "customer_id", Label: "Bill to", Value: v.CustomerID, Hint: v.CustomerAddress, Error: v.Wrong("customer_id"),
		Focus: !v.CameBack() && (v.Focus == "" || v.Focus == "customer_id"),
	}
	return in, templates.Choices{
		URL: url, FormURL: v.LinesHref, Find: "Find a customer", Search: v.CustomerSearch,
		Options: append([]templates.Option{{Text: none}}, v.customers()...),
	}
}

// LineTable describes the lines of the form. most is their largest number, units are the options for their units, and treatments those for
// how they are taxed. Without a default, a new line has no tax rate, because an invoice must not be tax-free by mistake.
func LineTable(most int, units, treatments []templates.Option) templates.LineTable {
	return templates.LineTable{
		Name: "lines", One: "line", Label: "Lines", Result: "Amount",
		Hint: "Every line needs a tax rate. Enter 0 for a line without tax. A discount is a share, like 10%, or an amount.",
		Most: most,
		Columns: []templates.Control{
			{Name: "description", Label: "Description"},
			{Name: "quantity", Label: "Quantity", Kind: templates.Decimal, Begins: "1"},
			{Name: "unit", Label: "Unit", Kind: templates.OneOf, Options: units},
			{Name: "unit_price", Label: "Unit price", Kind: templates.Decimal},
			{Name: "discount", Label: "Discount"},
			{Name: "tax_rate", Label: "Tax %", Kind: templates.Decimal},
			{Name: "tax_treatment", Label: "Treatment", Kind: templates.OneOf, Options: treatments},
		},
	}
}

// typedLines returns the form with its lines in it, their table, and their amounts.
func (v InvoiceForm) typedLines() (form templates.Form, table templates.LineTable, amounts []string) {
	form, form.Typed = v.Form, url.Values{}
	table = LineTable(v.MaxLines, v.Units, v.Treatments)
	for i, c := range table.Columns {
		switch c.Name {
		case "tax_rate":
			table.Columns[i].Begins = v.NewRate
		case "tax_treatment":
			table.Columns[i].Begins = v.NewTreatment
		}
	}
	var lines [][]string
	for _, l := range v.Lines {
		lines = append(lines, []string{l.Description, l.Quantity, l.Unit, l.UnitPrice, l.Discount, l.TaxRate, l.Treatment})
		amounts = append(amounts, l.Amount)
	}
	table.SetLines(form.Typed, lines)
	return form, table, amounts
}

func (c Currency) digits() string { return strconv.Itoa(c.Digits) }
