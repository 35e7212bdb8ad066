package invoicecases

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/date"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v83/webhook"
)

// HookSecret is a secret that both schemes accept.
const HookSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

// WebhookSources declares the sources of events.
func WebhookSources() sitetest.Resource {
	command := url.Values{"name": {"Stripe"}, "scheme": {"standard"}, "provider": {""}, "secret": {HookSecret}}
	return sitetest.Resource{
		Name: "webhook source", Path: "/webhooks", People: true, Words: sitetest.Words{Verb: "add", Past: "added"}, Command: command,
		Label:  "Stripe",
		Leaves: sitetest.Rows{"webhook_sources": 1, "webhook_secrets": 1, "intents": 1},
		Other:  sitetest.Change(command, "name", "Bank", "scheme", "stripe"),
		Fields: []sitetest.Field{
			{Name: "name", Valid: "Processor", Invalid: "a\u202eb", Pointer: "/name"},
			{Name: "scheme", Valid: "stripe", Invalid: "pigeons", Pointer: "/scheme"},
			{Name: "provider", Valid: "Processor", Invalid: "a\u202eb", Pointer: "/provider"},
			{Name: "secret", Valid: HookSecret[:37] + "0", Invalid: "short", Pointer: "/secret"},
		},
		Uniques: []sitetest.Unique{{Field: "name", Value: "taken", Free: "free", Slug: "webhook-source-taken"}},
		Transitions: []sitetest.Transition{
			{Verb: "disable", Past: "disabled", Undo: "enable"},
			{Verb: "enable", Past: "enabled", From: []string{"disable"}, Undo: "disable"},
		},
	}
}

// WebhookSecrets are further secrets of a source.
func WebhookSecrets() sitetest.Resource {
	secret := func(last string) string { return HookSecret[:37] + last }
	return sitetest.Resource{
		Name: "webhook secret", Path: "/webhook-secrets", Parent: &sitetest.Parent{Resource: WebhookSources(), Unlike: "name",
			OwnPage: true},
		People: true,
		Words: sitetest.Words{
			Verb: "add",
			Past: "added",
		}, Command: url.Values{"secret": {secret("1")}}, Label: "of " + date.Today().Display(),
		Leaves:      sitetest.Rows{"webhook_secrets": 1, "intents": 1},
		Other:       url.Values{"secret": {secret("2")}},
		Fields:      []sitetest.Field{{Name: "secret", Valid: secret("3"), Invalid: "short", Pointer: "/secret"}},
		Uniques:     []sitetest.Unique{{Field: "secret", Value: secret("4"), Free: secret("5"), Slug: "webhook-secret-taken"}},
		Transitions: []sitetest.Transition{{Verb: "end", Past: "ended"}},
	}
}

// WebhookEvents arrive at a source of the tenant, each for an invoice that is issued only afterwards.
func WebhookEvents() sitetest.Resource {
	return sitetest.Resource{
		Name: "webhook event", Path: "/webhook-events", People: true, Words: sitetest.Words{Verb: "receive", Past: "received"},
		Command: url.Values{"event": {"evt_1"}}, Label: "evt_1", Other: url.Values{"event": {"evt_2"}},
		Arrives: func(b *sitetest.Bundle, of sitetest.Tenant, key string, command url.Values) sitetest.Answer {
			b.Helper()
			s, program := SenderOf(b, of, "standard"), b.Program(b.Replica, of)
			number := "E " + command.Get("event")
			program.Create(Invoices(), "of "+key, sitetest.Change(Invoices().Command, "number", number))
			a := s.Deliver(b.Replica, command.Get("event"), PaidBy(number, command.Get("event"), "1.00"))
			program.With("Idempotency-Key", "issue").Post(
				"/api/v1/invoices/"+sitetest.Get[string](b, `
					SELECT id::text FROM invoices WHERE tenant_id = $1 AND number = $2`, of.ID, number)+"/issue", "")
			if a.Status != http.StatusOK {
				return a
			}
			a.Status = http.StatusCreated
			id := sitetest.Decode[sitetest.Created](b, a).ID
			a.Body = sitetest.Encode(
				sitetest.Created{ID: id, Version: sitetest.Get[int](b, `SELECT version FROM webhook_events WHERE id = $1`, id)},
			)
			return a
		},
		Transitions: []sitetest.Transition{
			{
				Verb: "apply", Past: "applied",
				Leaves: sitetest.Rows{"payments": 1, "payment_references": 1, "postings": 1, "intent_effects": 1},
			},
			{Verb: "dismiss", Past: "dismissed"},
		},
	}
}

// Sender delivers events like a provider.
type Sender struct {
	b       *sitetest.Bundle
	Scheme  string
	Address string
}

// SenderOf returns the source of a tenant with a scheme, and creates it if it is missing.
func SenderOf(b *sitetest.Bundle, of sitetest.Tenant, scheme string) Sender {
	b.Helper()
	name := "Sender " + scheme
	b.Prepared(of, "sender "+scheme, WebhookSources(), url.Values{"name": {name}, "scheme": {scheme}, "secret": {HookSecret}})
	page := b.Page(b.Person(b.Replica, of).Get("/webhooks/" + sitetest.Get[string](b,
		`SELECT id::text FROM webhook_sources WHERE tenant_id = $1 AND name = $2`, of.ID, name)))
	_, address, _ := strings.Cut(page.Text(), "/hooks/")
	return Sender{b, scheme, "/hooks/" + strings.Fields(address)[0]}
}

// Deliver sends an event, signed now.
func (s Sender) Deliver(at *sitetest.Replica, id, body string) sitetest.Answer {
	s.b.Helper()
	return s.DeliverAt(at, id, body, time.Now())
}

// DeliverAt sends an event, signed at a time.
func (s Sender) DeliverAt(to *sitetest.Replica, id, body string, at time.Time) sitetest.Answer {
	s.b.Helper()
	a, err := s.Post(to, id, body, at)
	must.OK(s.b, err)
	return a
}

// Post is deliverAt for concurrent use.
func (s Sender) Post(to *sitetest.Replica, id, body string, at time.Time) (sitetest.Answer, error) {
	c := s.b.Stranger(to).With("Content-Type", "application/json")
	if s.Scheme == "stripe" {
		signed := stripe.GenerateTestSignedPayload(&stripe.UnsignedPayload{Payload: []byte(body), Secret: HookSecret, Timestamp: at})
		return c.With("Stripe-Signature", signed.Header).Send(s.b.Context(), http.MethodPost, s.Address, body)
	}
	signer, err := standardwebhooks.NewWebhook(HookSecret)
	if err != nil {
		return sitetest.Answer{}, err
	}
	signature, err := signer.Sign(id, at, []byte(body))
	if err != nil {
		return sitetest.Answer{}, err
	}
	return c.With("Webhook-Id", id).With("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10)).
		With("Webhook-Signature", signature).Send(s.b.Context(), http.MethodPost, s.Address, body)
}

// PaidBy returns the event of a payment.
func PaidBy(invoice, payment, amount string) string {
	return fmt.Sprintf(`{"type": "payment.received", "timestamp": "2026-11-23T10:00:00Z",
		"data": {"invoice": %q, "payment": %q, "amount": %q, "currency": "EUR"}}`, invoice, payment, amount)
}
