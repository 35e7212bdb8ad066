// Package paymentimport imports payments of invoices: see [importing].
package paymentimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/importing"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Kind is the kind of imports of payments. Each row is a payment.
var Kind = importing.Define(importing.Spec[*command]{
	One: "payment", Many: "payments", Prefixes: []string{"invoice", "payment"},
	Fields: []importing.Field{
		{Name: "number", Label: "Number of the invoice", Headings: "invoicenumber invoiceno invoice number"},
		{Name: "date", Label: "Date", Type: importing.Day, Headings: "date paymentdate paidon createdutc created dateutc"},
		{Name: "amount", Label: "Amount", Type: importing.Number, Headings: "amount paymentamount amountpaid paid total"},
		{Name: "currency", Label: "Currency", Headings: "currency currencycode"},
		{Name: "reference", Label: "Reference", Headings: "reference transactionreference transactionid bankreference"},
		{Name: "method", Label: "Method", Read: method, Headings: "method paymentmethod type paymenttype"},
		{Name: "external_id", Label: "ID in that system", Headings: "id paymentid externalid"},
	},
	Lacks: func(has func(string) bool) string {
		for _, f := range [][2]string{{"number", "number of the invoice"}, {"date", "date"}, {"amount", "amount"}} {
			if !has(f[0]) {
				return "Choose the column that has the " + f[1] + "."
			}
		}
		return ""
	},
	Read: func(
		_ context.Context, _ *pgxpool.Pool, _ uuid.UUID, i importing.Import,
	) (func(*importing.Entry) *command, error) {
		r := reader{i.Source, importing.Seen{}}
		return r.read, nil
	},
	Judge: judge,
	Do: func(ctx context.Context, a importing.Attempt, c *command) (created bool, err error) {
		_, created, err = importing.Do(ctx, a, a.Key, payment.Create, uuid.Nil, c.draft)
		return created, err
	},
})

// method returns the method of a payment by the word of another system.
func method(text string) string {
	text = strings.ToLower(text)
	for _, m := range []struct{ name, words string }{
		{"bank_transfer", "transfer bank sepa wire ach"}, {"card", "card visa mastercard amex"}, {"cash", "cash"},
	} {
		for word := range strings.FieldsSeq(m.words) {
			if strings.Contains(text, word) {
				return m.name
			}
		}
	}
	return "other"
}

// command is a payment. Its invoice is found by the number.
type command struct {
	number   string
	currency string // "" for that of the invoice
	day      date.Date
	in       payment.Input
	hasID    bool // the file has its id

	draft payment.Draft // of the invoice that was found
}

// reader reads the rows of a file.
type reader struct {
	source string // of the external ids
	seen   importing.Seen
}

// read returns the command of a row. A row without an id gets one from its content, and from its place among the rows with the same
// content: so the same file finds the same payments later.
func (r reader) read(e *importing.Entry) *command {
	values := e.Rows[0].Values
	c := &command{
		number: values["number"], currency: strings.ToUpper(values["currency"]), hasID: values["external_id"] != "",
		in: payment.Input{
			Amount: values["amount"], Date: values["date"], Method: values["method"], Reference: values["reference"],
			External: idempotency.External{Source: r.source, ExternalID: values["external_id"]},
		},
	}
	if c.in.Method == "" {
		c.in.Method = "other"
	}
	if c.in.Reference != "" {
		c.in.Provider = r.source
	}
	e.Name, e.Detail = c.number, strings.TrimSpace(c.in.Amount+" "+c.currency+" on "+c.in.Date)
	var err error
	if c.day, err = date.ParseEntry(c.in.Date); err != nil || c.number == "" {
		e.Refuse("Enter the number of the invoice, and the day of the payment from 2000 to 2099.")
		return nil
	}
	amount, err := decimal.NewFromString(c.in.Amount)
	if err != nil {
		e.Refuse("Enter an amount above 0, like 50.00.")
		return nil
	}
	if c.hasID {
		if first := r.seen.First("id", c.in.ExternalID, e.Line()); first != 0 {
			e.Refuse(fmt.Sprintf("Line %d has the same ID.", first))
		}
		return c
	}
	content := strings.Join([]string{strings.ToLower(c.number), c.in.Date, amount.String(), c.currency, c.in.Reference}, "\n")
	sum := sha256.Sum256([]byte(content))
	c.in.ExternalID = fmt.Sprintf("row-%s-%d", hex.EncodeToString(sum[:8]), r.seen.Count(string(sum[:])))
	return c
}

// found is what the database has for a row.
type found struct {
	Intent string     // the outcome of an earlier attempt; "" for none
	Closed *date.Date // the last closed day, if the payment is of a closed one

	// The payment with the external id; uuid.Nil for none.
	Payment uuid.UUID
	Amount  int64 // minor units
	Date    date.Date

	// The invoice with the number, and how many have it.
	Invoices int
	ID       uuid.UUID
	State    string
	Currency money.Currency
	Open     int64 // minor units
}

// judge sets the verdicts of payments and finds their invoices, in one round trip.
func judge(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i importing.Import, entries []*importing.Entry, commands []*command,
) error {
	var keys, ids, numbers, days []string
	for n, c := range commands {
		keys, ids = append(keys, i.Key(entries[n].Line())), append(ids, c.in.ExternalID)
		numbers, days = append(numbers, c.number), append(days, c.day.String())
	}
	all, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[found], lookup, pgx.NamedArgs{
		"keys": keys, "ids": ids, "numbers": numbers, "days": days, "source": i.Source, "none": uuid.Nil,
	})
	open := map[uuid.UUID]int64{} // less the payments of earlier rows
	for n, f := range all {
		if left, paid := open[f.ID]; paid {
			f.Open = left
		}
		f.judge(entries[n], commands[n])
		if entries[n].Verdict == importing.New && !entries[n].Made {
			open[f.ID] = f.Open - commands[n].draft.Amount
		}
	}
	return err
}

// lookup finds the intent, the payment and the invoice of rows. Numbers may be used once in each year, so an invoice is looked up in the
// ten years before its payment, and the one after it.
const lookup = `
	WITH wanted AS MATERIALIZED (
		SELECT n, key, id, fold_invoice_number(number) AS number, day::date AS day, fold_text(@source) AS source,
			extract(year FROM day::date)::integer AS year
		FROM unnest(@keys::text[], @ids::text[], @numbers::text[], @days::text[]) WITH ORDINALITY AS row (key, id, number, day, n)
	)
	SELECT COALESCE(begun.outcome::text, ''), books_closed(@tenant_id, w.day), COALESCE(p.id, @none::uuid), COALESCE(p.amount, 0),
		COALESCE(p.paid_on, w.day), COALESCE(i.having_it, 0), COALESCE(i.id, @none::uuid), COALESCE(i.state, ''),
		COALESCE(i.currency, 'EUR'), COALESCE(i.open_amount, 0)
	FROM wanted w
	LEFT JOIN LATERAL (
		SELECT outcome FROM intents
		WHERE tenant_id = @tenant_id AND operation = 'payment.create' AND key = w.key LIMIT 1) AS begun ON true
	LEFT JOIN LATERAL (
		SELECT id, amount, paid_on FROM payments
		WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.id LIMIT 1) AS p ON true
	LEFT JOIN LATERAL (
		SELECT named.*, (count(*) OVER ())::integer AS having_it
		FROM generate_series(w.year - 10, w.year + 1) AS of_year, LATERAL (
			SELECT id, state, currency, open_amount FROM invoices
			WHERE tenant_id = @tenant_id AND issue_year = of_year AND number_folded = w.number LIMIT 1) AS named
		LIMIT 1) AS i ON true
	ORDER BY w.n`

// judge sets the verdict of a row.
func (f found) judge(e *importing.Entry, c *command) {
	switch {
	case f.Intent == string(idempotency.Created):
		e.Verdict, e.Made = importing.New, true
		return
	case f.Intent != "":
		e.Verdict = importing.Known
		return
	case f.Invoices == 0:
		e.Refuse("No invoice has the number " + c.number + ".")
		return
	case f.Invoices > 1:
		e.Refuse("Invoices of several years have the number " + c.number + ". Record this payment by hand.")
		return
	case c.currency != "" && c.currency != f.Currency.String():
		e.Refuse("The invoice is in " + f.Currency.String() + ", and the payment in " + c.currency + ".")
		return
	}
	var err error
	if c.draft, err = c.in.Draft(f.ID, f.Currency); err != nil {
		problem, _ := idempotency.Refusal(err)
		e.Refuse(problem)
		return
	}
	switch {
	case f.Payment != uuid.Nil:
		e.Verdict, e.Existing = importing.Known, record.Reference{ID: f.Payment, Name: c.number}
		if c.hasID {
			e.Differ(f.differences(c.draft))
		}
	case f.State == invoice.StatusDraft, f.State == invoice.StatusVoid:
		e.Refuse("The invoice isn't issued. Only an issued invoice can be paid.")
	case f.Closed != nil:
		e.Refuse("The books are closed through " + f.Closed.Display() + ". Change the date, or reopen the books.")
	case c.draft.Amount > f.Open:
		e.Refuse("The open amount is " + f.Currency.Display(f.Open) + " " + f.Currency.String() + ". The payment is larger.")
	default:
		e.Verdict = importing.New
	}
}

// differences returns the fields in which the payment differs.
func (f found) differences(d payment.Draft) (all []importing.Difference) {
	if f.Amount != d.Amount {
		all = append(all, importing.Difference{Label: "Amount", Saved: d.Currency.Display(f.Amount), InFile: d.Currency.Display(d.Amount)})
	}
	if f.Date != d.Date {
		all = append(all, importing.Difference{Label: "Date", Saved: f.Date.Display(), InFile: d.Date.Display()})
	}
	return all
}
