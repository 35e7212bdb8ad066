package webhook_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/migrations"
)

// TestTwoSourcesOfOneProvider checks that payments and refunds are the same from either source of a provider.
func TestTwoSourcesOfOneProvider(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	for i, of := range []struct {
		one, other     sender
		paid, some     string
		provider, name string
	}{
		{
			b.stripe, b.source("Shop", webhook.Stripe, "whsec_9876543210abcdefghijklmnop"),
			succeeded("evt_1", inv.Number, 3000), chargeRefunded("evt_2", "", 1000), "Stripe", "stripe",
		},
		{
			b.standard, b.sourceOf("Bank, another account", "bank", webhook.Standard, secretOf("other")),
			received(inv.Number, "p", "30"), refunded("", "p", "10"), "Bank", "BANK",
		},
	} {
		early := b.kept(of.other, "back", of.some)
		b.wants("before its payment", early, webhook.StateWaiting, "no-payment")
		b.wants("paid", b.kept(of.one, "paid", of.paid), webhook.StateApplied, "")
		now, err := record.Find(t.Context(), b.Store.Pool, webhook.Events, b.Tenant, early.ID)
		must.OK(t, err)
		b.wants("with its payment", now, webhook.StateApplied, "")
		b.wants("by the other source", b.kept(of.other, "paid", of.paid), webhook.StateApplied, "recorded-before")
		b.wants("given back by the one", b.kept(of.one, "back", of.some), webhook.StateApplied, "recorded-before")
		paid := 2000 * (int64(i) + 1)
		b.standing(of.name, inv, paid, i+1, i+1)
		reference := storetest.Value[string](b, `SELECT reference FROM payments WHERE provider = $1`, of.provider)
		draft, err := payment.Input{
			Amount: "1", Date: "2026-11-20", Method: "card", Provider: of.name, Reference: reference,
		}.Draft(inv.ID, inv.Currency)
		must.OK(t, err)
		if _, err = payment.Create.Do(t.Context(), b.Store, b.Intent(of.name), draft); !storetest.IsConflict(err, &payment.Taken) {
			t.Errorf("entered again: %v", err)
		}
	}
	if _, err := (webhook.Input{Name: "n", Scheme: webhook.Stripe, Provider: "Bank", Secret: b.stripe.secret}).Draft(b.vault); err == nil {
		t.Error("a source of Stripe may have another provider")
	}
}

// TestChosenInvoice checks that a payment whose event has no invoice is recorded once on the invoice that a user chooses, even with
// concurrent choices.
func TestChosenInvoice(t *testing.T) {
	b := setup(t)
	invoices := []invoice.Invoice{b.Issued("one"), b.Issued("two")}
	shop := b.source("Shop", webhook.Stripe, "whsec_9876543210abcdefghijklmnop")
	body := succeeded("evt_1", "", 4000)
	for _, event := range []webhook.Event{b.kept(b.stripe, "", body), b.kept(shop, "", body)} {
		b.wants("no invoice", event, webhook.StateUndecided, "no-invoice")
		assert.Thatf(t, webhook.Payable(event) && event.Amount == 4000 && strings.Contains(webhook.Sentence(event), "which invoice"),
			"%+v", event)
	}
	events := storetest.Value[[]uuid.UUID](b, `SELECT array_agg(id) FROM webhook_events`)
	errs := storetest.Together(40, func(i int) error {
		_, err := webhook.Apply.Do(t.Context(), b.Replica(), b.Of(fmt.Sprint("choose", i), events[i/2%2], 0),
			webhook.Choice{Invoice: invoices[i%2].Number})
		if storetest.IsConflict(err, &webhook.NotApplied) { // the other choice was applied
			return nil
		}
		return err
	})
	must.OK(t, errors.Join(errs...))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM payments`), 1, "payments")
	assert.Equal(t, storetest.Value[int](b, `SELECT count(DISTINCT payment_id) FROM webhook_events WHERE state = 'applied'`),
		1, "payments of the events")
	late := b.kept(b.source("Later", webhook.Stripe, "whsec_00000000000000000000000000"), "", body)
	b.wants("delivered later", late, webhook.StateApplied, "recorded-before")
}

// TestPaymentsOfEarlierVersions checks the migration of payments from Stripe's sources, whose provider was the name of the source. If a
// payment was recorded twice, one keeps the reference, and both stay.
func TestPaymentsOfEarlierVersions(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	inv := b.Issued("i")
	for _, name := range []string{"Shop", "Market"} {
		b.source(name, webhook.Stripe, "whsec_9876543210abcdefghijklmnop")
	}
	for _, of := range []string{"Shop pi_1", "Market pi_1", "Shop pi_2", "Stripe pi_3", "Shop pi_3", "Other pi_4"} {
		provider, reference, _ := strings.Cut(of, " ")
		b.enter(provider, reference, "1", inv)
	}
	sql, err := migrations.FS.ReadFile("00142_providers_of_payments.sql")
	must.OK(t, err)
	_, move, _ := strings.Cut(string(sql), "by which all of these find them.")
	_, move, _ = strings.Cut(move, "\n")
	move, _, _ = strings.Cut(move, "-- By which the invoices are found")
	_, err = b.Store.Pool.Exec(t.Context(), move)
	must.OK(t, err)
	const want = "Stripe pi_1, Market pi_1, Stripe pi_2, Stripe pi_3, Shop pi_3, Other pi_4"
	assert.Equal(t, storetest.Value[string](b, `SELECT string_agg(provider || ' ' || reference, ', ' ORDER BY id) FROM payments`), want)
}
