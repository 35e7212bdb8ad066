package invoiceimport

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/importing"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// bill is the command that creates an invoice, issues it unless it is a draft there, and records what was paid.
type bill struct {
	invoice  invoice.Draft
	customer customer.Draft // to find or create; see customerID
	issue    bool
	total    int64 // minor units
	paid     int64 // minor units; 0 for no payment
	paidOn   date.Date

	customerID uuid.UUID // of the customer that was found; uuid.Nil to create one
}

// stripeID matches the ID of a customer, which exports of Stripe have in place of the name.
var stripeID = regexp.MustCompile(`^cus_[A-Za-z0-9]+$`)

// unnamed reports whether the file has an ID in place of the customer's name, so that no customer is created.
func (b *bill) unnamed() bool { return stripeID.MatchString(b.customer.Name) }

// reader reads the entries of a file.
type reader struct {
	source   string // of the external ids
	currency string // of invoices without one
	today    date.Date
	terms    int  // days from the issue date to the due date of invoices without one
	lines    bool // the file has the lines of invoices
	columns  []string
	seen     importing.Seen
}

func read(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i importing.Import) (func(*importing.Entry) *bill, error) {
	type usual struct {
		Currency string
		Today    date.Date
		Terms    int
	}
	of, err := record.One(ctx, pool, tenant, pgx.RowToStructByPos[usual], `
		SELECT s.currency, business_day(), s.payment_days
		FROM settings s WHERE s.tenant_id = @tenant_id AND s.id = @tenant_id`, nil)
	r := reader{
		source: i.Source, currency: of.Currency, today: of.Today, terms: of.Terms,
		lines: slices.Contains(i.Columns, "unit_price"), columns: i.Columns, seen: importing.Seen{},
	}
	return r.entry, err
}

// group returns a function that returns the text that all rows of an invoice have in common: its number and customer. Exports leave them
// blank in the later rows of an invoice.
func group(columns []string) func(importing.Row) string {
	lines := slices.Contains(columns, "unit_price")
	above, first := "", map[string]string{} // the group of the row above, and the first one of each number
	return func(row importing.Row) string {
		number := strings.ToLower(row.Values["number"])
		named := number + "\n" + strings.ToLower(row.Values["customer"]+"\n"+row.Values["email"])
		unnamed := number + "\n\n"
		switch {
		case number == "" && lines && ofLine(row):
		case number == "":
			return ""
		case strings.HasPrefix(above, number+"\n"):
		case first[number] != "" && (named == unnamed || first[number] == unnamed):
			above = first[number]
		default:
			above = named
			first[number] = cmp.Or(first[number], named)
		}
		return above
	}
}

// ofLine reports whether a row has a value of a line.
func ofLine(row importing.Row) bool {
	for name := range row.Values {
		if strings.Contains(ofLines, " "+name+" ") {
			return true
		}
	}
	return false
}

// entry returns the command of an entry, or refuses it. Its first row has the values of the invoice.
func (r reader) entry(e *importing.Entry) *bill {
	e.Name, e.Detail = e.Rows[0].Values["number"], e.Rows[0].Values["customer"]
	b, problem := r.bill(e)
	if problem != "" {
		e.Refuse(problem)
		return nil
	}
	d := b.invoice
	e.Detail = b.customer.Name + ", " + d.Currency.Display(b.total) + " " + d.Currency.String()
	switch {
	case !b.issue:
		e.Detail += ", draft"
	case b.paid > 0:
		e.Detail += ", paid " + d.Currency.Display(b.paid)
	}
	year := strconv.Itoa(d.IssueDate.Year())
	if first := r.seen.First("number", d.Number.Folded()+"\n"+year, e.Line()); first != 0 {
		e.Refuse(fmt.Sprintf("Line %d has the same number for another customer.", first))
	}
	due := d.DueDate
	if due == (date.Date{}) {
		due = d.IssueDate.AddDays(r.terms)
	}
	e.Marked = b.issue && b.paid < b.total && due.Before(r.today)
	return b
}

// bill returns the command of an entry, or a sentence about what is wrong with it.
func (r reader) bill(e *importing.Entry) (b *bill, problem string) {
	head := e.Rows[0].Values
	if problem = contradiction(e); problem != "" {
		return nil, problem
	}
	if head["number"] == "" {
		return nil, "The invoice has no number."
	}
	b = &bill{}
	if b.issue, problem = statusOf(head["status"], head["type"]); problem != "" {
		return nil, problem
	}
	currency, known := money.ParseCurrency(strings.ToUpper(cmp.Or(head["currency"], r.currency)))
	if !known {
		return nil, "Choose a currency by its three-letter code, like EUR."
	}
	if text := r.foreign(e, currency); text != "" && head["currency"] != "" {
		return nil, fmt.Sprintf("“%s” isn't an amount of %s, the currency of the row.", text, currency)
	} else if text != "" {
		return nil, fmt.Sprintf("“%s” isn't an amount of %s, the currency of your business. Add a column Currency.", text, currency)
	}
	amounts, problem := amountsOf(head, currency)
	if problem != "" {
		return nil, problem
	}
	balance := !r.lines && amounts.hasOpen
	in := invoice.Input{
		Number: head["number"], IssueDate: head["issue_date"], DueDate: head["due_date"], Currency: currency.String(), Notes: r.notes(head),
		Customer: &customer.Input{Name: cmp.Or(head["customer"], head["email"]), Email: head["email"]},
	}
	if head["external_id"] != "" {
		in.External = idempotency.External{Source: r.source, ExternalID: head["external_id"]}
	}
	if balance {
		problem = amounts.settle(head["status"], currency)
	}
	if problem == "" {
		in.Lines, problem = r.linesOf(e, amounts, currency)
	}
	if problem != "" {
		return nil, problem
	}
	var err error
	if b.invoice, err = in.Draft(); err != nil {
		problem, _ = idempotency.Refusal(err)
		return nil, problem
	}
	b.customer, b.invoice.Customer = b.invoice.Customer, customer.Draft{}
	b.customer.SameEmail = true // another customer with this email has another name
	id := head["customer_id"]
	if id == "" && b.unnamed() {
		id = b.customer.Name
	}
	if id != "" {
		var problems invalid.Error
		b.customer.External = idempotency.External{Source: r.source, ExternalID: id}.Check("", &problems)
		if problem, _ = idempotency.Refusal(problems.Err()); problem != "" {
			return nil, problem
		}
	}
	totals, err := invoice.TotalsOf(b.invoice.Lines)
	if err != nil {
		return nil, "The total is too large." // can't happen: Draft has checked it
	}
	b.total = totals.Total
	if !balance {
		problem = b.pay(head, amounts)
	}
	return b, problem
}

// contradiction returns a sentence about a row with another value of the invoice than the first one, or "".
func contradiction(e *importing.Entry) string {
	head := e.Rows[0].Values
	for _, row := range e.Rows[1:] {
		for _, f := range fields() {
			if !strings.Contains(ofLines, " "+f.Name+" ") && row.Values[f.Name] != "" && row.Values[f.Name] != head[f.Name] {
				return fmt.Sprintf("%s: line %d has %s, and line %d of the same invoice has %s.",
					f.Label, row.Line, row.Values[f.Name], e.Line(), cmp.Or(head[f.Name], "nothing"))
			}
		}
	}
	return ""
}

// notes returns the notes of an invoice, with its reference. The description in a file without lines is of the invoice.
func (r reader) notes(head map[string]string) string {
	note := head["note"]
	if note == "" && !r.lines {
		note = head["description"]
	}
	if head["reference"] != "" {
		note += "\nReference: " + head["reference"]
	}
	return strings.TrimSpace(note)
}
