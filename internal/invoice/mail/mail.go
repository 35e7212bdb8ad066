// Package mail sends invoices by email. A mail is queued in a transaction, and sent afterwards by a worker of package mailer.
package mail

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/record"
	"onlyonce/internal/value/email"
)

// Mail is a stored mail about an invoice, with its state.
type Mail struct {
	record.Header

	InvoiceID    uuid.UUID `json:"invoice_id"`
	CreditNoteID uuid.UUID `json:"credit_note_id,omitzero"` // of a mail that sends a credit note or its reversal
	Number       string    `json:"number"`                  // of the invoice
	Recipient    string    `json:"recipient"`
	// Copies are further email addresses with ", " between them: those of the customer, if the mail goes to the customer.
	Copies string `json:"copies"`
	// Kind distinguishes mails about the issued invoice, mails about the void one, credit notes, their reversals, and reminders by
	// their level.
	Kind    string `json:"kind" enum:"invoice,void,reminder_1,reminder_2,reminder_3,credit_note,reversal"`
	Subject string `json:"subject"`
	// Introduction is the text above the lines of the invoice; "" for the standard one, and for a reminder, which has a message.
	Introduction string `json:"introduction"`
	Greeted      bool   `json:"greeted" doc:"Whether the introduction, or the reminder's message, has the greeting. Else it gets one."`
	EInvoice     bool   `json:"e_invoice" doc:"Whether the e-invoice is attached, unless the invoice lacks required data."`
	Message      string `json:"message"`                         // the sender's text below the lines of the invoice; "" for none
	State        string `json:"state" enum:"queued,sent,failed"` // see package mailer
	Attempts     int    `json:"attempts"`
	// Reason is the reason why the last attempt failed, or why the mail is kept, in plain words; otherwise "".
	Reason    string    `json:"reason"`
	MessageID string    `json:"message_id"` // without angle brackets; "" before the first attempt
	Text      string    `json:"text"`       // the text that was sent; "" until then
	Kept      bool      `json:"kept"`       // only in the outbox and not sent: see Reason
	SentAt    time.Time `json:"sent_at,omitzero"`
}

// Kinds of mails.
const (
	KindInvoice    = "invoice"
	KindVoid       = "void"
	KindCreditNote = "credit_note"
	KindReversal   = "reversal"  // of a credit note
	reminderKind   = "reminder_" // with the level behind it
)

// Level returns the level of a reminder, from 1, or 0 for another mail.
func (m Mail) Level() int {
	level, _ := strconv.Atoi(strings.TrimPrefix(m.Kind, reminderKind))
	return level
}

// Table is the table of mails.
var Table = record.Table[Mail]{Name: "mails", Fields: `
	'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
	'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
	'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
	'kept', r.kept, 'sent_at', r.sent_at,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)`}

// Input is the input as text.
type Input struct {
	Recipient    string `json:"recipient,omitzero" format:"email" doc:"Leave it out to send it to the customer."`
	Subject      string `json:"subject,omitzero" doc:"Leave it out for the one of the email texts."`
	Introduction string `json:"introduction,omitzero" doc:"Greeting and text above the lines. Leave it out for the email texts' one."`
	Failed       string `json:"failed_id,omitzero" format:"uuid" doc:"A failed email to send again, such as a reminder or a credit note."`
	CreditNote   string `json:"credit_note_id,omitzero" format:"uuid" doc:"A credit note or reversal of the invoice to send instead."`
	EInvoice     bool   `json:"e_invoice,omitzero" doc:"Attach the e-invoice as XML, unless the invoice lacks required data."`
}

// Draft is the command that queues a mail.
type Draft struct {
	InvoiceID    uuid.UUID     `json:"invoice_id"`
	Recipient    email.Address `json:"recipient"`             // "" for the customer
	Subject      string        `json:"subject,omitzero"`      // "" for the one of the wording
	Introduction string        `json:"introduction,omitzero"` // "" for the one of the wording
	// Failed is the failed mail to send again, with its subject and text unless others are given; zero for a mail about the invoice.
	Failed     uuid.UUID `json:"failed_id,omitzero"`
	CreditNote uuid.UUID `json:"credit_note_id,omitzero"` // sent instead of the invoice, with the e-invoice as in the last mail about one
	EInvoice   bool      `json:"e_invoice,omitzero"`
}

// Draft checks the input for an invoice. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(invoice uuid.UUID) (Draft, error) {
	var problems invalid.Error
	d := Draft{InvoiceID: invoice, Recipient: email.Typed(in.Recipient), EInvoice: in.EInvoice}
	var err error
	if in.Failed != "" {
		if d.Failed, err = uuid.Parse(in.Failed); err != nil {
			problems.Add("/failed_id", "Send the ID of an email.")
		}
	}
	if in.CreditNote != "" {
		if d.CreditNote, err = uuid.Parse(in.CreditNote); err != nil || in.Failed != "" {
			problems.Add("/credit_note_id", "Send the ID of a credit note, without failed_id.")
		}
	}
	d.Subject = problems.Line("/subject", "the subject", in.Subject, maxFilledSubject)
	d.Introduction = problems.Lines("/introduction", "the text", in.Introduction, maxFilledText)
	if d.Recipient != "" {
		if problem := d.Recipient.Problem(); problem != "" {
			problems.Add("/recipient", problem)
		}
	}
	return d, problems.Err()
}

// Name returns the display name of a mail: "2026-0042 to ada@example.com".
func Name(m Mail) string { return m.Number + " to " + m.Recipient }

// Opening returns the text above the amounts with its greeting, as the mail about an invoice was queued; "" for the standard one.
func (m Mail) Opening(inv invoice.Invoice) string {
	text := m.Introduction
	if m.Level() > 0 {
		text = m.Message
	}
	if text != "" && !m.Greeted {
		return Fill(invoice.Greeting, inv, credit.Note{}) + text
	}
	return text
}
