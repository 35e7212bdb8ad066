package reminder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/date"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

// input returns an invoice of 100.00 EUR that is due on a day.
func (b *bundle) input(due date.Date, email string) invoice.Draft {
	b.Helper()
	d, err := invoice.Input{
		Customer:  &customer.Input{Email: email, Name: "Ada Lovelace"},
		IssueDate: due.AddDays(-30).String(), DueDate: due.String(), Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(b, err)
	return d
}

// due issues an invoice that is due on a day.
func (b *bundle) due(key string, day date.Date, email string) invoice.Invoice {
	b.Helper()
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(key), b.input(day, email))
	must.OK(b, err)
	issued, err := invoice.Issue.Do(b.Context(), b.Store, b.Of(key, made.Value.ID, 0), invoice.IssueDraft{NoEmail: true})
	must.OK(b, err)
	return issued.Value
}

// overdue issues an invoice that was due yesterday.
func (b *bundle) overdue(key string) invoice.Invoice {
	b.Helper()
	return b.due(key, date.Today().AddDays(-1), "ada@example.com")
}

func (b *bundle) draft(inv invoice.Invoice, level string) reminder.Draft {
	b.Helper()
	d, err := reminder.Input{Level: level}.Draft(inv.ID)
	must.OK(b, err)
	return d
}

func (b *bundle) send(store *idempotency.Store, key string, d reminder.Draft) (idempotency.Done[reminder.Reminder], error) {
	return reminder.Send.Do(context.Background(), store, b.Intent(key), d)
}

// erase makes the customer of an invoice one that was erased.
func (b *bundle) erase(inv invoice.Invoice) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		UPDATE invoices SET customer_id = gen_random_uuid() WHERE id = '%[1]s';
		INSERT INTO customers (tenant_id, id, name, archived_at, erased_at)
		SELECT tenant_id, customer_id, 'Erased customer', now(), now() FROM invoices WHERE id = '%[1]s'`, inv.ID))
}

// nextDay moves all sent reminders one day into the past.
func (b *bundle) nextDay() {
	b.Helper()
	b.Exec(`UPDATE invoice_reminders SET sent_on = sent_on - 1`)
}

// TestEachLevelOnce sends all levels, on three days. Each is sent once, also if it is sent again after the invoice was paid.
func TestEachLevelOnce(t *testing.T) {
	b := setup(t)
	inv := b.overdue("i")
	const older = "We haven't received your payment of this invoice yet." // in the fingerprint of keys of older versions
	assert.Thatf(t, strings.HasPrefix(b.draft(inv, "1").Message, older), "%q", b.draft(inv, "1").Message)
	if _, err := b.send(b.Store, "too early", b.draft(inv, "2")); !storetest.IsConflict(err, &reminder.NotNext) {
		t.Error(err)
	}
	var first [reminder.Levels]reminder.Reminder
	for i := range reminder.Levels {
		level := fmt.Sprint(i + 1)
		sent, err := b.send(b.Store, level, b.draft(inv, level))
		if err != nil || sent.Outcome != idempotency.Created || sent.Value.Level != i+1 || sent.Value.Recipient != "ada@example.com" {
			t.Fatalf("%+v, %v", sent, err)
		}
		first[i] = sent.Value
		if next := b.draft(inv, "3"); i == 1 {
			_, err := b.send(b.Store, "same day", next)
			assert.Thatf(t, storetest.IsConflict(err, &reminder.NotNext), "%v", err)
		}
		b.nextDay()
	}
	_, err := b.Pay("pay", inv, "100")
	must.OK(t, err)
	for i, was := range first {
		again, err := b.send(b.Store, "again"+fmt.Sprint(i), b.draft(inv, fmt.Sprint(i+1)))
		assert.Thatf(t, err == nil && again.Outcome == idempotency.Reused && again.Value.ID == was.ID, "%+v, %v", again, err)
	}
	for i, want := range []string{"Payment reminder", "Second reminder", "Final reminder"} {
		assert.Equal(t, storetest.Value[string](b, `
			SELECT subject || ', ' || (SELECT effect FROM intent_effects e WHERE e.key = $2 AND e.record_id = m.invoice_id) || ', ' ||
				(SELECT count(*) FROM river.river_job j WHERE j.args->>'mail' = m.id::text)
			FROM mails m WHERE id = $1`, first[i].ID, fmt.Sprint(i+1),
		), want+": invoice "+inv.Number+" from Test, "+[]string{"payment", "second", "final"}[i]+" reminder queued, 1")
	}
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM mails`), reminder.Levels, "mails")
}

// TestOnlyOverdueIsReminded refuses invoices that are drafts, void, paid, not due, due today, or without an address.
func TestOnlyOverdueIsReminded(t *testing.T) {
	b := setup(t)
	today := date.Today()
	paid, void, noAddress := b.overdue("paid"), b.overdue("void"), b.due("no address", today.AddDays(-9), "")
	_, err := b.Pay("pay", paid, "100")
	must.OK(t, err)
	must.OK(t, b.Void("voided", void))
	made, err := invoice.Create.Do(t.Context(), b.Store, b.Intent("draft"), b.input(today.AddDays(-1), "ada@example.com"))
	must.OK(t, err)
	for name, refused := range map[string]struct {
		inv  invoice.Invoice
		kind *conflict.Kind
	}{
		"draft": {made.Value, &invoice.NotIssued}, "paid": {paid, &reminder.NotOverdue}, "void": {void, &invoice.NotIssued},
		"today": {b.due("today", today, "ada@example.com"), &reminder.NotOverdue},
	} {
		_, err := b.send(b.Store, "remind "+name, b.draft(refused.inv, "1"))
		assert.Thatf(t, storetest.IsConflict(err, refused.kind), "%s: %v", name, err)
	}
	_, err = b.send(b.Store, "nobody", b.draft(noAddress, "1"))
	wrong, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && wrong.Fields[0].Pointer == "/recipient", "%v", err)
}

// TestOneLevelAtOnce sends one level 16 times at once, under different keys and on two replicas.
func TestOneLevelAtOnce(t *testing.T) {
	b := setup(t)
	d := b.draft(b.overdue("i"), "1")
	stores := []*idempotency.Store{b.Store, b.Replica()}
	outcomes := make([]idempotency.Outcome, 16)
	for _, err := range storetest.Together(len(outcomes), func(i int) error {
		done, err := b.send(stores[i%2], fmt.Sprint(i), d)
		outcomes[i] = done.Outcome
		return err
	}) {
		must.OK(t, err)
	}
	created := 0
	for _, outcome := range outcomes {
		if outcome == idempotency.Created {
			created++
		}
	}
	mails := storetest.Value[int](b, `SELECT count(*) FROM mails`)
	assert.Thatf(t, created == 1 && mails == 1, "%d created, %d mails: %v", created, mails, outcomes)
	b.Refuses(map[string][]string{"reminders_once": {`
		WITH mail AS (INSERT INTO mails (tenant_id, id, invoice_id, kind)
			SELECT tenant_id, gen_random_uuid(), invoice_id, 'reminder_1' FROM invoice_reminders RETURNING tenant_id, id, invoice_id)
		INSERT INTO invoice_reminders (tenant_id, id, invoice_id, level) SELECT tenant_id, id, invoice_id, 1 FROM mail`}})
}

// TestRemindOrPay checks that an invoice isn't reminded after it was paid concurrently.
func TestRemindOrPay(t *testing.T) {
	b := setup(t)
	for round := range 20 {
		inv := b.overdue(fmt.Sprint(round))
		d := b.draft(inv, "1")
		reminded, paid := storetest.Both(func() error {
			_, err := b.send(b.Store, fmt.Sprint("remind", round), d)
			return err
		}, func() error {
			_, err := b.Pay(fmt.Sprint("pay", round), inv, "100")
			return err
		})
		assert.Thatf(t, (reminded == nil || storetest.IsConflict(reminded, &reminder.NotOverdue)) && paid == nil,
			"reminded: %v, paid: %v", reminded, paid)
	}
	assert.Equal(t, storetest.Value[int](b, `
		SELECT count(*) FROM intents s JOIN invoice_reminders m ON m.id = s.record_id JOIN payments p ON p.invoice_id = m.invoice_id
			JOIN intents v ON v.record_id = p.id
		WHERE s.operation = 'reminder.send' AND v.operation = 'payment.create' AND s.at > v.at`),
		0, "reminders were queued after their invoice was paid")
}
