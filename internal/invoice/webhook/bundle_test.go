package webhook_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v83/webhook"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a database with a source for each scheme.
type bundle struct {
	*invoicetest.Bundle

	vault            webhook.Vault
	standard, stripe sender
}

// sender signs like a source, with the reference libraries.
type sender struct {
	webhook.Source

	secret string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	key, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	must.OK(t, err)
	b := &bundle{Bundle: invoicetest.Setup(t), vault: webhook.NewVault(key)}
	b.standard = b.source("Bank", webhook.Standard, secretOf("first"))
	b.stripe = b.source("Stripe", webhook.Stripe, "whsec_0123456789abcdefghijklmnop")
	return b
}

// secretOf returns a secret in the form of Standard Webhooks.
func secretOf(text string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(text, 6)))[:32]
}

func (b *bundle) source(name, scheme, secret string) sender {
	b.Helper()
	return b.sourceOf(name, "", scheme, secret)
}

// sourceOf creates a source with a provider.
func (b *bundle) sourceOf(name, provider, scheme, secret string) sender {
	b.Helper()
	draft, err := webhook.Input{Name: name, Scheme: scheme, Provider: provider, Secret: secret}.Draft(b.vault)
	must.OK(b, err)
	done, err := webhook.Create.Do(b.Context(), b.Store, b.Intent("source "+name), draft)
	must.OK(b, err)
	return sender{done.Value, secret}
}

// sign returns the headers of a delivery.
func (s sender) sign(t *testing.T, id string, at time.Time, body string) http.Header {
	t.Helper()
	header := http.Header{}
	if s.Scheme == webhook.Stripe {
		signed := stripe.GenerateTestSignedPayload(&stripe.UnsignedPayload{Payload: []byte(body), Secret: s.secret, Timestamp: at})
		header.Set("Stripe-Signature", signed.Header)
		return header
	}
	signer, err := standardwebhooks.NewWebhook(s.secret)
	must.OK(t, err)
	signature, err := signer.Sign(id, at, []byte(body))
	must.OK(t, err)
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return header
}

// verified returns the event of a delivery as the server verifies it.
func (b *bundle) verified(s sender, header http.Header, body string) (webhook.Arrival, error) {
	b.Helper()
	found, err := webhook.FindSender(b.Context(), b.Store.Pool, b.vault, s.Address(b.Tenant))
	if err != nil {
		return webhook.Arrival{}, err
	}
	return found.Verify(header, []byte(body))
}

// deliver sends an event to a replica.
func (b *bundle) deliver(store *idempotency.Store, s sender, id, body string) (idempotency.Done[webhook.Event], error) {
	b.Helper()
	arrival, err := b.verified(s, s.sign(b.T, id, time.Now(), body), body)
	if err != nil {
		return idempotency.Done[webhook.Event]{}, err
	}
	return b.receive(store, arrival)
}

func (b *bundle) receive(store *idempotency.Store, a webhook.Arrival) (idempotency.Done[webhook.Event], error) {
	b.Helper()
	key, err := a.Key()
	must.OK(b, err)
	return webhook.Receive.Do(context.Background(), store, idempotency.Intent{Tenant: b.Tenant, Key: key, Actor: "webhook"}, a)
}

// kept is deliver, but ends the test if the event is not kept.
func (b *bundle) kept(s sender, id, body string) webhook.Event {
	b.Helper()
	done, err := b.deliver(b.Store, s, id, body)
	must.OK(b, err)
	return done.Value
}

// wants reports an error unless an event has the state and the reason.
func (b *bundle) wants(what string, e webhook.Event, state, reason string) {
	b.Helper()
	assert.Thatf(b, e.State == state && e.Reason == reason, "%s: %s (%s), want %s (%s)", what, e.State, e.Reason, state, reason)
}

// enter records a payment with a reference, as a user does.
func (b *bundle) enter(provider, reference, amount string, inv invoice.Invoice) {
	b.Helper()
	draft, err := payment.Input{
		Amount: amount, Date: "2026-11-20", Method: "card", Provider: provider, Reference: reference,
	}.Draft(inv.ID, inv.Currency)
	must.OK(b, err)
	b.OK(payment.Create.Do(b.Context(), b.Store, b.Intent(provider+reference+amount), draft))
}

// standing reports an error unless an invoice has the paid amount, and all invoices have the numbers of payments and refunds.
func (b *bundle) standing(what string, inv invoice.Invoice, paid int64, payments, refunds int) {
	b.Helper()
	if found := b.Find(inv); found.Paid != paid || b.counted() != [2]int{payments, refunds} {
		b.Errorf("%s: paid %d, %d payments and refunds, want %d, %d and %d", what, found.Paid, b.counted(), paid, payments, refunds)
	}
}

// counted returns the numbers of payments and refunds.
func (b *bundle) counted() [2]int {
	b.Helper()
	return [2]int{
		storetest.Value[int](b, `SELECT count(*) FROM payments`),
		storetest.Value[int](b, `SELECT count(*) FROM refunds`),
	}
}

func received(invoice, payment, amount string) string {
	return fmt.Sprintf(`{"type": "payment.received", "timestamp": "2026-11-23T10:00:00Z",
		"data": {"invoice": %q, "payment": %q, "amount": %q, "currency": "EUR"}}`, invoice, payment, amount)
}

func refunded(invoice, payment, total string) string {
	return fmt.Sprintf(`{"type": "payment.refunded", "timestamp": "2026-11-23T11:00:00Z",
		"data": {"invoice": %q, "payment": %q, "refunded": %q, "currency": "EUR"}}`, invoice, payment, total)
}

func succeeded(id, invoice string, amount int) string {
	return fmt.Sprintf(`{"id": %q, "object": "event", "type": "payment_intent.succeeded", "created": 1795428000, "pending_webhooks": 1,
		"data": {"object": {"id": "pi_1", "object": "payment_intent", "amount_received": %d, "currency": "eur",
		"metadata": {"invoice": %q}}}}`, id, amount, invoice)
}

func chargeRefunded(id, invoice string, total int) string {
	return fmt.Sprintf(`{"id": %q, "object": "event", "type": "charge.refunded", "created": 1795431600,
		"data": {"object": {"id": "ch_1", "object": "charge", "payment_intent": "pi_1", "amount_refunded": %d, "currency": "eur",
		"metadata": {"invoice": %q}}}}`, id, total, invoice)
}
