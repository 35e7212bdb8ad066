package invoice

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/typed"
)

// Limits of an invoice.
const (
	MaxLines       = 200
	MaxDescription = 500  // characters
	MaxNotes       = 5000 // characters
	MaxReason      = 200  // characters, of an exemption
)

// SeriesField is the name of the buttons for [Input.Series]. Their values decide whether the series continues after a typed number ahead of
// it, or where it was; "" asks the user.
const (
	SeriesField    = "answer_series"
	SeriesContinue = "continue" // after that number
	SeriesKeep     = "keep"     // where it was
)

// TooManyLines returns the message for more than [MaxLines] lines.
func TooManyLines() string { return fmt.Sprintf("An invoice can have at most %d lines.", MaxLines) }

// Input is the input as text, from a form or from JSON.
type Input struct {
	Number     string          `json:"number,omitzero" doc:"If left out: the next number for a new record, no change for an old one."`
	Customer   *customer.Input `json:"customer,omitzero" doc:"The customer with this email and name is reused, or a new one is created."`
	CustomerID string          `json:"customer_id,omitzero" format:"uuid" doc:"Instead of customer."`
	IssueDate  string          `json:"issue_date" format:"date"`
	DueDate    string          `json:"due_date,omitzero" format:"date" doc:"If left out, it follows from the payment terms."`
	// SuppliedFrom and SuppliedTo are the period of supply.
	SuppliedFrom string      `json:"supplied_from,omitzero" format:"date" doc:"The day of supply, or the first day of its period."`
	SuppliedTo   string      `json:"supplied_to,omitzero" format:"date" doc:"The last day of the period of supply."`
	Currency     string      `json:"currency" format:"currency"`
	Lines        []LineInput `json:"lines" doc:"At least one."`
	Notes        string      `json:"notes,omitzero"`
	Exemption    string      `json:"exemption_reason,omitzero" doc:"Why lines are exempt from tax. Required if one is."`
	Series       string      `json:"series,omitzero" enum:"continue,keep" doc:"Whether the series goes on behind a number ahead of it."`
	idempotency.External
}

// LineInput is a line as text. Quantity, price and rate are plain decimals.
type LineInput struct {
	Description string `json:"description"`
	Quantity    string `json:"quantity" format:"number"`
	Unit        string `json:"unit,omitzero" enum:"H87,HUR,DAY,WEE,MON,ANN,KGM,KMT,MTR,MTK,MTQ,LTR,KWH,D68" doc:"A code of UN/ECE Rec 20."`
	UnitPrice   string `json:"unit_price" format:"decimal"`
	Discount    string `json:"discount,omitzero" doc:"A share of the line's amount, such as 10%, or an amount, such as 25.00."`
	TaxRate     string `json:"tax_rate" format:"decimal" doc:"In percent. It is 0 for all tax treatments but standard."`
	Treatment   string `json:"tax_treatment,omitzero" enum:"standard,zero,exempt,reverse_charge,intra_community,export,outside_scope"`
}

// Draft is the command that creates or edits an invoice.
type Draft struct {
	Number     Number         `json:"number"`
	CustomerID uuid.UUID      `json:"customer_id"`
	Customer   customer.Draft `json:"customer"` // used when CustomerID is uuid.Nil
	IssueDate  date.Date      `json:"issue_date"`
	DueDate    date.Date      `json:"due_date"` // zero to derive it from the payment terms
	// SuppliedFrom is the day of supply, or the first day of its period, and SuppliedTo the last one; zero for none.
	SuppliedFrom date.Date      `json:"supplied_from,omitzero"`
	SuppliedTo   date.Date      `json:"supplied_to,omitzero"`
	Currency     money.Currency `json:"currency"`
	Lines        []Line         `json:"lines"`
	Notes        string         `json:"notes"`
	Exemption    string         `json:"exemption_reason,omitzero"`
	Series       string         `json:"series,omitzero"`
	idempotency.External

	totals Totals // of Lines
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes, in the order of the form.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Number: numberOf(in.Number), Series: in.Series}
	in.customer(&d, &problems)
	issued, _ := date.ParseEntry(in.IssueDate) // dates reports the error
	if problem := d.Number.problem(issued); problem != "" {
		problems.Add("/number", problem)
	}
	d.Currency = typed.Currency(&problems, "/currency", in.Currency, issued)
	in.dates(&d, &problems)
	in.supply(&d, &problems)
	in.lines(&d, &problems)
	if in.Series != "" && in.Series != SeriesContinue && in.Series != SeriesKeep {
		problems.Add("/series", "Use continue or keep, or leave it out.")
	}
	d.Exemption = in.exemption(d.Lines, &problems)
	d.Notes = problems.Lines("/notes", "the notes", in.Notes, MaxNotes)
	d.External = in.External.Check("", &problems)
	return d, problems.Err()
}

func (in Input) customer(d *Draft, problems *invalid.Error) {
	switch {
	case in.CustomerID != "" && in.Customer != nil:
		problems.Add("/customer_id", "Send either customer_id or customer, not both.")
	case in.CustomerID != "":
		id, err := uuid.Parse(in.CustomerID)
		if err != nil || id == uuid.Nil {
			problems.Add("/customer_id", "Choose a customer from the list.")
		}
		d.CustomerID = id
	case in.Customer != nil:
		d.Customer = in.Customer.DraftIn("/customer", problems)
		if d.Customer.External != (idempotency.External{}) {
			problems.Add("/customer/source", "Create a customer with an external id before the invoice, and send customer_id.")
		}
	default:
		problems.Add("/customer", "Choose a customer, or enter the name of a new one.")
	}
}

func (in Input) dates(d *Draft, problems *invalid.Error) {
	var err error
	if d.IssueDate, err = date.ParseEntry(in.IssueDate); err != nil {
		problems.Add("/issue_date", "Enter the issue date as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	if in.DueDate == "" && d.IssueDate.Year() < date.LastEntryYear {
		return
	}
	if d.DueDate, err = date.ParseEntry(in.DueDate); err != nil {
		problems.Add("/due_date", "Enter the due date as year-month-day from 2000 to 2099, like 2026-12-21.")
	} else if d.DueDate.Before(d.IssueDate) {
		problems.Add("/due_date", "The due date must not be before the issue date.")
	}
}

func (in Input) supply(d *Draft, problems *invalid.Error) {
	var err error
	if in.SuppliedFrom != "" {
		if d.SuppliedFrom, err = date.ParseEntry(in.SuppliedFrom); err != nil {
			problems.Add("/supplied_from", "Enter the day of supply as year-month-day from 2000 to 2099, like 2026-11-21.")
		}
	}
	switch {
	case in.SuppliedTo == "":
		return
	case in.SuppliedFrom == "":
		problems.Add("/supplied_to", "Enter the first day of supply too, or leave this blank.")
		return
	}
	if d.SuppliedTo, err = date.ParseEntry(in.SuppliedTo); err != nil {
		problems.Add("/supplied_to", "Enter the last day of supply as year-month-day from 2000 to 2099, or leave it blank.")
	} else if d.SuppliedTo.Before(d.SuppliedFrom) {
		problems.Add("/supplied_to", "The last day of supply must not be before the first day.")
	}
}

func (in Input) lines(d *Draft, problems *invalid.Error) {
	switch {
	case len(in.Lines) == 0:
		problems.Add("/lines", "Add at least one line.")
	case len(in.Lines) > MaxLines:
		problems.Add("/lines", TooManyLines())
		return
	}
	before := len(problems.Fields)
	outside := 0
	for i, line := range in.Lines {
		d.Lines = append(d.Lines, line.draft("/lines/"+strconv.Itoa(i), d.Currency, problems))
		if d.Lines[i].NoTax == OutsideScope {
			outside++
		}
	}
	if outside != 0 && outside != len(d.Lines) {
		i := slices.IndexFunc(d.Lines, func(l Line) bool { return l.NoTax != OutsideScope })
		problems.Add("/lines/"+strconv.Itoa(i)+"/tax_treatment",
			"Lines out of scope can't be on an invoice with other lines. Make two invoices.")
	}
	if len(problems.Fields) > before {
		return
	}
	var err error
	switch d.totals, err = TotalsOf(d.Lines); {
	case errors.Is(err, ErrNegative):
		problems.Add("/lines", "The net amount and the tax of all lines must not be below 0.")
	case err != nil:
		problems.Add("/lines", "The total is too large.")
	}
}

// Line checks a line in a currency. It returns an [*invalid.Error] with all mistakes, whose pointers begin at the line.
func (in LineInput) Line(currency money.Currency) (Line, error) {
	var problems invalid.Error
	line := in.draft("", currency, &problems)
	return line, problems.Err()
}

func (in LineInput) draft(pointer string, currency money.Currency, problems *invalid.Error) Line {
	var line Line
	var err error
	line.Description = problems.Lines(pointer+"/description", "the description", in.Description, MaxDescription)
	if line.Description == "" {
		problems.Add(pointer+"/description", "Describe what this line is for.")
	}

	line.Quantity, err = money.ParseDecimal(strings.TrimSpace(in.Quantity))
	if err != nil || line.Quantity.IsZero() || money.Scale(line.Quantity) > 6 || line.Quantity.Abs().GreaterThan(decimal.New(1, 9)) {
		problems.Add(pointer+"/quantity", "Enter a quantity with at most 6 decimals, like 2 or 1.5, or -1 to take something off.")
		line.Quantity = decimal.Zero
	}
	if line.Unit = Unit(in.Unit); in.Unit != "" && line.Unit.Name() == "" {
		problems.Add(pointer+"/unit", "Choose a unit from the list.")
	}
	if currency != (money.Currency{}) {
		before := len(problems.Fields)
		line.price(in.UnitPrice, pointer, currency, problems)
		known := !line.Quantity.IsZero() && len(problems.Fields) == before
		line.discounted(strings.TrimSpace(in.Discount), pointer+"/discount", currency, known, problems)
	}
	if line.TaxRate, err = money.ParseRate(in.TaxRate); err != nil {
		problems.Add(pointer+"/tax_rate", "Enter a tax rate from 0 to 100 percent, like 23. Enter 0 for no tax.")
	} else {
		line.treated(Treatment(in.Treatment), pointer, problems)
	}
	return line
}

// treated sets the treatment of a line with a rate.
func (l *Line) treated(as Treatment, pointer string, problems *invalid.Error) {
	switch {
	case as == "":
	case as.Terms() == Terms{}:
		problems.Add(pointer+"/tax_treatment", "Choose how this line is taxed.")
	case as == Standard && l.TaxRate.IsZero():
		problems.Add(pointer+"/tax_rate", "Enter a tax rate above 0, or choose why this line has no tax.")
	case as != Standard && !l.TaxRate.IsZero():
		problems.Add(pointer+"/tax_rate", "Enter 0, or choose Taxed as the treatment.")
	}
	if slices.Contains(Untaxed(), as) {
		l.NoTax = as
	}
}

// exemption returns the reason for the exemption: "" without exempt lines, for which the form hides it.
func (in Input) exemption(lines []Line, problems *invalid.Error) string {
	reason := problems.Line("/exemption_reason", "the reason for the exemption", in.Exemption, MaxReason)
	switch exempt := slices.ContainsFunc(lines, func(l Line) bool { return l.NoTax == Exempt }); {
	case !exempt:
		return ""
	case reason == "":
		problems.Add("/exemption_reason", "Enter why lines are exempt from tax, such as the article of the law.")
	}
	return reason
}

// price parses the unit price, and computes the net amount without the discount.
func (l *Line) price(text, pointer string, currency money.Currency, problems *invalid.Error) {
	var err error
	switch l.UnitPrice, err = currency.ParsePrice(strings.TrimSpace(text)); {
	case errors.Is(err, money.ErrScale):
		problems.Add(pointer+"/unit_price", "Enter a unit price with at most 6 decimals.")
	case errors.Is(err, money.ErrRange) && strings.HasPrefix(strings.TrimSpace(text), "-"):
		problems.Add(pointer+"/unit_price", "Enter the price without a minus sign, and the quantity with one, like -1.")
	case err != nil:
		problems.Add(pointer+"/unit_price", "Enter a unit price of 0 or more, like 50.00.")
	}
	if l.Net, err = money.Multiply(l.UnitPrice, l.Quantity); err != nil {
		problems.Add(pointer+"/quantity", "This line's amount is too large.")
	}
}

// discounted parses the discount, and takes it off the net amount if that is known.
func (l *Line) discounted(text, pointer string, currency money.Currency, known bool, problems *invalid.Error) {
	if text == "" {
		return
	}
	var err error
	percent, isRate := strings.CutSuffix(text, "%")
	if isRate {
		l.DiscountRate, err = money.ParseRate(percent)
		l.Discount, _ = money.Percent(l.Net, l.DiscountRate) // is at most the net amount, and has its sign
	} else {
		l.Discount, err = currency.Parse(text)
	}
	switch {
	case err != nil || money.Scale(l.DiscountRate) > 2:
		problems.Add(pointer, "Enter a discount like 10% or 25.00.")
	case !known:
	case !isRate && l.Discount > max(l.Net, 0):
		problems.Add(pointer, "The discount must not be more than the line's amount, "+currency.Display(l.Net)+".")
	default:
		l.Net -= l.Discount
	}
}
