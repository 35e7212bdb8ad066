package invoiceviews

import "onlyonce/templates"

// WebhookSource is a source of events on its page.
type WebhookSource struct {
	templates.RecordView

	URL     string // the URL for its events
	Locked  bool   // none of its valid secrets can be decrypted
	Secrets []WebhookSecret
	AddHref string // the form that adds a secret
}

// WebhookSecret describes a secret of a source, without its value.
type WebhookSecret struct {
	Added string
	State string
	End   templates.Action // empty if it has ended
}

// WebhookSecretForm is the form that adds a secret to a source.
type WebhookSecretForm struct {
	templates.Form

	Source string
	Href   string // the source's page
	Hint   string // the hint of the field for the secret
}

// WebhookInvoice is an invoice that a payment may be for.
type WebhookInvoice struct {
	Number, Href, Customer, Due string
	Apply                       templates.Action
}

// InvoiceField is the name of the field with the invoice that a payment belongs to.
const InvoiceField = "invoice"

// WebhookEvent is an event on its page.
type WebhookEvent struct {
	templates.RecordView

	Reason string // the reason for its status, in a sentence; "" if none is needed
	Advice string // the next step for a person; "" for none
	// Amount was paid for one of the Invoices, each with this open amount, or for the invoice whose number is entered in Other; "" if
	// the invoice is known.
	Amount   string
	Invoices []WebhookInvoice
	Other    templates.Action

	Body string // the content as it came; "" after it was deleted
	Kept string // the time for which contents are kept
}
