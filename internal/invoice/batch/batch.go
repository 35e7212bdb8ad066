// Package batch issues or sends several invoices. One intent creates the batch, and a [Worker] acts on each invoice afterwards, once.
package batch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// Batch is a stored batch, with the outcome of each invoice so far.
type Batch struct {
	record.Header

	Action   string `json:"action" enum:"issue,send"`
	NoEmail  bool   `json:"no_email" doc:"Whether the invoices are issued only, without an email."`
	EInvoice bool   `json:"e_invoice" doc:"Whether the e-invoice is attached to each email, unless the invoice lacks required data."`
	AskedBy  string `json:"asked_by" doc:"The user or token in whose name the invoices are issued or sent."`
	Invoices []Item `json:"invoices"`
}

// Item is an invoice of a batch.
type Item struct {
	InvoiceID uuid.UUID `json:"invoice_id"`
	Number    string    `json:"number"` // of the invoice
	Outcome   string    `json:"outcome" enum:"waiting,done,unchanged,refused" doc:"Unchanged if it was issued before."`
	Reason    string    `json:"reason" doc:"Why it was refused, in words; otherwise empty."`
	Mailed    bool      `json:"mailed" doc:"Whether an email was queued. Without an address, the customer gets none."`
}

// Table is the table of batches.
var Table = record.Table[Batch]{Name: "invoice_batches", Fields: `
	'action', r.action, 'no_email', r.no_email, 'e_invoice', r.e_invoice, 'asked_by', r.asked_by, 'invoices', (
		SELECT json_agg(json_build_object('invoice_id', b.invoice_id, 'outcome', b.outcome, 'reason', b.reason, 'number', i.number,
			'mailed', b.outcome = 'done' AND NOT r.no_email AND COALESCE(i.bill_to->>'email', '') <> '') ORDER BY b.invoice_id)
		FROM invoice_batch_items b LEFT JOIN LATERAL (
			SELECT number, bill_to FROM invoices WHERE tenant_id = b.tenant_id AND id = b.invoice_id LIMIT 1) AS i ON true
		WHERE b.tenant_id = r.tenant_id AND b.batch_id = r.id)`}

// The actions of batches.
const (
	ActionIssue = "issue"
	ActionSend  = "send"
)

// The outcomes of items.
const (
	Waiting   = "waiting"
	Done      = "done"
	Unchanged = "unchanged"
	Refused   = "refused"
)

// Count returns the number of invoices with an outcome.
func (b Batch) Count(outcome string) (n int) {
	for _, i := range b.Invoices {
		if i.Outcome == outcome {
			n++
		}
	}
	return n
}

// Name returns the display name of a batch: "Issue 12 invoices".
func Name(b Batch) string {
	verb, noun := "Issue", "invoices"
	if b.Action == ActionSend {
		verb = "Send"
	}
	if len(b.Invoices) == 1 {
		noun = "invoice"
	}
	return fmt.Sprintf("%s %d %s", verb, len(b.Invoices), noun)
}

// Input is the input as text.
type Input struct {
	Action   string   `json:"action" enum:"issue,send" doc:"Issue drafts, or send issued invoices to their customers once more."`
	Email    string   `json:"email,omitzero" enum:"customer,none" doc:"As when one invoice is issued. An invoice is sent in any case."`
	EInvoice bool     `json:"e_invoice,omitzero" doc:"Attach the e-invoice to each email as XML, unless the invoice lacks required data."`
	Invoices []string `json:"invoices" doc:"The IDs of 1 to 100 invoices."`
}

// Draft is the command that creates a batch.
type Draft struct {
	Action   string      `json:"action"`
	NoEmail  bool        `json:"no_email,omitzero"`
	EInvoice bool        `json:"e_invoice,omitzero"`
	Invoices []uuid.UUID `json:"invoices"` // sorted
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft() (d Draft, _ error) {
	var problems invalid.Error
	if in.Action != ActionIssue && in.Action != ActionSend {
		problems.Add("/action", "Use issue or send.")
	}
	if in.Email != "" && in.Email != invoice.EmailCustomer && in.Email != invoice.EmailNone {
		problems.Add("/email", "Use customer or none, or leave it out.")
	}
	d.Action, d.NoEmail = in.Action, in.Action == ActionIssue && in.Email == invoice.EmailNone
	d.EInvoice = in.EInvoice && !d.NoEmail
	if len(in.Invoices) == 0 || len(in.Invoices) > invoice.MaxChosen {
		problems.Add("/invoices", "Choose 1 to 100 invoices.")
		return d, problems.Err()
	}
	for i, typed := range in.Invoices {
		id, err := uuid.Parse(typed)
		if err != nil {
			problems.Add(fmt.Sprintf("/invoices/%d", i), "Send the ID of an invoice.")
		}
		d.Invoices = append(d.Invoices, id)
	}
	slices.SortFunc(d.Invoices, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	if len(slices.Compact(slices.Clone(d.Invoices))) < len(d.Invoices) {
		problems.Add("/invoices", "Choose each invoice once.")
	}
	return d, problems.Err()
}
