// Package paymentimport imports payments of invoices: see [importing].
package paymentimport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	Fields: fields, Lacks: lacks,
	Read: func(
		_ context.Context, _ *pgxpool.Pool, _ uuid.UUID, i importing.Import,
	) (func(*importing.Entry) *command, error) {
		r := reader{i.Source, slices.Index(i.Columns, "amount"), importing.Seen{}}
		return r.read, nil
	},
	Judge: judge,
	Do: func(ctx context.Context, a importing.Attempt, c *command) (created bool, err error) {
		_, created, err = importing.Do(ctx, a, a.Key, payment.Create, uuid.Nil, c.draft)
		return created, err
	},
})

// command is a payment. Its invoice is found by the ID in the other system, or else by the number.
type command struct {
	number, invoiceID string // not both are ""
	currency          string // "" for the currency of the invoice
	amount            string // as in the file
	reference         string
	day               date.Date
	in                payment.Input
	hasID             bool   // the file has its id
	note              string // why its reference is left out; "" if it isn't

	draft payment.Draft // of the invoice that was found
}

// reader reads the rows of a file.
type reader struct {
	source string // of the external ids
	amount int    // the column of amounts
	seen   importing.Seen
}

// read returns the command of a row. A row without an id gets one from its content, and from its place among the rows with the same
// content: so the same file finds the same payments later.
func (r reader) read(e *importing.Entry) *command {
	values := e.Rows[0].Values
	c := &command{
		number: values["number"], invoiceID: values["invoice_id"], currency: strings.ToUpper(values["currency"]),
		reference: values["reference"], hasID: values["external_id"] != "",
		in: payment.Input{
			Amount: values["amount"], Date: values["date"], Method: values["method"],
			External: idempotency.External{Source: r.source, ExternalID: values["external_id"]},
		},
	}
	if c.in.Method == "" {
		c.in.Method = "other"
	}
	if r.amount >= 0 && r.amount < len(e.Rows[0].Cells) {
		c.amount = e.Rows[0].Cells[r.amount]
	}
	e.Name, e.Detail = cmp.Or(c.number, c.invoiceID), strings.TrimSpace(c.in.Amount+" "+c.currency+" on "+c.in.Date)
	if problem := unpaid(values); problem != "" {
		e.Refuse(problem)
		return nil
	}
	var err error
	if c.day, err = date.ParseEntry(c.in.Date); err != nil || e.Name == "" {
		e.Refuse("Enter the number or the ID of the invoice, and the day of the payment from 2000 to 2099.")
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
			return nil
		}
	} else {
		of := cmp.Or(strings.ToLower(c.number), c.invoiceID)
		sum := sha256.Sum256([]byte(strings.Join([]string{of, c.in.Date, amount.String(), c.currency, c.reference}, "\n")))
		c.in.ExternalID = fmt.Sprintf("row-%s-%d", hex.EncodeToString(sum[:8]), r.seen.Count(string(sum[:])))
	}
	if c.reference == "" {
		return c
	}
	if first := r.seen.First("reference", c.reference, e.Line()); first != 0 {
		c.note = fmt.Sprintf("Its reference is left out, because line %d has the same.", first)
	} else if utf8.RuneCountInString(c.reference) > payment.MaxReference {
		c.note = fmt.Sprintf("Its reference is left out, because it has more than %d characters.", payment.MaxReference)
	}
	return c
}

// found has the records in the database that a row is compared with.
type found struct {
	Intent string     // the outcome of an earlier attempt; "" for none
	Closed *date.Date // the last closed day, if the payment is of a closed one

	// The payment with the external id; uuid.Nil for none.
	Payment uuid.UUID
	Amount  int64 // minor units
	Date    date.Date

	// The invoice with the ID or the number, and how many have it.
	Invoices    int
	ID          uuid.UUID
	State       string
	Currency    money.Currency
	Open        int64 // minor units
	OtherNumber bool  // it was found by the ID, and the row has another number

	Referred bool // a payment or receipt has the reference
	// The payment of the invoice that its import has recorded, or that has the reference, unless a file of this source has it; uuid.Nil
	// for none.
	Like       uuid.UUID
	LikeAmount int64 // minor units
	WithIt     bool  // the import of the invoice has recorded it
}

// judge sets the verdicts of payments and finds their invoices, in one round trip.
func judge(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i importing.Import, entries []*importing.Entry, commands []*command,
) error {
	var keys, ids, invoices, numbers, days, references []string
	for n, c := range commands {
		keys, ids = append(keys, i.Key(entries[n].Line())), append(ids, c.in.ExternalID)
		invoices, numbers = append(invoices, c.invoiceID), append(numbers, c.number)
		days, references = append(days, c.day.String()), append(references, c.reference)
	}
	all, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[found], lookup, pgx.NamedArgs{
		"keys": keys, "ids": ids, "invoices": invoices, "numbers": numbers, "days": days, "references": references, "source": i.Source,
		"none": uuid.Nil,
	})
	open := map[uuid.UUID]int64{} // less the payments of earlier rows
	for n, f := range all {
		if left, paid := open[f.ID]; paid {
			f.Open = left
		}
		f.judge(entries[n], commands[n], i.Source)
		e := entries[n]
		if (e.Verdict == importing.New || e.Verdict == importing.Alike && i.TakesAlike) && !e.Made {
			open[f.ID] = f.Open - commands[n].draft.Amount
		}
	}
	return err
}

// lookup finds the intent, the payment, the invoice and the reference of rows. Numbers may be used once in each year, so an invoice is
// looked up in the ten years before its payment, and the one after it.
const lookup = `
	WITH wanted AS MATERIALIZED (
		SELECT n, key, id, invoice, fold_invoice_number(number) AS number, day::date AS day, reference, fold_text(@source) AS source,
			extract(year FROM day::date)::integer AS year
		FROM unnest(@keys::text[], @ids::text[], @invoices::text[], @numbers::text[], @days::text[], @references::text[])
			WITH ORDINALITY AS row (key, id, invoice, number, day, reference, n)
	)
	SELECT COALESCE(begun.outcome::text, ''), books_closed(@tenant_id, w.day), COALESCE(p.id, @none::uuid), COALESCE(p.amount, 0),
		COALESCE(p.paid_on, w.day), COALESCE(i.having_it, 0), COALESCE(i.id, @none::uuid), COALESCE(i.state, ''),
		COALESCE(i.currency, 'EUR'), COALESCE(i.open_amount, 0), COALESCE(i.other_number, false),
		r.id IS NOT NULL, COALESCE(a.id, @none::uuid), COALESCE(a.amount, 0), COALESCE(a.with_it, false)
	FROM wanted w
	LEFT JOIN LATERAL (
		SELECT outcome FROM intents
		WHERE tenant_id = @tenant_id AND operation = 'payment.create' AND key = w.key LIMIT 1) AS begun ON true
	LEFT JOIN LATERAL (
		SELECT id, amount, paid_on FROM payments
		WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.id LIMIT 1) AS p ON true
	LEFT JOIN LATERAL (
		SELECT * FROM (
			(SELECT 1 AS rank, id, state, currency, open_amount, 1 AS having_it,
				w.number <> '' AND number_folded IS DISTINCT FROM w.number AS other_number
			FROM invoices
			WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.invoice LIMIT 1) UNION ALL
			(SELECT 2, named.*, (count(*) OVER ())::integer, false
			FROM generate_series(w.year - 10, w.year + 1) AS of_year, LATERAL (
				SELECT id, state, currency, open_amount FROM invoices
				WHERE tenant_id = @tenant_id AND issue_year = of_year AND number_folded = w.number AND w.number <> ''
					AND (w.invoice = '' OR source_folded IS DISTINCT FROM w.source) LIMIT 1) AS named
			LIMIT 1)
		) AS i ORDER BY rank LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT source_id AS id FROM payment_references
		WHERE tenant_id = @tenant_id AND provider_folded = w.source AND reference = w.reference LIMIT 1) AS r ON true
	LEFT JOIN LATERAL (
		SELECT id, amount, external_id LIKE 'imported with %' AS with_it FROM payments
		WHERE tenant_id = @tenant_id AND invoice_id = i.id AND removed_at IS NULL AND (
			external_id LIKE 'imported with %' OR r.id IN (id, receipt_id) AND source_folded IS DISTINCT FROM w.source)
		LIMIT 1) AS a ON true
	ORDER BY w.n`

// judge sets the verdict of a row.
func (f found) judge(e *importing.Entry, c *command, source string) {
	switch {
	case f.Intent == string(idempotency.Created):
		e.Verdict, e.Made = importing.New, true
		return
	case f.Intent != "":
		e.Verdict = importing.Known
		return
	case f.Invoices == 0 && c.invoiceID != "":
		e.Refuse("No invoice from " + source + " has the ID " + c.invoiceID + ". Import the invoices first.")
		return
	case f.OtherNumber:
		e.Refuse("The invoice with the ID " + c.invoiceID + " has another number.")
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
	if !importing.OfCurrency(c.amount, f.Currency) {
		e.Refuse("The invoice is in " + f.Currency.String() + ", and the payment is " + c.amount + ".")
		return
	}
	if f.Referred {
		c.note = cmp.Or(c.note, "Its reference is left out, because another payment has it.")
	}
	if c.reference != "" && c.note == "" {
		c.in.Provider, c.in.Reference = source, c.reference
	}
	var err error
	if c.draft, err = c.in.Draft(f.ID, f.Currency); err != nil {
		problem, _ := idempotency.Refusal(err)
		e.Refuse(problem)
		return
	}
	switch {
	case f.Payment != uuid.Nil:
		e.Verdict, e.Existing = importing.Known, record.Reference{ID: f.Payment, Name: e.Name}
		if c.hasID {
			e.Differ(f.differences(c.draft))
		}
	case f.State == invoice.StatusDraft, f.State == invoice.StatusVoid:
		e.Refuse("The invoice isn't issued. Only an issued invoice can be paid.")
	case f.Closed != nil:
		e.Refuse("The books are closed through " + f.Closed.Display() + ". Change the date, or reopen the books.")
	case c.draft.Amount > f.Open:
		e.Refuse("The open amount is " + f.Currency.Display(f.Open) + " " + f.Currency.String() + ". The payment is larger.")
	case f.WithIt:
		e.Verdict, e.Existing = importing.Alike, record.Reference{ID: f.Like, Name: e.Name}
		e.Problem = "May be part of the " + f.Currency.Display(f.LikeAmount) + " " + f.Currency.String() +
			" that was recorded as paid when the invoice was imported."
	case f.Like != uuid.Nil && f.LikeAmount == c.draft.Amount:
		e.Verdict, e.Existing = importing.Alike, record.Reference{ID: f.Like, Name: e.Name}
		e.Problem = "Looks like a payment of this invoice with the same amount and reference."
	default:
		e.Verdict, e.Problem = importing.New, c.note
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
