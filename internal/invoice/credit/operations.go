package credit

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/value/date"
)

// alike describes a likely repeat.
var alike = idempotency.Alike[Note]{
	Fields: []string{"invoice_id date total"}, Within: 10 * time.Minute, Name: func(n Note) string { return n.Number },
}

// Create creates a credit note with the next number and posts it to its invoice.
var Create = idempotency.Define(idempotency.Spec[Draft, Note]{
	Kind: idempotency.Create, Name: "credit_note.create", Table: Table,
	Statements: insert,
	Alike:      alike,
	Retain:     72 * time.Hour,
	Explain: map[string]idempotency.Explanation[Draft]{
		"credit_note_lines_within_line": exceedsLine,
		"credit_notes_within_open":      exceedsCreditable,
		"credit_notes_not_negative":     belowZero,
		"credit_notes_by_quantity":      byQuantity,
		"credit_notes_of_lines":         idempotency.Always[Draft](errNothingLeft),
		"credit_notes_of_issued":        idempotency.Always[Draft](errNotIssued),
		"credit_notes_invoice":          idempotency.Missing[Draft],
		"credit_note_lines_line":        idempotency.Missing[Draft],
		"credit_notes_number_once":      seriesBroken[Draft],
		"customers_erased":              idempotency.Always[Draft](customer.ErrErased),
		"books_closed":                  invoice.WhenClosed[Draft]("/date", invoice.UseLaterDate),
		"credit_notes_not_before_invoice": idempotency.Invalid[Draft](
			"/date", "This day is before the date of the invoice. Enter a later one."),
		idempotency.LookAlike(Table.Name): invoice.RefuseBeforeAsking(
			Table, alike, func(d Draft) date.Date { return d.Date }),
	},
	NotInFingerprint: []string{"SeenOpen"},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("invoice", d.InvoiceID.String())}
	},
})

// insert inserts the lines, and the credit note with their sum. Its first statement locks the invoice, so that concurrent credit notes
// see the remaining quantities, behind its customer, to whom a receipt may refer.
func insert(tx *idempotency.Tx, d Draft) idempotency.Result {
	args := pgx.NamedArgs{"invoice_id": d.InvoiceID, "seen_open": d.SeenOpen}
	tx.Exec(`SELECT FROM lock_invoice(@tenant_id, @invoice_id)`, args)
	if d.SeenOpen >= 0 {
		tx.Check(&conflict.Error{
			Kind: &invoice.OpenChanged, Title: "The open amount has changed since you opened this form.",
			Text: "The credit note wasn't created. The form now shows what can be credited.",
		}, `SELECT open_amount = @seen_open FROM invoices WHERE tenant_id = @tenant_id AND id = @invoice_id`, args)
	}
	switch args["amount"] = d.Amount; {
	case d.All:
		tx.Exec(`
			INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity, net)
			SELECT tenant_id, @record_id, invoice_id, position, uncredited, net
			FROM (
				SELECT tenant_id, invoice_id, position, quantity - credited_quantity(tenant_id, invoice_id, position) AS uncredited,
					net - credited_amount(tenant_id, invoice_id, position) AS net
				FROM invoice_lines WHERE tenant_id = @tenant_id AND invoice_id = @invoice_id) AS l
			WHERE uncredited <> 0 OR net <> 0`, args)
	case d.Amount > 0:
		tx.Exec(`SELECT FROM credit_amount(@tenant_id, @record_id, @invoice_id, @amount)`, args)
	default:
		args["positions"], args["quantities"] = columns(d.Lines)
		tx.Exec(`
			INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity)
			SELECT @tenant_id, @record_id, @invoice_id, position, quantity::numeric
			FROM unnest(@positions::int[], @quantities::text[]) AS wanted (position, quantity)`, args)
	}
	args["date"], args["reason"], args["all"] = d.Date, d.Reason, d.All
	tx.Exec(`
		INSERT INTO credit_notes (tenant_id, id, invoice_id, total, issue_date, reason)
		VALUES (@tenant_id, @record_id, @invoice_id, CASE WHEN @all THEN (
			SELECT total - credited FROM invoices WHERE tenant_id = @tenant_id AND id = @invoice_id) ELSE NULLIF(@amount::bigint, 0) END,
			COALESCE(@date::date, (
				SELECT greatest(issue_date, business_day()) FROM invoices WHERE tenant_id = @tenant_id AND id = @invoice_id)), @reason)`,
		args)
	tx.Exec(`
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, id, @operation, @idempotency_key, 'credit of a credit note' FROM receipts
		WHERE tenant_id = @tenant_id AND credit_note_id = @record_id`, args)
	if d.Tell {
		queueMail(tx, args)
	}
	return tx.Record()
}

// queueMail queues the mail that sends the new credit note to the customer, if the customer has an email.
func queueMail(tx *idempotency.Tx, args pgx.NamedArgs) {
	args["mail_id"] = tx.ID(1)
	tx.Exec(`
		INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, e_invoice)
		SELECT tenant_id, @mail_id, billed.id, CASE WHEN n.reverses_id IS NULL THEN 'credit_note' ELSE 'reversal' END, n.id,
			COALESCE((`+invoice.LastEInvoice+`), false)
		FROM credit_notes n JOIN invoices billed USING (tenant_id)
		WHERE tenant_id = @tenant_id AND n.id = @record_id AND billed.id = n.invoice_id AND bill_to->>'email' <> ''`, args)
	tx.Exec(`
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, unnest(ARRAY[invoice_id, id]), @operation, @idempotency_key, 'email queued' FROM mails
		WHERE tenant_id = @tenant_id AND id = @mail_id`, args)
}

func columns(lines []Quantity) (positions []int, quantities []string) {
	for _, l := range lines {
		positions, quantities = append(positions, l.Position), append(quantities, l.Quantity.String())
	}
	return positions, quantities
}

// ExceedsInvoice is the conflict of crediting more than the open and paid amounts, or more than a line has left. Its member
// creditable is the sum of the open and paid amounts; position and left are the number and the remaining quantity of the line.
var ExceedsInvoice = conflict.Kind{
	Slug: "exceeds-invoice", Title: "More than can be credited",
	Meaning: "The credit note is larger than what is open or paid on the invoice (creditable), or has a quantity larger than what is " +
		"left of a line (position, left), which other credit notes, refunds and write-offs may have lowered. Nothing was recorded. " +
		"You can use the key again.",
	ToDo: "Credit at most the amount in creditable. To credit what was written off, take that back first.",
}

// Possible returns a [*conflict.Error] if an invoice can't have a credit note: it is not issued, or neither open nor paid.
func Possible(inv invoice.Invoice) error {
	switch {
	case inv.Status == invoice.StatusDraft, inv.Status == invoice.StatusVoid:
		return errNotIssued()
	case inv.Open+inv.Paid == 0 && inv.WrittenOff > 0:
		return &conflict.Error{
			Kind: &ExceedsInvoice, Title: "Nothing is open on this invoice.",
			Text: "The rest was written off. To credit it, take the write-off back first.",
		}
	case inv.Open+inv.Paid == 0 && inv.Credited > 0:
		return errNothingLeft()
	default:
		return nil
	}
}

func exceedsCreditable(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	most, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("creditable amount: %w", err)
	}
	exceeds := &conflict.Error{
		Kind: &ExceedsInvoice, Title: d.Currency.Display(most) + " " + d.Currency.String() + " of this invoice is open or paid.",
		Text:    "The credit note is larger, and wasn't created. To credit what was written off, take that back first.",
		Members: map[string]string{"creditable": d.Currency.Format(most)},
	}
	if d.Amount > 0 {
		exceeds.Field, exceeds.Blame = "/amount", "Enter at most "+d.Currency.Format(most)+"."
	}
	return exceeds
}

func exceedsLine(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, _ Draft, broken *pgconn.PgError) error {
	var line struct {
		Position int    `json:"position"`
		Left     string `json:"left"`
	}
	if err := json.Unmarshal([]byte(broken.Detail), &line); err != nil {
		return fmt.Errorf("what is left of the line: %w", err)
	}
	position := strconv.Itoa(line.Position)
	return &conflict.Error{
		Kind: &ExceedsInvoice, Title: "A quantity of " + line.Left + " is left of line " + position + ".",
		Text:    "The credit note is for more, and wasn't created.",
		Field:   "/lines/" + strconv.Itoa(line.Position-1) + "/quantity", // the form has all lines
		Blame:   "A quantity of " + line.Left + " is left.",
		Members: map[string]string{"position": position, "left": line.Left},
	}
}

var byQuantity = idempotency.Invalid[Draft](
	"/amount", "An amount can't be shared out, because less than 0 is left at a tax rate. Enter quantities instead.")

var belowZero = idempotency.Invalid[Draft]("/lines", "The net amount and the tax must not be below 0. Credit other lines too.")

func errNothingLeft() error {
	return &conflict.Error{
		Kind: &ExceedsInvoice, Title: "There's nothing left to credit.", Text: "All lines of this invoice were credited.",
	}
}

func errNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "This invoice isn't issued.",
		Text: "Only an issued invoice can be credited. Nothing was recorded.",
	}
}

// seriesBroken reports a duplicate number. It is not a conflict, because the number can't be chosen, so the series is wrong.
func seriesBroken[C any](_ context.Context, _ *idempotency.Store, _ idempotency.Intent, _ C, broken *pgconn.PgError) error {
	return fmt.Errorf("the series of credit notes gave out a number twice: %w", broken)
}
