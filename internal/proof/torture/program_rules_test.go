package torture

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	secrets "onlyonce/internal/people/secret"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/email"
)

// TestRulesOfPrograms checks that each rule about events, schedules, merges and external ids finds its violation.
func TestRulesOfPrograms(t *testing.T) {
	t.Parallel()
	eachBreaks(t, programRecords, []sabotage{
		{"no event twice", changedEvent(`event_id = 'paid' WHERE event_id = 'waits'`)},
		{"an event did what it asked for, or nothing", changedEvent(`amount = amount + 1 WHERE event_id = 'paid'`)},
		{"an event did what it asked for, or nothing", changedEvent(`amount = amount + 1 WHERE event_id = 'back'`)},
		{"an event did what it asked for, or nothing", changedEvent(`reference = 'another' WHERE event_id = 'paid'`)},
		{"an event did what it asked for, or nothing", changedEvent(`state = 'apart' WHERE event_id = 'waits'`)},
		{"no event waits for a payment that is there", changedEvent(`reference = 'P' WHERE event_id = 'waits'`)},
		{"no intent without its record", strangerOf(`merge`)},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'customer.merge'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'webhook.receive'`},
		{"one intent for each creation", changedEvent(`refund_id = NULL, reason = 'recorded-before' WHERE event_id = 'back'`)},
		{"a version for each change", `DELETE FROM intent_effects WHERE operation = 'customer.merge'`},
		{"each change begins where another one ended", `UPDATE schedules SET paused_at = NULL`},
		{"one invoice for each period of a schedule", `
			ALTER TABLE schedule_periods DROP CONSTRAINT schedule_periods_once;
			UPDATE schedule_clocks SET next_day = (SELECT first_day FROM schedules);
			UPDATE schedule_periods SET period = (SELECT first_day FROM schedules);
			UPDATE invoices SET issue_date = (SELECT first_day FROM schedules) WHERE id IN (SELECT id FROM schedule_periods)`},
		{"no period is left out", `UPDATE schedule_clocks SET next_day = next_day + 7`},
		{"a period is billed as its schedule was then", `
			UPDATE invoices SET notes = 'Edited' WHERE id IN (SELECT id FROM schedule_periods)`},
		{"a schedule is not billed while it is paused", `
			UPDATE intents SET at = now() - interval '1 hour' WHERE operation = 'schedule.pause'`},
		{"nothing refers to a customer that was merged", `
			UPDATE invoices SET customer_id = (SELECT id FROM customers WHERE merged_into IS NOT NULL)`},
		{"a customer is merged by one merge, and by none that was undone", `UPDATE customer_merges SET undone_at = now()`},
		{"one sign-up for an email", `UPDATE sign_ups SET email = 'one@example.com'`},
		{"a sign-up begins one business", `DELETE FROM users WHERE email = 'one@example.com'`},
		{"a sign-up begins one business", `UPDATE tenants SET sign_up_id = gen_random_uuid() WHERE sign_up_id IS NOT NULL`},
		{"one mail about a sign-up in ten minutes", `
			INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash)
			SELECT tenant_id, gen_random_uuid(), sign_up_id, link_hash FROM sign_up_mails LIMIT 1`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'sign_up.ask'`},
		{"one reminder of each level", `
			ALTER TABLE invoice_reminders DROP CONSTRAINT reminders_once;
			UPDATE invoice_reminders SET level = 1;
			UPDATE mails SET kind = 'reminder_1' WHERE kind = 'reminder_2';
			UPDATE intents SET outcome = 'reused' WHERE operation = 'reminder.send'`},
		{"reminders in order, one a day", `UPDATE invoice_reminders SET sent_on = '2026-01-01'`},
		{"reminders in order, one a day", `
			UPDATE invoice_reminders SET level = 3 WHERE level = 2;
			UPDATE mails SET kind = 'reminder_3' WHERE kind = 'reminder_2'`},
		{"a reminder has its mail, and a mail of a reminder its reminder", `
			UPDATE mails SET kind = 'reminder_3' WHERE kind = 'reminder_2'`},
		{"one intent for each creation", `UPDATE invoice_reminder_outcomes SET outcome = 'sent_before'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'reminder.send'`},
		{"what is written off is the sum of the write-offs, and of their postings", `
			UPDATE invoices SET written_off = 9 WHERE written_off > 0`},
		{"a write-off is taken back by one intent", `
			UPDATE intents SET operation = 'write_off.create' WHERE operation = 'write_off.reverse'`},
		{"each payment, removal of one, refund, credit note, write-off and reversal of one is posted once", `
			DELETE FROM postings WHERE kind = 'reversal';
			UPDATE postings SET amount = 0
			WHERE kind = 'write_off' AND source_id IN (SELECT id FROM write_offs WHERE reversed_at IS NOT NULL)`},
		{"only what is issued is paid, credited or written off", `
			UPDATE invoices SET status = 'void', voided_at = now(), version = version + 1 WHERE written_off > 0;
			INSERT INTO intents
			SELECT tenant_id, 'invoice.void', 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
			FROM intents WHERE key = 'off' AND operation = 'invoice.issue'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'write_off.create'`},
		{"no intent without its record", strangerOf("off too")},
		{"a version for each change", `UPDATE write_offs SET version = 3`},
		{"no external id twice", `
			DROP INDEX customers_external_once;
			UPDATE customers SET source = 'shop', external_id = '17', external_digest = sha256('')`},
	})
}

// changedEvent returns SQL that changes events in spite of their protection.
func changedEvent(set string) string {
	return `
		DROP INDEX webhook_events_once;
		UPDATE webhook_events SET ` + set
}

// programRecords creates an invoice that an event has paid, after a partial refund, a schedule that was billed three times, edited and
// paused, a merged customer, two reminders, two write-offs, and two sign-ups, one of which has begun its business.
func programRecords(b *invoicetest.Bundle) {
	b.Helper()
	inv := b.Issued("i")
	receiveSome(b, inv)
	billSome(b, inv.Customer.ID)
	remindSome(b)
	writeSomeOff(b)
	signSomeUp(b)
	merge := duplicate.MergeDraft{Versions: []int32{1, 1}}
	for _, draft := range []customer.Draft{
		{Email: "one@example.com", Name: "One"},
		{Email: "other@example.com", Name: "Other", External: idempotency.External{Source: "shop", ExternalID: "17"}},
	} {
		done, err := customer.Upsert.Do(b.Context(), b.Store, b.Intent(draft.Name), draft)
		must.OK(b, err)
		merge.Customers = append(merge.Customers, done.Value.ID)
	}
	merge.Winner = merge.Customers[0]
	b.OK(duplicate.MergeCustomers.Do(b.Context(), b.Store, b.Intent("merge"), merge))
}

// signSomeUp creates two sign-ups and the business of the first.
func signSomeUp(b *invoicetest.Bundle) {
	b.Helper()
	tenant := b.Tenant
	defer func() { b.Tenant = tenant }()
	b.Tenant = account.Strangers
	for _, address := range []email.Address{"one@example.com", "other@example.com"} {
		done, err := signup.Ask.Do(b.Context(), b.Store, b.Intent(string(address)), signup.Draft{Email: address})
		must.OK(b, err)
		if address == "one@example.com" {
			path, err := signup.LastLink(b.Context(), b.DB.Pool, secrets.Seed{}, done.Value.ID)
			must.OK(b, err)
			_, link, _ := strings.Cut(path, "link=")
			b.OK(signup.Start.Do(b.Context(), b.Store, b.Of("start", done.Value.ID, 0), signup.Business{Link: link, Name: "One"}))
		}
	}
}

// receiveSome receives a refund event, then its payment, and a refund whose payment never arrives.
func receiveSome(b *invoicetest.Bundle, inv invoice.Invoice) {
	b.Helper()
	source := uuid.New()
	b.Exec(`INSERT INTO webhook_sources (tenant_id, id, name, scheme) VALUES ($1, $2, 'Bank', 'standard')`, b.Tenant, source)
	asked := webhook.Asked{Invoice: inv.Number, Currency: inv.Currency, Day: date.Today()}
	for _, e := range []struct {
		id, kind, reference string
		amount              int64
	}{{"back", webhook.KindRefund, "P", 1000}, {"paid", webhook.KindPayment, "P", 4000}, {"waits", webhook.KindRefund, "Q", 1}} {
		asked.Kind, asked.Reference, asked.Amount = e.kind, e.reference, e.amount
		a := webhook.Arrival{Source: source, EventID: e.id, Digest: make([]byte, 32), Body: []byte(`{}`), Asked: asked}
		b.OK(webhook.Receive.Do(b.Context(), b.Store, b.Intent(e.id), a))
	}
}

// billSome creates a schedule with three due periods, bills them, edits the schedule, and pauses it.
func billSome(b *invoicetest.Bundle, billed uuid.UUID) {
	b.Helper()
	in := schedule.Input{
		CustomerID: billed.String(), Currency: "EUR", Every: "1", Unit: schedule.Week, FirstDay: date.Today().AddDays(-14).String(),
		BillAs: schedule.AsIssued, Missed: schedule.Each,
		Lines: []invoice.LineInput{{Description: "Support", Quantity: "1", UnitPrice: "90.00", TaxRate: "23"}},
	}
	made, err := in.Draft()
	must.OK(b, err)
	done, err := schedule.Create.Do(b.Context(), b.Store, b.Intent("schedule"), made)
	must.OK(b, err)
	must.OK(b, schedule.Clockwork{Store: b.Store, Now: time.Now}.Run(b.Context(), b.Tenant))
	made.Notes = "Edited"
	b.OK(schedule.Edit.Do(b.Context(), b.Store, b.Of("schedule", done.Value.ID, 1), made))
	b.OK(schedule.Pause.Do(b.Context(), b.Store, b.Of("schedule", done.Value.ID, 0), struct{}{}))
}

// remindSome sends two reminders of an overdue invoice on two days, one of them in a batch.
func remindSome(b *invoicetest.Bundle) {
	b.Helper()
	d, err := invoice.Input{
		Customer: &customer.Input{Email: "late@example.com", Name: "Late"}, IssueDate: "2026-01-05", DueDate: "2026-02-04", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "1", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(b, err)
	late, err := invoice.Create.Do(b.Context(), b.Store, b.Intent("late"), d)
	must.OK(b, err)
	b.OK(invoice.Issue.Do(b.Context(), b.Store, b.Of("issue late", late.Value.ID, 0), invoice.IssueDraft{}))
	batch := reminder.BatchDraft{Reminders: []reminder.Chosen{{InvoiceID: late.Value.ID, Level: 1}}}
	b.OK(reminder.SendBatch.Do(b.Context(), b.Store, b.Intent("remind"), batch))
	b.Exec(`UPDATE invoice_reminders SET sent_on = sent_on - 1`)
	second := reminder.Draft{InvoiceID: late.Value.ID, Level: 2, Message: reminder.Message(2)}
	b.OK(reminder.Send.Do(b.Context(), b.Store, b.Intent("remind again"), second))
}

// writeSomeOff writes off a part of an invoice twice, and takes one of the write-offs back.
func writeSomeOff(b *invoicetest.Bundle) {
	b.Helper()
	inv := b.Issued("off")
	b.OK(b.WriteOff("off", inv, "7"))
	back, err := b.WriteOff("off too", inv, "5")
	must.OK(b, err)
	b.OK(b.TakeBack("back off", back))
}
