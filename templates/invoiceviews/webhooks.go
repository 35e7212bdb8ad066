package invoiceviews

import "onlyonce/templates"

// WebhookSource is a source of events as its page shows it.
type WebhookSource struct {
	templates.RecordView

	URL     string // where it sends its events
	Locked  bool   // no secret that is valid can be opened
	Secrets []WebhookSecret
	AddHref string // where a secret is added
}

// WebhookSecret is one secret of a source, without itself.
type WebhookSecret struct {
	Added string
	State string
	End   templates.Action // empty for one that has ended
}

// WebhookSecretForm is the form that adds a secret to a source.
type WebhookSecretForm struct {
	templates.Form

	Source string
	Href   string // of the source
	Hint   string // what the sender shows
}

// WebhookInvoice is an invoice that a payment may be of.
type WebhookInvoice struct {
	Number, Href, Customer, Due string
	Apply                       templates.Action
}

// WebhookEvent is an event as its page shows it.
type WebhookEvent struct {
	templates.RecordView

	Reason string // why it has its state, in a sentence; "" if that needs none
	Advice string // what a person can do, "" for nothing
	// Amount was paid for one of the Invoices, each of which has as much open, or for the one that Other takes; "" where that is known.
	Amount   string
	Invoices []WebhookInvoice
	Other    templates.Action

	Body string // as it came; "" once that was deleted
	Kept string // for how long bodies are
}
