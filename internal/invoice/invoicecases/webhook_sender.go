package invoicecases

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v83/webhook"

	"onlyonce/internal/site/sitetest"
)

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
	if err != nil {
		s.b.Fatal(err)
	}
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
