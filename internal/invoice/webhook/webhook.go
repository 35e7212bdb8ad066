// Package webhook receives events from other programs about payments and refunds. An event is stored once for its source and event id,
// for life, in the transaction that carries it out.
package webhook

import (
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// The schemes of signatures.
const (
	Standard = "standard" // Standard Webhooks
	Stripe   = "stripe"
)

// Schemes returns the schemes, in the order of the form.
func Schemes() []string { return []string{Standard, Stripe} }

// MaxBody is the largest event, in bytes.
const MaxBody = 256 << 10

// KeepBody is the time for which the original body of an event is kept. The event itself is kept for life.
const KeepBody = 30 * 24 * time.Hour

// Source is a sender of events.
type Source struct {
	record.Header

	Name   string `json:"name"`
	Scheme string `json:"scheme"`
	// Provider is the provider of the payments that its events record. Sources may share a provider.
	Provider string `json:"provider"`
	// DisabledAt is the time in UTC since when its events are refused, or zero.
	DisabledAt time.Time `json:"disabled_at,omitzero"`
}

// Sources is the table of sources.
var Sources = record.Table[Source]{
	Name: "webhook_sources", Fields: `'name', r.name, 'scheme', r.scheme, 'provider', r.provider, 'disabled_at', r.disabled_at`,
}

// Secret is a secret of a source, without its value.
type Secret struct {
	record.Header

	Source record.Reference `json:"source"`
	// EndsAt is the time in UTC until which the secret is valid, or zero for the newest one.
	EndsAt time.Time `json:"ends_at,omitzero"`
}

// Called returns the display name of a secret: "of 21 Nov 2026".
func (s Secret) Called() string { return "of " + s.CreatedAt.UTC().Format("2 Jan 2006") }

// Ended reports whether the secret is no longer valid at a time.
func (s Secret) Ended(at time.Time) bool { return !s.EndsAt.IsZero() && !at.Before(s.EndsAt) }

var sourceNames = record.Names{Table: "webhook_sources", Column: "name"}

// Secrets is the table of secrets.
var Secrets = record.Table[Secret]{
	Name: "webhook_secrets", Fields: `'source', ` + sourceNames.JSON("source_id") + `, 'ends_at', NULLIF(r.ends_at, 'infinity')`,
}

// Event is a stored event.
type Event struct {
	record.Header

	Source  record.Reference `json:"source"`
	EventID string           `json:"event_id"` // the source's id
	// First is the event that arrived first with the same EventID, if this one has different content.
	First uuid.UUID `json:"first_id,omitzero"`

	Asked

	State string `json:"state"`
	// Reason is the reason for the state, or "".
	Reason string `json:"reason"`
	// PaymentID and InvoiceID are set after it was applied, and RefundID if that recorded a refund.
	PaymentID uuid.UUID `json:"payment_id,omitzero"`
	RefundID  uuid.UUID `json:"refund_id,omitzero"`
	InvoiceID uuid.UUID `json:"invoice_id,omitzero"`
	// LikePaymentID is the earlier payment that the recorded one looks like.
	LikePaymentID uuid.UUID `json:"like_payment_id,omitzero"`
}

// Asked is the request in an event.
type Asked struct {
	Type string `json:"type"` // the source's type
	// Kind is KindPayment, KindRefund, or "" for any other event.
	Kind      string         `json:"kind"`
	Invoice   string         `json:"invoice"`   // its id or number, or ""
	Reference string         `json:"reference"` // the source's id of the payment
	Amount    int64          `json:"amount"`    // minor units: the paid amount, or the total refunded so far
	Currency  money.Currency `json:"currency,omitzero"`
	Day       date.Date      `json:"day,omitzero"` // of At; zero for an event that isn't stored yet
	// Problem is a sentence about a missing or wrong member, or "".
	Problem string `json:"problem"`
	// At is the time of the payment or refund, or zero if it is unknown. It isn't stored.
	At time.Time `json:"-"`
}

// The supported kinds of events.
const (
	KindPayment = "payment"
	KindRefund  = "refund"
)

// The states of an event.
const (
	StateKept      = "kept"      // not a supported kind
	StateApplied   = "applied"   // done, by this event or before it
	StateWaiting   = "waiting"   // a refund whose payment is not recorded yet
	StateUndecided = "undecided" // does not match: see its Reason
	StateApart     = "apart"     // has the EventID of an earlier event, but different content
	StateDismissed = "dismissed" // dismissed by a user
)

// States returns the states, the ones that need a user's attention first.
func States() []string {
	return []string{StateUndecided, StateApart, StateWaiting, StateApplied, StateKept, StateDismissed}
}

// Events is the table of events.
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

// SecretRules returns the uniqueness rules of secrets.
func SecretRules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "webhook_secrets_once",
		Sentence:   "A webhook secret can be added to a source only once, even after it has ended.",
		Answer:     "Refused, and the existing secret stays as it is.",
		Conflict:   &SecretTaken,
	}}
}

// EventRules returns the uniqueness rules of events.
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
