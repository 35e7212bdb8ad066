package reminder_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

// batch returns the command that sends a level to all of some invoices.
func (b *bundle) batch(level string, all ...invoice.Invoice) reminder.BatchDraft {
	b.Helper()
	var in reminder.BatchInput
	for _, inv := range all {
		in.Reminders = append(in.Reminders, reminder.ChosenInput{InvoiceID: inv.ID.String(), Level: level})
	}
	d, err := in.Draft()
	must.OK(b, err)
	return d
}

func (b *bundle) sendBatch(store *idempotency.Store, key string, d reminder.BatchDraft) (reminder.Batch, error) {
	done, err := reminder.SendBatch.Do(context.Background(), store, b.Intent(key), d)
	return done.Value, err
}

// TestBatchSkipsImpossibleReminders checks the outcome of each reminder of a batch: one that isn't possible keeps no other from being sent.
func TestBatchSkipsImpossibleReminders(t *testing.T) {
	b := setup(t)
	today := date.Today()
	sent, before, paid, void := b.overdue("sent"), b.overdue("before"), b.overdue("paid"), b.overdue("void")
	_, err := b.send(b.Store, "before", b.draft(before, "1"))
	must.OK(t, err)
	_, err = b.Pay("pay", paid, "100")
	must.OK(t, err)
	must.OK(t, b.Void("voided", void))
	erased := b.overdue("erased")
	of := []invoice.Invoice{
		sent, before, paid, void, erased, b.due("today", today, "ada@example.com"), b.due("no address", today.AddDays(-9), ""),
	}
	b.erase(erased)
	made, err := b.sendBatch(b.Store, "batch", b.batch("1", of...))
	must.OK(t, err)
	want := []string{"sent", "sent_before", "not_overdue", "not_issued", "customer_erased", "not_overdue", "no_address"}
	for i, inv := range of {
		at := slices.IndexFunc(made.Reminders, func(o reminder.Outcome) bool { return o.InvoiceID == inv.ID })
		assert.Thatf(t, at >= 0 && made.Reminders[at].Outcome == want[i] && made.Reminders[at].Number == inv.Number,
			"%s: %+v", want[i], made.Reminders)
	}
	again, err := b.sendBatch(b.Store, "next", b.batch("2", sent))
	assert.Thatf(t, err == nil && again.Reminders[0].Outcome == "not_next", "%+v, %v", again, err)
	mails := storetest.Value[int](b, `SELECT count(*) FROM mails`)
	assert.Thatf(t, mails == 2 && made.Sent() == 1, "%d mails, %d sent", mails, made.Sent())
}

// TestBatchesAtOnce sends batches of the same invoices 16 times at once, half of them under one key, and each invoice also singly.
func TestBatchesAtOnce(t *testing.T) {
	b := setup(t)
	var all []invoice.Invoice
	for i := range 5 {
		all = append(all, b.overdue(fmt.Sprint("overdue ", i)))
	}
	batch := b.batch("1", all...)
	slices.Reverse(all)
	reversed := b.batch("1", all...)
	stores := []*idempotency.Store{b.Store, b.Replica()}
	for _, err := range storetest.Together(16+len(all), func(i int) error {
		switch {
		case i >= 16:
			_, err := b.send(stores[i%2], fmt.Sprint("single ", i), b.draft(all[i-16], "1"))
			return err
		case i%2 == 0:
			_, err := b.sendBatch(stores[i/2%2], "one key", batch)
			return err
		default:
			_, err := b.sendBatch(stores[i/2%2], fmt.Sprint("key ", i), reversed)
			return err
		}
	}) {
		must.OK(t, err)
	}
	mails := storetest.Value[int](b, `SELECT count(*) FROM mails`)
	sent := storetest.Value[int](b, `SELECT count(*) FROM invoice_reminder_outcomes WHERE outcome = 'sent'`)
	batches := storetest.Value[int](b, `SELECT count(*) FROM invoice_reminder_batches`)
	assert.Thatf(t, mails == len(all) && sent <= len(all) && batches == 9, "%d mails, %d sent by %d batches", mails, sent, batches)
}

// TestChosenTwice refuses a batch that has an invoice twice, none or too many.
func TestChosenTwice(t *testing.T) {
	one := reminder.ChosenInput{InvoiceID: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Level: "1"}
	for _, all := range [][]reminder.ChosenInput{nil, {one, one}, slices.Repeat([]reminder.ChosenInput{one}, reminder.MaxBatch+1)} {
		_, err := (reminder.BatchInput{Reminders: all}).Draft()
		assert.Thatf(t, err != nil, "%d reminders are accepted", len(all))
	}
}
