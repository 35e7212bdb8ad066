// Package reminder has the reminders of overdue invoices. An invoice has each level once, for life.
package reminder

import (
	"context"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/email"
)

// Reminder is a stored reminder. Its id is the id of its first mail. A failed mail can be sent again.
type Reminder struct {
	record.Header

	InvoiceID uuid.UUID `json:"invoice_id"`
	Number    string    `json:"number"` // of the invoice
	Level     int       `json:"level"`
	SentOn    date.Date `json:"sent_on"` // the day of the business on which the mail was queued
	Recipient string    `json:"recipient"`
	State     string    `json:"state" enum:"queued,sent,failed"` // of the last mail: see package mailer
}

// Table is the table of reminders.
var Table = record.Table[Reminder]{Name: "invoice_reminders", Fields: `
	'invoice_id', r.invoice_id, 'level', r.level, 'sent_on', r.sent_on,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'recipient', (SELECT m.recipient ` + lastMail + `), 'state', (SELECT m.state ` + lastMail + `)`}

// lastMail is the last mail of the reminder r.
const lastMail = `
		FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
		ORDER BY m.id DESC LIMIT 1`

// Levels is the number of levels.
const Levels = 3

// LevelName returns the name of a level, from 1 to [Levels].
func LevelName(level int) string {
	return [Levels]string{"Payment reminder", "Second reminder", "Final reminder"}[level-1]
}

// Last returns the last reminder in words, "Payment reminder, 12 Nov 2026", with "not sent" if its email wasn't; "" for none.
func Last(last invoice.LastReminder) string {
	if last.Level == 0 {
		return ""
	}
	text := LevelName(last.Level) + ", " + last.SentOn.Display()
	if last.Unsent {
		text += ", not sent"
	}
	return text
}

// Standard returns the standard text of a level below the [invoice.Greeting]. It is true of an invoice of which a part is paid, too. The
// mail has the number, the days and the amounts of the invoice below it.
func Standard(level int) string {
	if level == 1 {
		return "This invoice isn't paid in full yet. Perhaps this was overlooked: please pay the open amount soon. " +
			"If you have already paid, please ignore this email."
	}
	return Message(level)
}

// Message returns the message of a [Draft] without one, whose mail has the [Standard] text. It is a part of the fingerprint, so a level
// always has the same.
func Message(level int) string {
	return [Levels]string{
		"We haven't received your payment of this invoice yet. Perhaps it was overlooked: please pay the open amount soon. " +
			"If you have already paid, please ignore this email.",
		"We reminded you of this invoice, and it is still open. Please pay the open amount within a week. " +
			"If something is wrong with the invoice, please reply to this email.",
		"This invoice is still open after two reminders. This is our final reminder: please pay the open amount at once, or contact us.",
	}[level-1]
}

// Name returns the display name of a reminder: "Payment reminder of 2026-0042".
func Name(r Reminder) string { return LevelName(r.Level) + " of " + r.Number }

// Input is the input as text.
type Input struct {
	Level     string `json:"level" doc:"1, 2 or 3. Each needs the one before it, on an earlier day."`
	Recipient string `json:"recipient,omitzero" format:"email" doc:"Leave it out to send it to the customer."`
	Message   string `json:"message,omitzero" doc:"Leave it out for the email text of the level."`
}

// Draft is the command that sends a reminder.
type Draft struct {
	InvoiceID uuid.UUID     `json:"invoice_id"`
	Level     int           `json:"level"`
	Recipient email.Address `json:"recipient"` // "" for the customer
	Message   string        `json:"message"`
	// Usual replaces Message with the text of the business for the level, or the [Standard] one. The fingerprint has the message.
	Usual bool `json:"-"`
}

// Draft checks the input for an invoice. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(of uuid.UUID) (Draft, error) {
	var problems invalid.Error
	d := Draft{InvoiceID: of, Recipient: email.Typed(in.Recipient)}
	d.Message = problems.Lines("/message", "the message", in.Message, invoice.MaxMessage)
	if d.Recipient != "" {
		if problem := d.Recipient.Problem(); problem != "" {
			problems.Add("/recipient", problem)
		}
	}
	var err error
	if d.Level, err = strconv.Atoi(in.Level); err != nil || d.Level < 1 || d.Level > Levels {
		problems.Add("/level", "Send 1, 2 or 3.")
	} else if d.Message == "" {
		d.Message, d.Usual = Message(d.Level), true
	}
	return d, problems.Err()
}

// ListOf returns a page of the reminders of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Reminder], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// Rules returns the uniqueness rules of reminders.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "reminders_once",
		Sentence:   "One reminder per invoice and level, permanently.",
		Answer:     "The first reminder is kept. Sending it again finds it, and sends nothing.",
	}}
}
