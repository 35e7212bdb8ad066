package webhook_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// TestPaymentAndRefund checks both schemes, and that repeated deliveries have no further effect.
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
		p := storetest.Value[string](b, `SELECT provider || ' ' || reference || ' ' || paid_on || ' ' || amount FROM payments
			ORDER BY created_at DESC LIMIT 1`)
		assert.Thatf(t, p == c.Name+" pi_1 2026-11-23 4000", "recorded %q", p)
	}
	assert.Equal(t, storetest.Value[int](b, `
		SELECT count(*) FROM intent_effects WHERE operation = 'webhook.receive'
			AND record_id IN (SELECT id FROM payments UNION SELECT id FROM refunds)`),
		6, "payments and refunds with their recorder")
}

// TestDayOfTheBusiness checks that a payment is dated in the time zone of the business.
func TestDayOfTheBusiness(t *testing.T) {
	b := setup(t)
	b.Exec(`UPDATE tenants SET time_zone = 'Pacific/Kiritimati' WHERE id = $1`, b.Tenant) // 14 hours ahead of UTC
	inv := b.Issued("i")
	for at, want := range map[string]string{"2026-11-22T09:59:59Z": "2026-11-22", "2026-11-22T10:00:00Z": "2026-11-23"} {
		body := strings.ReplaceAll(received(inv.Number, at, "1"), "2026-11-23T10:00:00Z", at)
		paid := b.kept(b.standard, "paid-"+want, body)
		found, err := record.Find(t.Context(), b.Store.Pool, payment.Table, b.Tenant, paid.PaymentID)
		must.OK(t, err)
		assert.Equal(t, found.Date.String()+" "+paid.Day.String(), want+" "+want, at)
	}
}

// TestRemovedPayment checks that an event about a removed payment neither records it again nor refunds it.
func TestRemovedPayment(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	paid := b.kept(b.standard, "paid", received(inv.Number, "p", "40"))
	found, err := record.Find(t.Context(), b.Store.Pool, payment.Table, b.Tenant, paid.PaymentID)
	must.OK(t, err)
	b.OK(b.Remove("remove", found))
	b.wants("again", b.kept(b.standard, "again", received(inv.Number, "p", "40")), webhook.StateApplied, "recorded-before")
	back := b.kept(b.standard, "back", refunded(inv.Number, "p", "10"))
	b.wants("back", back, webhook.StateUndecided, "removed-payment")
	assert.Thatf(t, webhook.Sentence(back) != "", "nobody is told what is wrong")
	b.standing("nothing more", inv, 0, 1, 0)

	really := b.kept(b.standard, "really", received("2026-0999", "p", "30"))
	b.wants("of an unknown invoice", really, webhook.StateUndecided, "no-invoice")
	b.OK(webhook.Apply.Do(t.Context(), b.Store, b.Of("choose", really.ID, 0), webhook.Choice{Invoice: inv.Number}))
	b.wants("once more", b.kept(b.standard, "once-more", received(inv.Number, "p", "40")), webhook.StateApplied, "recorded-before")
	b.wants("the other", b.kept(b.standard, "the-other", received(inv.Number, "p", "30")), webhook.StateApplied, "recorded-before")
	b.wants("back of it", b.kept(b.standard, "back-of-it", refunded(inv.Number, "p", "10")), webhook.StateApplied, "")
	b.standing("a payment and its refund", inv, 2000, 2, 1)
}

// TestRemovedRefund checks that an event about refunds of which one was removed is left to a person, unless no more was refunded than is
// recorded. A removed refund that no event recorded doesn't count.
func TestRemovedRefund(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	paid := b.kept(b.standard, "paid", received(inv.Number, "p", "40"))
	of, err := record.Find(t.Context(), b.Store.Pool, payment.Table, b.Tenant, paid.PaymentID)
	must.OK(t, err)
	remove := func(key string, id uuid.UUID) {
		t.Helper()
		b.OK(refund.Remove.Do(t.Context(), b.Store, b.Of(key, id, 0), struct{}{}))
	}
	record := func(key, amount string) refund.Refund {
		t.Helper()
		d, err := refund.Input{Amount: amount, Date: "2026-11-23"}.Draft(of)
		must.OK(t, err)
		done, err := refund.Create.Do(t.Context(), b.Store, b.Intent(key), d)
		must.OK(t, err)
		return done.Value
	}
	remove("mistake", record("by hand", "30").ID)
	back := b.kept(b.standard, "back", refunded(inv.Number, "p", "10"))
	b.wants("after a mistake of a person", back, webhook.StateApplied, "")
	remove("remove", back.RefundID)
	for _, total := range []string{"10", "20"} {
		again := b.kept(b.standard, "again"+total, refunded(inv.Number, "p", total))
		b.wants(total, again, webhook.StateUndecided, "removed-refund")
		assert.Thatf(t, webhook.Sentence(again) != "", "nobody is told what is wrong")
	}
	b.standing("removed", inv, 4000, 1, 2)
	record("right", "15")
	b.wants("less", b.kept(b.standard, "less", refunded(inv.Number, "p", "15")), webhook.StateApplied, "recorded-before")
	b.standing("recorded by hand", inv, 2500, 1, 3)
}

// TestWhatDoesNotFit checks that a mismatching event is kept, and that a user can apply it after a correction, or dismiss it.
func TestWhatDoesNotFit(t *testing.T) {
	b := setup(t)
	inv, other := b.Issued("i"), b.Issued("other")
	b.OK(b.Pay("paid", other, "60"))
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
		"no currency": strings.ReplaceAll(dollars, "USD", "X"),
		"no day":      strings.ReplaceAll(dollars, "2026-11", "1926-11"), "a number": strings.ReplaceAll(dollars, `"1"`, `1`),
		"no data": `{"type": "payment.received"}`, "long": received(strings.Repeat("1", 101), "p", "1"),
		"nul":                   strings.ReplaceAll(dollars, `"p"`, `"p\u0000"`),
		"an amount in capitals": strings.ReplaceAll(dollars, `"amount"`, `"Amount"`),
	} {
		event := b.kept(b.standard, "bad-"+strings.ReplaceAll(what, " ", "-"), body)
		b.wants(what, event, webhook.StateUndecided, "incomplete")
		assert.Thatf(t, webhook.Sentence(event) != "", "%s: nobody is told what is wrong", what)
	}
	b.wants("refund", b.kept(b.standard, "refund", refunded(inv.Number, "nobody", "1")), webhook.StateWaiting, "no-payment")
	b.wants("unknown", b.kept(b.standard, "unknown", `{"type": "customer.created", "data": []}`), webhook.StateKept, "")
	b.standing("nothing was done", inv, 0, 1, 0)

	large := b.kept(b.standard, "large", received(other.ID.String(), "large", "50"))
	b.wants("more than is open", large, webhook.StateUndecided, "more-than-open")
	_, err := webhook.Apply.Do(t.Context(), b.Store, b.Of("too early", large.ID, 0), webhook.Choice{})
	refused, ok := errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && refused.Kind == &webhook.NotApplied, "applied: %v", err)
	b.Exec(`
		INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
		SELECT tenant_id, new_id(), id, 1000, '2026-11-23' FROM payments WHERE invoice_id = $1`, other.ID)
	for range 2 { // a double click
		done, err := webhook.Apply.Do(t.Context(), b.Store, b.Of("now", large.ID, 0), webhook.Choice{})
		assert.Thatf(t, err == nil && done.Value.State == webhook.StateApplied, "%+v, %v", done, err)
	}
	b.standing("applied", other, 10000, 2, 1)
	_, err = webhook.Dismiss.Do(t.Context(), b.Store, b.Of("dismiss", large.ID, 0), struct{}{})
	assert.Thatf(t, storetest.IsConflict(err, &webhook.Applied), "dismissed what was applied: %v", err)
}

// TestRecordedByHand checks that a payment that a user entered with its reference is the same one, unless its data differs.
func TestRecordedByHand(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	b.enter("stripe", "pi_1", "40", inv)
	b.wants("the same", b.kept(b.stripe, "", succeeded("evt_1", inv.Number, 4000)), webhook.StateApplied, "recorded-before")
	b.wants("another amount", b.kept(b.stripe, "", succeeded("evt_2", inv.Number, 4100)), webhook.StateUndecided, "other-payment")
	b.wants("another id", b.kept(b.stripe, "", succeeded("evt_3", inv.Number, 4000)), webhook.StateApplied, "recorded-before")
	b.standing("entered by hand", inv, 4000, 1, 0)
	b.wants("too much", b.kept(b.stripe, "", chargeRefunded("evt_4", inv.Number, 4001)), webhook.StateUndecided, "more-than-paid")
	b.wants("other invoice", b.kept(b.stripe, "", chargeRefunded("evt_5", "2026-7", 1)), webhook.StateUndecided, "other-invoice")

	waiting := b.kept(b.stripe, "", strings.ReplaceAll(chargeRefunded("evt_6", inv.Number, 500), "pi_1", "pi_2"))
	b.wants("before its payment", waiting, webhook.StateWaiting, "no-payment")
	b.enter("stripe", "pi_2", "10", inv)
	now, err := record.Find(t.Context(), b.Store.Pool, webhook.Events, b.Tenant, waiting.ID)
	must.OK(t, err)
	b.wants("with its payment", now, webhook.StateApplied, "")
	b.standing("recorded with its payment", inv, 4500, 2, 1)
}

// TestRefundOfCredit checks that a refund of more than is paid on the invoice, since the rest became credit, is left to a user.
func TestRefundOfCredit(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	b.enter("stripe", "pi_1", "100", inv)
	d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1"}}}.Draft(inv)
	must.OK(t, err)
	b.OK(credit.Create.Do(t.Context(), b.Store, b.Intent("credit"), d))
	b.wants("credit", b.kept(b.stripe, "", chargeRefunded("evt_1", inv.Number, 5001)), webhook.StateUndecided, "became-credit")
	b.wants("the rest", b.kept(b.stripe, "", chargeRefunded("evt_2", inv.Number, 5000)), webhook.StateApplied, "")
	b.standing("refunded", inv, 0, 1, 1)
}

// TestSameIDOtherContent checks that an event with a known id and different content is kept apart, once. JSON formatting does not change
// the content.
func TestSameIDOtherContent(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	first := b.kept(b.stripe, "", succeeded("evt_1", inv.Number, 4000))
	written := strings.ReplaceAll(succeeded("evt_1", inv.Number, 4000), `"pending_webhooks": 1`, `"pending_webhooks":0`)
	again, err := b.deliver(b.Store, b.stripe, "", written)
	assert.Thatf(t, err == nil && again.Replayed, "%+v, %v", again, err)
	body := succeeded("evt_1", inv.Number, 5000)
	arrival, err := b.verified(b.stripe, b.stripe.sign(t, "", time.Now(), body), body)
	must.OK(t, err)
	_, err = b.receive(b.Store, arrival)
	other, ok := errors.AsType[*idempotency.MismatchError](err)
	must.Thatf(t, ok && other.Record == first.ID, "%v", err)
	arrival.First = other.Record
	for n := range 3 {
		done, err := b.receive(b.Store, arrival)
		assert.Thatf(t, err == nil && done.Replayed == (n > 0) && done.Value.State == webhook.StateApart && done.Value.First == first.ID,
			"%+v, %v", done, err)
	}
	b.standing("nothing was done for it", inv, 4000, 1, 0)

	body = succeeded("evt_1", inv.Number, 6000)
	arrival, err = b.verified(b.stripe, b.stripe.sign(t, "", time.Now(), body), body)
	must.OK(t, err)
	b.Exec(`
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, state)
		SELECT tenant_id, $2, source_id, event_id, id, $3, type, 'apart' FROM webhook_events WHERE id = $1`,
		first.ID, b.Tenant, arrival.Digest) // with any id
	arrival.First = first.ID
	_, err = b.receive(b.Store, arrival)
	if late, ok := errors.AsType[*idempotency.AlreadyDoneError](err); !ok || late.Record != b.Tenant {
		t.Errorf("kept by an earlier version under another key: %v", err)
	}
}

// TestStripeUnits checks currencies whose minor units differ between Stripe and ISO 4217.
func TestStripeUnits(t *testing.T) {
	b := setup(t)
	for currency, want := range map[string]int64{"eur": 500, "jpy": 500, "kwd": 500, "isk": 5, "ugx": 5, "mga": 50000} {
		body := strings.ReplaceAll(succeeded("evt_"+currency, "x", 500), "eur", currency)
		e := b.kept(b.stripe, "", body)
		assert.Thatf(t, e.Amount == want && strings.EqualFold(e.Currency.String(), currency), "%s: %+v", currency, e)
	}
}

// TestExpire checks that bodies expire, that events and their effects stay, and that later deliveries have no effect.
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
		n, err := webhook.Expire(t.Context(), b.Store.Pool, b.Tenant, step.before)
		assert.Thatf(t, err == nil && n == step.want, "deleted %d, want %d: %v", n, step.want, err)
	}
	if kept, err := webhook.Body(t.Context(), b.Store.Pool, b.Tenant, event.ID); err != nil || kept != nil {
		t.Errorf("kept %q, %v", kept, err)
	}
	// A year later, the result has expired too.
	b.Exec(`UPDATE intents SET result = NULL`)
	_, err := b.deliver(b.Replica(), b.standard, "m", body)
	late, ok := errors.AsType[*idempotency.AlreadyDoneError](err)
	assert.Thatf(t, ok && late.Record == event.ID, "again: %v", err)
	b.standing("a year later", inv, 4000, 1, 0)
}

// TestPastStays checks that even the superuser can't change an applied event.
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
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM webhook_events WHERE id <> $1`, uuid.Nil), 1, "events")
}
