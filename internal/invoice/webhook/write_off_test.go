package webhook_test

import (
	"fmt"
	"strings"
	"testing"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
)

// TestPaymentOfAWrittenOffInvoice checks that the event of a payment waits for a decision if the rest of the invoice was written off, and
// can be applied once the write-off is taken back.
func TestPaymentOfAWrittenOffInvoice(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	off, err := b.WriteOff("off", inv, "")
	must.OK(t, err)
	late := b.kept(b.standard, "late", received(inv.Number, "p", "100"))
	b.wants("written off", late, webhook.StateUndecided, "more-than-open")
	advice := webhook.Advice(late)
	must.Holdf(t, strings.Contains(advice, "take the write-off back first"), "the advice is %q", advice)
	b.OK(b.TakeBack("back", off))
	b.OK(webhook.Apply.Do(t.Context(), b.Store, b.Of("apply", late.ID, 0), webhook.Choice{}))
	b.standing("taken back", inv, 10000, 1, 0)
}

// TestEventOrWriteOff delivers a payment of 60.00 while the whole open amount of 100.00 is written off. The event is applied if it comes
// first, and the write-off takes the rest.
func TestEventOrWriteOff(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv := b.Issued(fmt.Sprint(round))
		var event webhook.Event
		delivered, written := storetest.Both(func() error {
			done, err := b.deliver(b.Store, b.standard, fmt.Sprint("e", round), received(inv.Number, fmt.Sprint("p", round), "60"))
			event = done.Value
			return err
		}, func() error {
			_, err := b.WriteOff(fmt.Sprint("off", round), inv, "")
			return err
		})
		found := b.Find(inv)
		switch {
		case delivered != nil || written != nil:
			t.Errorf("delivered: %v, written off: %v", delivered, written)
		case event.State == webhook.StateApplied && found.Paid == 6000 && found.WrittenOff == 4000:
		case event.Reason == "more-than-open" && found.Paid == 0 && found.WrittenOff == 10000:
		default:
			t.Errorf("%+v, %+v", event, found)
		}
	}
}
