// Package mail sends invoices by email. A mail is queued in the transaction that asks for it, and sent afterwards by
// a worker of package mailer.
package mail

import (
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/email"
)

// Mail is a mail as it is stored: one wish that an invoice is sent, and what became of it.
type Mail struct {
	record.Header

	InvoiceID uuid.UUID `json:"invoice_id"`
	Number    string    `json:"number"` // of the invoice
	Recipient string    `json:"recipient"`
	Kind      string    `json:"kind" enum:"invoice,void"` // what it is about: the invoice, or that it is void
	Subject   string    `json:"subject"`
	Message   string    `json:"message"`                         // of the person who sends it, below the lines of the invoice; "" for none
	State     string    `json:"state" enum:"queued,sent,failed"` // see package mailer
	Attempts  int       `json:"attempts"`
	// Reason is why the last attempt failed, or why it is sent to nobody, in plain words; "" if neither is so.
	Reason    string    `json:"reason"`
	MessageID string    `json:"message_id"` // without angle brackets; "" before the first attempt
	Text      string    `json:"text"`       // what was sent; "" until then
	Kept      bool      `json:"kept"`       // in the outbox, and sent to nobody: see Reason
	SentAt    time.Time `json:"sent_at,omitzero"`
}

// KindVoid is the kind of a mail that says that an invoice is void.
const KindVoid = "void"

// Table has the mails.
var Table = record.Table[Mail]{Name: "mails", Fields: `
	'invoice_id', r.invoice_id, 'recipient', r.recipient, 'kind', r.kind, 'message', r.message, 'subject', r.subject, 'state', r.state,
	'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body, 'kept', r.kept,
	'sent_at', r.sent_at,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)`}

// Input is what came in, as text.
type Input struct {
	Recipient string `json:"recipient,omitzero" format:"email" doc:"Leave it out to send it to the customer."`
}

// Draft is a valid input: the command that queues a mail.
type Draft struct {
	InvoiceID uuid.UUID     `json:"invoice_id"`
	Recipient email.Address `json:"recipient"` // "" for that of the customer
}

// Draft checks the input for an invoice. It returns an [*invalid.Error] that lists what is wrong.
func (in Input) Draft(invoice uuid.UUID) (Draft, error) {
	var problems invalid.Error
	d := Draft{InvoiceID: invoice, Recipient: email.Typed(in.Recipient)}
	if d.Recipient != "" {
		if problem := d.Recipient.Problem(); problem != "" {
			problems.Add("/recipient", problem)
		}
	}
	return d, problems.Err()
}

// Name is what people call a mail: "2026-0042 to ada@example.com".
func Name(m Mail) string { return m.Number + " to " + m.Recipient }
