// Package webhook takes events that other programs send: a payment arrived, or was given back. An event is kept once for each
// source and event id, for life, in the transaction that does what it asks for.
package webhook

import (
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// The schemes by which senders sign.
const (
	Standard = "standard" // Standard Webhooks
	Stripe   = "stripe"
)

// Schemes lists them, in the order of the form.
func Schemes() []string { return []string{Standard, Stripe} }

// MaxBody is the largest event, in bytes.
const MaxBody = 256 << 10

// KeepBody is how long the content of an event is kept as it came. The event itself is kept for life.
const KeepBody = 30 * 24 * time.Hour

// Source is a sender of events.
type Source struct {
	record.Header

	Name   string `json:"name"`
	Scheme string `json:"scheme"`
	// Provider is that of the payments that its events record. Several sources may have one.
	Provider string `json:"provider"`
	// DisabledAt is since when its events are refused, in UTC; zero for one whose events are taken.
	DisabledAt time.Time `json:"disabled_at,omitzero"`
}

// Sources has the sources.
var Sources = record.Table[Source]{
	Name: "webhook_sources", Fields: `'name', r.name, 'scheme', r.scheme, 'provider', r.provider, 'disabled_at', r.disabled_at`,
}

// Secret is a secret of a source, as owners see it: without itself.
type Secret struct {
	record.Header

	Source record.Reference `json:"source"`
	// EndsAt is until when it is valid, in UTC; zero for the newest one, which has no end.
	EndsAt time.Time `json:"ends_at,omitzero"`
}

// Called is what people call a secret, which has no name: "of 21 Nov 2026".
func (s Secret) Called() string { return "of " + s.CreatedAt.UTC().Format("2 Jan 2006") }

// Ended reports whether the secret is not valid any more at a moment.
func (s Secret) Ended(at time.Time) bool { return !s.EndsAt.IsZero() && !at.Before(s.EndsAt) }

var sourceNames = record.Names{Table: "webhook_sources", Column: "name"}

// Secrets has the secrets.
var Secrets = record.Table[Secret]{
	Name: "webhook_secrets", Fields: `'source', ` + sourceNames.JSON("source_id") + `, 'ends_at', NULLIF(r.ends_at, 'infinity')`,
}

// Event is an event as it is kept.
type Event struct {
	record.Header

	Source  record.Reference `json:"source"`
	EventID string           `json:"event_id"` // as the source calls it
	// First is the event that came first with the same EventID, if this one has another content.
	First uuid.UUID `json:"first_id,omitzero"`

	Asked

	State string `json:"state"`
	// Reason is why it has the state, as one of the reasons; "" if that needs none.
	Reason string `json:"reason"`
	// PaymentID and InvoiceID are set once it was applied. RefundID is too, if that recorded a refund.
	PaymentID uuid.UUID `json:"payment_id,omitzero"`
	RefundID  uuid.UUID `json:"refund_id,omitzero"`
	InvoiceID uuid.UUID `json:"invoice_id,omitzero"`
	// LikePaymentID is the earlier payment that the recorded one looks like a repeat of.
	LikePaymentID uuid.UUID `json:"like_payment_id,omitzero"`
}

// Asked is what an event asks for.
type Asked struct {
	Type string `json:"type"` // as the source calls it
	// Kind is KindPayment, KindRefund, or "" for nothing that we know.
	Kind      string         `json:"kind"`
	Invoice   string         `json:"invoice"`   // its id or number; "" if it names none
	Reference string         `json:"reference"` // what the source calls the payment
	Amount    int64          `json:"amount"`    // minor units: of the payment, or how much of it was given back up to now
	Currency  money.Currency `json:"currency,omitzero"`
	Day       date.Date      `json:"day,omitzero"` // UTC
	// Problem is a sentence about what is missing or wrong, "" if nothing is.
	Problem string `json:"problem"`
}

// The kinds of events that are understood.
const (
	KindPayment = "payment"
	KindRefund  = "refund"
)

// The states of an event.
const (
	StateKept      = "kept"      // asks for nothing that we know
	StateApplied   = "applied"   // done, by this event or before it
	StateWaiting   = "waiting"   // a refund whose payment is not recorded yet
	StateUndecided = "undecided" // does not fit, see its Reason
	StateApart     = "apart"     // has the EventID of another one, and another content
	StateDismissed = "dismissed" // somebody has decided that nothing is done
)

// States lists them, those first that a person has to look at.
func States() []string {
	return []string{StateUndecided, StateApart, StateWaiting, StateApplied, StateKept, StateDismissed}
}

// Events has the events.
var Events = record.Table[Event]{Name: "webhook_events", Fields: `
	'source', ` + sourceNames.JSON("source_id") + `, 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
	'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
	'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
	'payment_id', r.payment_id, 'refund_id', r.refund_id,
	'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
	'like_payment_id', r.possible_duplicate_of`}

// Rules returns the uniqueness rules of sources.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "webhook_sources_name_once",
		Sentence:   "One webhook source per name in each tenant, ignoring case, width and accents.",
		Answer:     "Refused, and the existing source is kept.",
		Conflict:   &NameTaken,
	}}
}

// SecretRules are those of their secrets.
func SecretRules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "webhook_secrets_once",
		Sentence:   "A webhook secret can be added to a source only once, even after it has ended.",
		Answer:     "Refused, and the existing secret stays as it is.",
		Conflict:   &SecretTaken,
	}}
}

// EventRules are those of events.
func EventRules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "webhook_events_once",
			Sentence:   "One event per webhook source and event ID, permanently.",
			Answer:     "The first is kept and carried out once. The sender gets a success response.",
			Optional:   true,
		},
		{
			Constraint: "webhook_events_apart_once",
			Sentence:   "One event per different content with the same event ID.",
			Answer:     "Stored once beside the first event. Nothing is done until a person decides.",
			Optional:   true,
		},
	}
}
