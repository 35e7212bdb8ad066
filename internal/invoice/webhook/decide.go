package webhook

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Choice is the command that applies an event.
type Choice struct {
	// Invoice is the number or id of the paid invoice, if it is not in the event or differs from it.
	Invoice string `json:"invoice,omitzero"`
}

// Draft checks the input. It returns an [*invalid.Error] if it can't be an invoice.
func (c Choice) Draft() (Choice, error) {
	var problems invalid.Error
	c.Invoice = problems.Line("/invoice", "the invoice", c.Invoice, maxText)
	return c, problems.Err()
}

// Apply carries out an event on a user's request: after the obstacle was removed, for an event that was kept apart, or with the paid
// invoice.
var Apply = idempotency.Define(idempotency.Spec[Choice, Event]{
	Kind: idempotency.Transition, Name: "webhook_event.apply", Table: Events, Made: `r.state = 'applied'`,
	Run: func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, c Choice) (Event, error) {
		args := pgx.NamedArgs{
			"tenant_id": i.Tenant, "record_id": i.Record, "operation": "webhook_event.apply", "idempotency_key": i.Key.String(),
			"chosen": c.Invoice,
		}
		if _, err := tx.Exec(ctx, `SELECT apply_webhook_event(@tenant_id, @record_id, NULLIF(@chosen, ''))`, args); err != nil {
			return Event{}, err
		}
		event, err := record.FindIn(ctx, tx, Events, i.Tenant, i.Record)
		if err != nil {
			return Event{}, err
		}
		if event.State != StateApplied {
			event.Invoice = cmp.Or(c.Invoice, event.Invoice)
			return Event{}, &conflict.Error{
				Kind: &NotApplied, Title: cmp.Or(Sentence(event), "We don't know what to do with this type of event."),
				Text: "Nothing was recorded. " + Advice(event),
			}
		}
		_, err = tx.Exec(ctx, recorded, args)
		return event, err
	},
	Explain: map[string]idempotency.Explanation[Choice]{
		"webhook_events_payment":  idempotency.Missing[Choice],
		"webhook_events_refund":   idempotency.Missing[Choice],
		"payments_reference_once": idempotency.Missing[Choice], // see pay_for_event: the next send finds the payment
		"books_closed":            idempotency.Missing[Choice], // they were closed meanwhile, which the next send finds
		"payment_references_once": idempotency.Missing[Choice], // or the receipt
	},
})

// NotApplied is the conflict of applying an event that does not match the recorded payments and invoices.
var NotApplied = conflict.Kind{
	Slug: "webhook-event-not-applied", Title: "Event cannot be applied",
	Meaning: "The event doesn't match the invoice or the payment that it is about. Nothing was recorded.",
	ToDo:    "Correct the records and apply the event again, or dismiss it.",
}

// Dismiss marks an event as dismissed: it will not be carried out.
var Dismiss = idempotency.Define(idempotency.Spec[struct{}, Event]{
	Kind: idempotency.Transition, Name: "webhook_event.dismiss", Table: Events, Made: `r.state = 'dismissed'`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Require(1, &conflict.Error{
			Kind: &Applied, Title: "This event was already applied.", Text: "What it recorded stays.",
		}, `
			UPDATE webhook_events SET state = 'dismissed' WHERE tenant_id = @tenant_id AND id = @record_id AND state <> 'applied'`, nil)
		return tx.Record()
	},
})

// Applied is the conflict of dismissing an event that was applied.
var Applied = conflict.Kind{
	Slug: "webhook-event-applied", Title: "Event was applied",
	Meaning: "The event was already applied. Nothing was changed.",
	ToDo:    "If the payment was refunded, record a refund.",
}

// Sentence returns the reason for the state of an event, or "" if it needs none.
func Sentence(e Event) string {
	switch e.Reason {
	case "incomplete":
		return e.Problem
	case "no-invoice":
		if e.Invoice == "" {
			return "It doesn't say which invoice was paid."
		}
		return "There is no invoice “" + e.Invoice + "”."
	case "which-invoice":
		return "Several years have an invoice “" + e.Invoice + "”."
	case "other-currency":
		return "The invoice is not in " + e.Currency.String() + "."
	case "not-issued":
		return "The invoice is not issued."
	case "more-than-open":
		return "The payment is larger than what is open on the invoice."
	case "other-payment":
		return "The payment " + e.Reference + " is already recorded, with another amount or on another invoice."
	case "no-payment":
		return "The payment " + e.Reference + " is not recorded yet."
	case "many-waiting":
		return "Too many refunds wait for the payment " + e.Reference + ", which is not recorded yet."
	case "other-invoice":
		return "The payment " + e.Reference + " is of another invoice than “" + e.Invoice + "”."
	case "more-than-paid":
		return "More was refunded than the payment " + e.Reference + " was."
	case "of-receipt":
		return "The payment " + e.Reference + " is a receipt, which can pay several invoices."
	case "became-credit":
		return "With a credit note, the payment " + e.Reference + " became credit of the customer."
	case "removed-payment":
		return "The payment " + e.Reference + " was removed."
	case "removed-refund":
		return "A refund of the payment " + e.Reference + " was removed, so we don't know how much of this one is new."
	case "books-closed":
		return "The books are closed for " + e.Day.Display() + "."
	case "recorded-before":
		return "It was recorded before this event."
	default:
		return ""
	}
}

// Payable reports whether a user has to choose the paid invoice for an event.
func Payable(e Event) bool {
	return e.State == StateUndecided && e.Kind == KindPayment && slices.Contains([]string{
		"no-invoice", "which-invoice", "other-currency", "not-issued", "more-than-open",
	}, e.Reason)
}

// Advice returns a user's options for an event that was not applied, in a sentence.
func Advice(e Event) string {
	if e.Reason == "books-closed" {
		return "Reopen the books and apply the event, or dismiss it and record it by hand with a later date."
	}
	if e.Reason == "became-credit" {
		return "Record a repayment of the credit and dismiss the event."
	}
	if e.Reason == "of-receipt" {
		return "Refund a payment of the receipt, or record a repayment, and dismiss the event."
	}
	if e.Reason == "more-than-open" && Payable(e) {
		return "Choose the invoice that was paid, or dismiss the event. If the rest was written off, take the write-off back first."
	}
	if Payable(e) {
		return "Choose the invoice that was paid, or dismiss the event."
	}
	return "Correct that and apply the event, or dismiss it."
}

// List returns a page of the events of a tenant in a state, or in any state for "", newest first.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, state string, page record.Page) (record.List[Event], error) {
	if state == "" {
		return record.ListBy(ctx, pool, Events, tenant, page, `true`, nil)
	}
	return record.ListBy(ctx, pool, Events, tenant, page, `r.state = @state`, pgx.NamedArgs{"state": state})
}

// SecretsOf returns a page of the secrets of a source, newest first.
func SecretsOf(ctx context.Context, pool *pgxpool.Pool, tenant, source uuid.UUID, page record.Page) (record.List[Secret], error) {
	return record.ListBy(ctx, pool, Secrets, tenant, page, `r.source_id = @source_id`, pgx.NamedArgs{"source_id": source})
}

// Body returns the original body of an event, or nil after it was deleted.
func Body(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) ([]byte, error) {
	body, err := record.One(ctx, pool, tenant, pgx.RowTo[[]byte],
		`SELECT body FROM webhook_bodies WHERE tenant_id = @tenant_id AND event_id = @id`, pgx.NamedArgs{"id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return body, err
}
