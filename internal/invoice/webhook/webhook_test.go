package webhook_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v83/webhook"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a database with a source of each scheme.
type bundle struct {
	*invoicetest.Bundle

	vault            webhook.Vault
	standard, stripe sender
}

// sender signs as a source does, with the reference libraries.
type sender struct {
	webhook.Source

	secret string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	key, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{Bundle: invoicetest.Setup(t), vault: webhook.NewVault(key)}
	b.standard = b.source("Bank", webhook.Standard, secretOf("first"))
	b.stripe = b.source("Stripe", webhook.Stripe, "whsec_0123456789abcdefghijklmnop")
	return b
}

// secretOf is a secret of Standard Webhooks.
func secretOf(text string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(text, 6)))[:32]
}

func (b *bundle) source(name, scheme, secret string) sender {
	b.Helper()
	draft, err := webhook.Input{Name: name, Scheme: scheme, Secret: secret}.Draft(b.vault)
	if err != nil {
		b.Fatal(err)
	}
	done, err := webhook.Create.Do(b.Context(), b.Store, b.Intent("source "+name), draft)
	if err != nil {
		b.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return header
}

// verified is the event of a delivery, as a server would see it.
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
	if err != nil {
		b.Fatal(err)
	}
	return webhook.Receive.Do(context.Background(), store, idempotency.Intent{Tenant: b.Tenant, Key: key, Actor: "webhook"}, a)
}

// kept is deliver for what has to be kept.
func (b *bundle) kept(s sender, id, body string) webhook.Event {
	b.Helper()
	done, err := b.deliver(b.Store, s, id, body)
	if err != nil {
		b.Fatal(err)
	}
	return done.Value
}

// now is an event as it is now.
func (b *bundle) now(e webhook.Event) webhook.Event {
	b.Helper()
	found, err := webhook.Events.Find(b.Context(), b.Store.Pool, b.Tenant, e.ID)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// wants fails unless an event has this state, for this reason.
func (b *bundle) wants(what string, e webhook.Event, state, reason string) {
	b.Helper()
	if e.State != state || e.Reason != reason {
		b.Errorf("%s: %s (%s), want %s (%s)", what, e.State, e.Reason, state, reason)
	}
}

// standing fails unless an invoice has so much paid, in so many payments and refunds of all invoices.
func (b *bundle) standing(what string, inv invoice.Invoice, paid int64, payments, refunds int) {
	b.Helper()
	if found := b.Find(inv); found.Paid != paid || b.counted() != [2]int{payments, refunds} {
		b.Errorf("%s: paid %d, %d payments and refunds, want %d, %d and %d", what, found.Paid, b.counted(), paid, payments, refunds)
	}
}

// counted are how many payments and refunds there are.
func (b *bundle) counted() [2]int {
	b.Helper()
	return [2]int{
		invoicetest.Value[int](b.Bundle, `SELECT count(*) FROM payments`),
		invoicetest.Value[int](b.Bundle, `SELECT count(*) FROM refunds`),
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

// TestPaymentAndRefund: by both schemes, and each once however often it comes.
func TestPaymentAndRefund(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		sender

		paid, some, all string
	}{
		{b.standard, received("%s", "pi_1", "40.00"), refunded("%s", "pi_1", "15.00"), refunded("", "pi_1", "40")},
		{b.stripe, succeeded("evt_1", "%s", 4000), chargeRefunded("evt_2", "%s", 1500), chargeRefunded("evt_3", "", 4000)},
	} {
		inv := b.Issued(c.Name)
		before := b.counted()
		for i, step := range []struct {
			body    string
			paid    int64
			refunds int
		}{
			{strings.ReplaceAll(c.paid, "%s", inv.Number), 4000, 0},
			{strings.ReplaceAll(c.some, "%s", inv.ID.String()), 2500, 1},
			{c.all, 0, 2},
		} {
			for n := range 3 {
				done, err := b.deliver(b.Store, c.sender, fmt.Sprint("evt_", i+1), step.body)
				if err != nil || done.Replayed != (n > 0) || done.Value.State != webhook.StateApplied || done.Value.InvoiceID != inv.ID {
					t.Errorf("%s, step %d: %+v, %v", c.Name, i, done, err)
				}
				b.standing(c.Name, inv, step.paid, before[0]+1, before[1]+step.refunds)
			}
		}
		p := invoicetest.Value[string](b.Bundle, `SELECT provider || ' ' || reference || ' ' || paid_on || ' ' || amount FROM payments
			ORDER BY created_at DESC LIMIT 1`)
		if p != c.Name+" pi_1 2026-11-23 4000" {
			t.Errorf("recorded %q", p)
		}
	}
	if n := invoicetest.Value[int](b.Bundle, `
		SELECT count(*) FROM intent_effects WHERE operation = 'webhook.receive'
			AND record_id IN (SELECT id FROM payments UNION SELECT id FROM refunds)`); n != 6 {
		t.Errorf("%d of 6 payments and refunds say who recorded them", n)
	}
}

// TestWhatDoesNotFit is kept, and a person decides: it is applied once that was put right, or dismissed.
func TestWhatDoesNotFit(t *testing.T) {
	b := setup(t)
	inv, other := b.Issued("i"), b.Issued("other")
	if _, err := b.Pay("paid", other, "60"); err != nil {
		t.Fatal(err)
	}
	dollars := strings.ReplaceAll(received(inv.Number, "p", "1"), "EUR", "USD")
	for reason, body := range map[string]string{
		"no-invoice":     received("2026-9999", "p", "1"),
		"other-currency": dollars,
		"more-than-open": received(inv.Number, "p", "100.01"),
		"incomplete":     received(inv.Number, "p", "one"),
	} {
		b.wants(body, b.kept(b.standard, reason, body), webhook.StateUndecided, reason)
	}
	for what, body := range map[string]string{
		"decimals": received(inv.Number, "p", "1.005"), "nothing": received(inv.Number, "p", "0"),
		"negative": received(inv.Number, "p", "-1"), "no payment": received(inv.Number, "", "1"),
		"no invoice": received("", "p", "1"), "no currency": strings.ReplaceAll(dollars, "USD", "X"),
		"no day": strings.ReplaceAll(dollars, "2026-11", "1926-11"), "a number": strings.ReplaceAll(dollars, `"1"`, `1`),
		"no data": `{"type": "payment.received"}`, "long": received(strings.Repeat("1", 101), "p", "1"),
		"nul": strings.ReplaceAll(dollars, `"p"`, `"p\u0000"`),
	} {
		event := b.kept(b.standard, "bad-"+strings.ReplaceAll(what, " ", "-"), body)
		b.wants(what, event, webhook.StateUndecided, "incomplete")
		if webhook.Sentence(event) == "" {
			t.Errorf("%s: nobody is told what is wrong", what)
		}
	}
	b.wants("refund", b.kept(b.standard, "refund", refunded(inv.Number, "nobody", "1")), webhook.StateWaiting, "no-payment")
	b.wants("unknown", b.kept(b.standard, "unknown", `{"type": "customer.created", "data": []}`), webhook.StateKept, "")
	b.standing("nothing was done", inv, 0, 1, 0)

	large := b.kept(b.standard, "large", received(other.ID.String(), "large", "50"))
	b.wants("more than is open", large, webhook.StateUndecided, "more-than-open")
	_, err := webhook.Apply.Do(t.Context(), b.Store, b.Of("too early", large.ID, 0), struct{}{})
	if refused, ok := errors.AsType[*conflict.Error](err); !ok || refused.Kind != &webhook.NotApplied {
		t.Errorf("applied: %v", err)
	}
	if _, err := b.Admin.Exec(t.Context(), `
		INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
		SELECT tenant_id, new_id(), id, 1000, '2026-11-23' FROM payments WHERE invoice_id = $1`, other.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a double click
		done, err := webhook.Apply.Do(t.Context(), b.Store, b.Of("now", large.ID, 0), struct{}{})
		if err != nil || done.Value.State != webhook.StateApplied {
			t.Errorf("%+v, %v", done, err)
		}
	}
	b.standing("applied", other, 10000, 2, 1)
	_, err = webhook.Dismiss.Do(t.Context(), b.Store, b.Of("dismiss", large.ID, 0), struct{}{})
	if !invoicetest.IsConflict(err, &webhook.Applied) {
		t.Errorf("dismissed what was applied: %v", err)
	}
}

// TestRecordedByHand: a payment that a person has entered with its reference is the same one, unless it is another.
func TestRecordedByHand(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	pay := func(reference, amount string) {
		t.Helper()
		draft, err := payment.Input{
			Amount: amount, Date: "2026-11-20", Method: "card", Provider: "stripe", Reference: reference,
		}.Draft(inv.ID, inv.Currency)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := payment.Create.Do(t.Context(), b.Store, b.Intent(reference), draft); err != nil {
			t.Fatal(err)
		}
	}
	pay("pi_1", "40")
	b.wants("the same", b.kept(b.stripe, "", succeeded("evt_1", inv.Number, 4000)), webhook.StateApplied, "recorded-before")
	b.wants("another amount", b.kept(b.stripe, "", succeeded("evt_2", inv.Number, 4100)), webhook.StateUndecided, "other-payment")
	b.wants("another id", b.kept(b.stripe, "", succeeded("evt_3", inv.Number, 4000)), webhook.StateApplied, "recorded-before")
	b.standing("entered by hand", inv, 4000, 1, 0)
	b.wants("too much", b.kept(b.stripe, "", chargeRefunded("evt_4", inv.Number, 4001)), webhook.StateUndecided, "more-than-paid")
	b.wants("other invoice", b.kept(b.stripe, "", chargeRefunded("evt_5", "2026-7", 1)), webhook.StateUndecided, "other-invoice")

	waiting := b.kept(b.stripe, "", strings.ReplaceAll(chargeRefunded("evt_6", inv.Number, 500), "pi_1", "pi_2"))
	b.wants("before its payment", waiting, webhook.StateWaiting, "no-payment")
	pay("pi_2", "10")
	b.wants("with its payment", b.now(waiting), webhook.StateApplied, "")
	b.standing("recorded with its payment", inv, 4500, 2, 1)
}

// TestSameIDOtherContent is kept apart, once. How the JSON is written makes no other content.
func TestSameIDOtherContent(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	first := b.kept(b.stripe, "", succeeded("evt_1", inv.Number, 4000))
	written := strings.ReplaceAll(succeeded("evt_1", inv.Number, 4000), `"pending_webhooks": 1`, `"pending_webhooks":0`)
	again, err := b.deliver(b.Store, b.stripe, "", written)
	if err != nil || !again.Replayed {
		t.Errorf("%+v, %v", again, err)
	}
	body := succeeded("evt_1", inv.Number, 5000)
	arrival, err := b.verified(b.stripe, b.stripe.sign(t, "", time.Now(), body), body)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.receive(b.Store, arrival)
	other, ok := errors.AsType[*idempotency.MismatchError](err)
	if !ok || other.Record != first.ID {
		t.Fatalf("%v", err)
	}
	arrival.First = other.Record
	for n := range 3 {
		done, err := b.receive(b.Store, arrival)
		if err != nil || done.Replayed != (n > 0) || done.Value.State != webhook.StateApart || done.Value.First != first.ID {
			t.Errorf("%+v, %v", done, err)
		}
	}
	b.standing("nothing was done for it", inv, 4000, 1, 0)
}

// TestSignatures: what is not signed with a secret that is valid now, in the last five minutes, is nobody's.
func TestSignatures(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	now := time.Now()
	bodies := map[string]string{webhook.Standard: received(inv.Number, "p", "1"), webhook.Stripe: succeeded("evt_1", inv.Number, 100)}
	for _, s := range []sender{b.standard, b.stripe} {
		body, stranger := bodies[s.Scheme], s
		stranger.secret = secretOf("nobody")
		for what, c := range map[string]struct {
			header http.Header
			body   string
			want   error
		}{
			"good":          {s.sign(t, "m", now, body), body, nil},
			"other secret":  {stranger.sign(t, "m", now, body), body, webhook.ErrSignature},
			"other body":    {s.sign(t, "m", now, body), body + " ", webhook.ErrSignature},
			"too old":       {s.sign(t, "m", now.Add(-5*time.Minute-time.Second), body), body, webhook.ErrSignature},
			"old enough":    {s.sign(t, "m", now.Add(-4*time.Minute), body), body, nil},
			"not signed":    {http.Header{}, body, webhook.ErrSignature},
			"no JSON":       {s.sign(t, "m", now, "{"), "{", webhook.ErrMalformed},
			"no object":     {s.sign(t, "m", now, "[]"), "[]", webhook.ErrMalformed},
			"two objects":   {s.sign(t, "m", now, body+body), body + body, webhook.ErrMalformed},
			"an id too bad": {s.sign(t, "m m", now, `{"id": ""}`), `{"id": ""}`, webhook.ErrMalformed},
		} {
			if _, err := b.verified(s, c.header, c.body); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v", s.Name, what, err)
			}
		}
	}
}

// TestTwoSecrets: while the secret is changed, the old one is valid for a day, or until somebody ends it.
func TestTwoSecrets(t *testing.T) {
	b := setup(t)
	old, body := b.standard, received("x", "p", "1")
	is := func(what string, s sender, want error) {
		t.Helper()
		if _, err := b.verified(s, s.sign(t, "m", time.Now(), body), body); !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	add := func(secret string) (sender, error) {
		t.Helper()
		draft, err := webhook.SecretInput{Secret: secret}.Draft(old.Source, b.vault)
		if err != nil {
			t.Fatal(err)
		}
		_, err = webhook.AddSecret.Do(t.Context(), b.Store, b.Intent("add "+secret), draft)
		return sender{old.Source, secret}, err
	}
	renewed, err := add(secretOf("second"))
	if err != nil {
		t.Fatal(err)
	}
	is("the old one", old, nil)
	is("the new one", renewed, nil)
	if _, err := add(secretOf("first")); !invoicetest.IsConflict(err, &webhook.SecretTaken) {
		t.Errorf("the old one again: %v", err)
	}
	list, err := webhook.SecretsOf(t.Context(), b.Store.Pool, b.Tenant, old.ID, record.Page{Limit: 10})
	if err != nil || len(list.Rows) != 2 || !list.Rows[0].EndsAt.IsZero() ||
		time.Until(list.Rows[1].EndsAt).Round(time.Hour) != 24*time.Hour {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := webhook.EndSecret.Do(t.Context(), b.Store, b.Of("end", list.Rows[1].ID, 0), struct{}{}); err != nil {
		t.Fatal(err)
	}
	is("ended by hand", old, webhook.ErrSignature)
	third, err := add(secretOf("third"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := add(secretOf("fourth")); err != nil {
		t.Fatal(err)
	}
	is("two are valid, and no more", renewed, webhook.ErrSignature)
	is("the one before", third, nil)

	if _, err := webhook.Disable.Do(t.Context(), b.Store, b.Of("disable", old.ID, 0), struct{}{}); err != nil {
		t.Fatal(err)
	}
	is("disabled", third, record.ErrNotFound)
}

// TestSecretsStaySecret: they are in no result, no fingerprint and no log, and are of no use to another source or key.
func TestSecretsStaySecret(t *testing.T) {
	b := setup(t)
	for _, text := range []string{b.standard.secret, b.stripe.secret, strings.TrimPrefix(b.standard.secret, "whsec_")} {
		rows := invoicetest.Value[string](b.Bundle, `
			SELECT concat((SELECT string_agg(i::text, '') FROM intents i), (SELECT string_agg(s::text, '') FROM webhook_secrets s))`)
		bare := invoicetest.Value[bool](b.Bundle,
			`SELECT bool_or(position(convert_to($1, 'UTF8') IN sealed) > 0) FROM webhook_secrets`, text)
		if bare || strings.Contains(rows, text) {
			t.Errorf("stored: %s", text)
		}
		draft, err := webhook.Input{Name: "Bank", Scheme: webhook.Stripe, Secret: text}.Draft(b.vault)
		if err != nil || strings.Contains(fmt.Sprintf("%v %+v %#v", draft, &draft, draft), text) {
			t.Errorf("printed: %+v, %v", draft, err)
		}
	}
	if _, err := b.Admin.Exec(t.Context(),
		`UPDATE webhook_secrets SET sealed = '\x00' || sealed WHERE source_id = $1`, b.stripe.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := webhook.FindSender(t.Context(), b.Store.Pool, b.vault, b.stripe.Address(b.Tenant)); err == nil {
		t.Error("opened what was changed")
	}
	none := webhook.NewVault(secretkey.Key{})
	if _, err := webhook.FindSender(t.Context(), b.Store.Pool, none, b.standard.Address(b.Tenant)); err == nil {
		t.Error("opened without the key")
	}
	var wrong *invalid.Error
	_, err := webhook.Input{Name: "n", Scheme: webhook.Stripe, Secret: b.stripe.secret}.Draft(none)
	if !errors.As(err, &wrong) || len(wrong.Fields) != 1 || !strings.Contains(wrong.Fields[0].Message, "Set SECRET_KEY") {
		t.Errorf("added without a key: %v", err)
	}
}

// TestStripeUnits: of currencies that Stripe counts otherwise than ISO 4217.
func TestStripeUnits(t *testing.T) {
	b := setup(t)
	for currency, want := range map[string]int64{"eur": 500, "jpy": 500, "kwd": 500, "isk": 5, "ugx": 5, "mga": 50000} {
		body := strings.ReplaceAll(succeeded("evt_"+currency, "x", 500), "eur", currency)
		if e := b.kept(b.stripe, "", body); e.Amount != want || !strings.EqualFold(e.Currency.String(), currency) {
			t.Errorf("%s: %+v", currency, e)
		}
	}
}

// TestExpire: bodies go after their days, events and what they did stay, and come again to nothing new.
func TestExpire(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	body := received(inv.Number, "p", "40")
	event := b.kept(b.standard, "m", body)
	if kept, err := webhook.Body(t.Context(), b.Store.Pool, b.Tenant, event.ID); err != nil || string(kept) != body {
		t.Errorf("kept %q, %v", kept, err)
	}
	for _, step := range []struct {
		before time.Time
		want   int64
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 1}, {time.Now().Add(time.Hour), 0}} {
		if n, err := webhook.Expire(t.Context(), b.Store.Pool, b.Tenant, step.before); err != nil || n != step.want {
			t.Errorf("deleted %d, want %d: %v", n, step.want, err)
		}
	}
	if kept, err := webhook.Body(t.Context(), b.Store.Pool, b.Tenant, event.ID); err != nil || kept != nil {
		t.Errorf("kept %q, %v", kept, err)
	}
	// A year later, the result is gone too.
	if _, err := b.Admin.Exec(t.Context(), `UPDATE intents SET result = NULL`); err != nil {
		t.Fatal(err)
	}
	_, err := b.deliver(b.Replica(), b.standard, "m", body)
	if late, ok := errors.AsType[*idempotency.AlreadyDoneError](err); !ok || late.Record != event.ID {
		t.Errorf("again: %v", err)
	}
	b.standing("a year later", inv, 4000, 1, 0)
}

// TestPastStays: the database keeps an applied event as it is, also from the superuser.
func TestPastStays(t *testing.T) {
	b := setup(t)
	b.kept(b.standard, "m", received(b.Issued("i").Number, "p", "40"))
	b.Refuses(map[string][]string{
		"webhook_events_append_only": {
			`DELETE FROM webhook_events`, `UPDATE webhook_events SET state = 'dismissed', payment_id = NULL`,
			`UPDATE webhook_events SET amount = 1`,
		},
		"webhook_events_once": {`
			INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, state)
			SELECT tenant_id, gen_random_uuid(), source_id, event_id, sha256(''), '', 'kept' FROM webhook_events`},
		"webhook_events_applied": {`
			INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, state)
			SELECT tenant_id, gen_random_uuid(), source_id, 'x', sha256(''), '', 'applied' FROM webhook_events`},
		"webhook_sources_append_only": {`UPDATE webhook_sources SET name = name || '!'`},
	})
	if n := invoicetest.Value[int](b.Bundle, `SELECT count(*) FROM webhook_events WHERE id <> $1`, uuid.Nil); n != 1 {
		t.Errorf("%d events", n)
	}
}
