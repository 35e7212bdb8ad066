package reminder

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// Batch is a stored batch of reminders, with the outcome of each.
type Batch struct {
	record.Header

	Reminders []Outcome `json:"reminders"`
}

// Outcome is the outcome of a reminder of a batch.
type Outcome struct {
	InvoiceID uuid.UUID `json:"invoice_id"`
	Number    string    `json:"number"` // of the invoice
	Level     int       `json:"level"`
	Outcome   string    `json:"outcome" enum:"sent,sent_before,not_issued,not_overdue,not_next,no_address,customer_erased"`
}

// Batches is the table of batches.
var Batches = record.Table[Batch]{Name: "invoice_reminder_batches", Fields: `
	'reminders', (
		SELECT json_agg(json_build_object('invoice_id', o.invoice_id, 'level', o.level, 'outcome', o.outcome, 'number', (
			SELECT i.number FROM invoices i WHERE i.tenant_id = o.tenant_id AND i.id = o.invoice_id)) ORDER BY o.invoice_id)
		FROM invoice_reminder_outcomes o WHERE o.tenant_id = r.tenant_id AND o.batch_id = r.id)`}

// MaxBatch is the maximum number of reminders in a batch.
const MaxBatch = invoice.MaxChosen

// Sent returns the number of reminders that the batch sent.
func (b Batch) Sent() (n int) {
	for _, r := range b.Reminders {
		if r.Outcome == "sent" {
			n++
		}
	}
	return n
}

// BatchName returns the display name of a batch: "12 of 13 reminders".
func BatchName(b Batch) string { return fmt.Sprintf("%d of %d reminders", b.Sent(), len(b.Reminders)) }

// BatchInput is the input as text.
type BatchInput struct {
	Reminders []ChosenInput `json:"reminders" doc:"1 to 100 invoices, each with the level that it is to get."`
}

// ChosenInput is a reminder of a batch as text.
type ChosenInput struct {
	InvoiceID string `json:"invoice_id" format:"uuid"`
	Level     string `json:"level" doc:"1, 2 or 3, as for a single reminder."`
}

// BatchDraft is the command that sends a batch. It is sorted by invoice.
type BatchDraft struct {
	Reminders []Chosen `json:"reminders"`
}

// Chosen is a reminder to send.
type Chosen struct {
	InvoiceID uuid.UUID `json:"invoice_id"`
	Level     int       `json:"level"`
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in BatchInput) Draft() (d BatchDraft, _ error) {
	var problems invalid.Error
	if len(in.Reminders) == 0 || len(in.Reminders) > MaxBatch {
		problems.Add("/reminders", "Choose 1 to 100 invoices.")
		return d, problems.Err()
	}
	for i, typed := range in.Reminders {
		id, err := uuid.Parse(typed.InvoiceID)
		if err != nil {
			problems.Add(fmt.Sprintf("/reminders/%d/invoice_id", i), "Send the ID of an invoice.")
		}
		level, err := strconv.Atoi(typed.Level)
		if err != nil || level < 1 || level > Levels {
			problems.Add(fmt.Sprintf("/reminders/%d/level", i), "Send 1, 2 or 3.")
		}
		d.Reminders = append(d.Reminders, Chosen{id, level})
	}
	slices.SortFunc(d.Reminders, func(a, b Chosen) int { return bytes.Compare(a.InvoiceID[:], b.InvoiceID[:]) })
	for i := range d.Reminders[1:] {
		if d.Reminders[i].InvoiceID == d.Reminders[i+1].InvoiceID {
			problems.Add("/reminders", "Choose each invoice once.")
		}
	}
	return d, problems.Err()
}

// SendBatch sends the reminders of several invoices, with the usual texts, to their customers. It skips reminders
// that are not possible or were sent before.
var SendBatch = idempotency.Define(idempotency.Spec[BatchDraft, Batch]{
	Kind: idempotency.Create, Name: "reminder.send_batch", Table: Batches,
	Statements: func(tx *idempotency.Tx, d BatchDraft) idempotency.Result {
		var ids, invoices []string
		var levels []int
		for _, r := range d.Reminders {
			ids = append(ids, tx.ID(uint64(len(ids)+1)).String())
			invoices, levels = append(invoices, r.InvoiceID.String()), append(levels, r.Level)
		}
		var messages []string
		for i := range Levels {
			messages = append(messages, invoice.Greeting+Standard(i+1))
		}
		tx.Exec(`
			SELECT send_reminders(@tenant_id, @record_id, @ids::uuid[], @invoices::uuid[], @levels::integer[], @messages::text[],
				@operation, @idempotency_key)`, pgx.NamedArgs{"ids": ids, "invoices": invoices, "levels": levels, "messages": messages})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[BatchDraft]{
		"reminders_invoice":         notThere,
		"reminder_outcomes_invoice": notThere, // can't happen: the reminder comes first
	},
})

var notThere = idempotency.Invalid[BatchDraft]("/reminders", "One of these invoices doesn't exist.")

// BatchList returns a page of the batches of a tenant.
func BatchList(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Batch], error) {
	return record.ListBy(ctx, pool, Batches, tenant, page, `true`, nil)
}
