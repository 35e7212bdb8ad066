package torture

import (
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/customer/erasure"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/importing"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/batch"
	"onlyonce/internal/invoice/closing"
	creditnotes "onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	refunds "onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	secrets "onlyonce/internal/people/secret"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/email"
)

// programRecords creates an invoice that an event has paid, after a partial refund, a schedule that was billed three times, edited and
// paused, a merged customer, two reminders, a batch, two write-offs, two receipts, two closings, two imports, and two sign-ups, one of
// which has begun its business.
func programRecords(b *invoicetest.Bundle) {
	b.Helper()
	inv := b.Issued("i")
	receiveSome(b, inv)
	billSome(b, inv.Customer.ID)
	remindSome(b)
	issueInABatch(b)
	writeSomeOff(b)
	payFromReceipt(b)
	closeSome(b)
	signSomeUp(b)
	importSome(b)
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

// importSome imports a file with a row that comes twice and a wrong one, confirms another import, and takes a third one back.
func importSome(b *invoicetest.Bundle) {
	b.Helper()
	b.Exec(`INSERT INTO api_tokens (tenant_id, token_hash, name) VALUES ($1, sha256('import'), 'import')`, b.Tenant)
	content := "Name,Email\n" + strings.Repeat("New,new@example.com\n", 2) + ",wrong@example.com\n"
	rows := file.Input{Name: "rows.csv", Content: []byte(content)}
	for _, key := range []string{"file back", "file", "file to do"} {
		d, err := customerimport.Kind.Draft(importing.Input{File: rows})
		must.OK(b, err)
		made, err := customerimport.Kind.Upload.Do(b.Context(), b.Store, b.Intent(key), d)
		must.OK(b, err)
		intent := b.Of(key, made.Value.ID, 0)
		intent.Actor = "token import"
		b.OK(customerimport.Kind.Confirm.Do(b.Context(), b.Store, intent, made.Value.Settings))
		if key != "file to do" {
			worker := importing.Worker{Store: b.Store, Log: slog.New(slog.DiscardHandler), Kinds: []*importing.Kind{customerimport.Kind}}
			must.OK(b, worker.Work(b.Context(), &river.Job[importing.Job]{Args: importing.Job{Tenant: b.Tenant, Import: made.Value.ID}}))
		}
		if key == "file back" {
			b.OK(customerimport.Kind.TakeBack.Do(b.Context(), b.Store, b.Of(key, made.Value.ID, 0), struct{}{}))
		}
	}
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
	asked := webhook.Asked{Invoice: inv.Number, Currency: inv.Currency, At: time.Now()}
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

// issueInABatch issues an invoice by the job of a batch.
func issueInABatch(b *invoicetest.Bundle) {
	b.Helper()
	b.Exec(`INSERT INTO api_tokens (tenant_id, token_hash, name) VALUES ($1, sha256('batch'), 'batch')`, b.Tenant)
	d, err := invoice.Input{
		Customer: &customer.Input{Email: "many@example.com", Name: "Many"}, IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "1", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(b, err)
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent("many"), d)
	must.OK(b, err)
	intent := b.Intent("batch")
	intent.Actor = "token batch"
	of, err := batch.Create.Do(b.Context(), b.Store, intent, batch.Draft{Action: batch.ActionIssue, Invoices: []uuid.UUID{made.Value.ID}})
	must.OK(b, err)
	worker := batch.Worker{Store: b.Store, Log: slog.New(slog.DiscardHandler)}
	must.OK(b, worker.Work(b.Context(), &river.Job[batch.Job]{Args: batch.Job{Tenant: b.Tenant, Batch: of.Value.ID}}))
}

// payFromReceipt records a receipt with a payment, pays an invoice from its credit, takes that back, and pays parts of the credit back, of
// which one is removed. Another receipt is removed with its payment, after the removal of a refund. The invoice is credited, so that the
// payment from the receipt becomes credit, which is reversed and done again; then an amount of another is credited and reversed.
func payFromReceipt(b *invoicetest.Bundle) {
	b.Helper()
	inv := b.Issued("received")
	done, err := b.Receive("receipt", "60", "RX 1", inv, invoicetest.Part(inv, "10"))
	must.OK(b, err)
	paid, err := b.Apply("apply", done.Value, inv, "20")
	must.OK(b, err)
	b.OK(b.Remove("remove from receipt", paid))
	b.OK(b.Repay("repay", done.Value, "5"))
	repaid, err := b.Repay("repay too much", done.Value, "3")
	must.OK(b, err)
	b.OK(receipt.RemoveRepayment.Do(b.Context(), b.Store, b.Of("remove repayment", repaid.ID, 0), struct{}{}))
	gone, err := b.Receive("mistake", "70", "RX 1 too", inv, invoicetest.Part(inv, "15"))
	must.OK(b, err)
	parts, err := payment.ListOfReceipt(b.Context(), b.Store.Pool, b.Tenant, gone.Value.ID, record.Page{Limit: 1})
	must.OK(b, err)
	d, err := refunds.Input{Amount: "2", Date: "2026-11-23"}.Draft(parts.Rows[0].Payment)
	must.OK(b, err)
	back, err := refunds.Create.Do(b.Context(), b.Store, b.Intent("back too much"), d)
	must.OK(b, err)
	b.OK(refunds.Remove.Do(b.Context(), b.Store, b.Of("remove refund", back.Value.ID, 0), struct{}{}))
	b.OK(receipt.Remove.Do(b.Context(), b.Store, b.Of("remove receipt", gone.Value.ID, 0), struct{}{}))
	all, err := creditnotes.Input{}.Draft(inv)
	must.OK(b, err)
	reverseOne(b, "credit what is paid", all)
	b.OK(creditnotes.Create.Do(b.Context(), b.Store, b.Intent("credit it again"), all))
	amount, err := creditnotes.Input{Amount: "9.99"}.Draft(b.Issued("goodwill"))
	must.OK(b, err)
	reverseOne(b, "credit an amount", amount)
}

// reverseOne creates a credit note, and reverses it.
func reverseOne(b *invoicetest.Bundle, key string, d creditnotes.Draft) {
	b.Helper()
	made, err := creditnotes.Create.Do(b.Context(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	b.OK(creditnotes.Reverse.Do(b.Context(), b.Store, b.Intent(key+" reversed"), creditnotes.ReverseDraft{Reverses: made.Value.Header.ID}))
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

// closeSome closes the books twice, and reopens them once.
func closeSome(b *invoicetest.Bundle) {
	b.Helper()
	for _, through := range []string{"2025-01-31", "2025-02-28"} {
		d, err := closing.Input{Through: through}.Draft()
		must.OK(b, err)
		made, err := closing.Create.Do(b.Context(), b.Store, b.Intent(through), d)
		must.OK(b, err)
		if through != "2025-01-31" {
			b.OK(closing.Reopen.Do(b.Context(), b.Store, b.Of("reopen", made.Value.ID, 0), struct{}{}))
		}
	}
}

const erasedText = "programxerasex0x1x1"

// erasedRecords creates a customer with a void draft, an archived schedule and a paid invoice, edits and archives it, and erases it. The
// paid invoice keeps its texts.
func erasedRecords(b *invoicetest.Bundle) {
	b.Helper()
	key := strings.ReplaceAll(erasedText, "x", "-")
	person := customer.Draft{Email: erasedText + "@example.com", Name: erasedText}
	made, err := customer.Upsert.Do(b.Context(), b.Store, b.Intent(key), person)
	must.OK(b, err)
	lines := []invoice.LineInput{{Description: erasedText, Quantity: "1", UnitPrice: "90.00", TaxRate: "0"}}
	body, err := invoice.Input{
		CustomerID: made.Value.ID.String(), IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Notes: erasedText, Lines: lines,
	}.Draft()
	must.OK(b, err)
	draft, err := invoice.Create.Do(b.Context(), b.Store, b.Intent("draft"), body)
	must.OK(b, err)
	must.OK(b, b.Void("void", draft.Value))
	billed, err := invoice.Create.Do(b.Context(), b.Store, b.Intent("paid"), body)
	must.OK(b, err)
	b.OK(invoice.Issue.Do(b.Context(), b.Store, b.Of("paid", billed.Value.ID, 0), invoice.IssueDraft{}))
	b.OK(b.Pay("paid", billed.Value, "90"))
	b.Exec(`UPDATE mails SET state = 'sent', sent_at = now(), body = 'Dear ` + erasedText + `'`)
	b.Exec(`DELETE FROM river.river_job`)
	repeated, err := schedule.Input{
		CustomerID: made.Value.ID.String(), Currency: "EUR", Every: "1", Unit: schedule.Week, FirstDay: date.Today().AddDays(14).String(),
		BillAs: schedule.AsIssued, Missed: schedule.Each, Notes: erasedText, Lines: lines,
	}.Draft()
	must.OK(b, err)
	scheduled, err := schedule.Create.Do(b.Context(), b.Store, b.Intent("schedule"), repeated)
	must.OK(b, err)
	b.OK(schedule.Archive.Do(b.Context(), b.Store, b.Of("schedule", scheduled.Value.ID, 0), struct{}{}))
	person.Name += " edited"
	b.OK(customer.Edit.Do(b.Context(), b.Store, b.Of("edit", made.Value.ID, 1), person))
	b.OK(customer.Archive.Do(b.Context(), b.Store, b.Of("archive", made.Value.ID, 0), struct{}{}))
	b.OK(erasure.Erase.Do(b.Context(), b.Store, b.Intent("erase"), erasure.Draft{Customer: made.Value.ID, Reason: "Asked"}))
}

// fileRecords creates an invoice with a logo and three attachments, and removes one of these. The logo is replaced, and the second is
// removed before there is a third.
func fileRecords(b *invoicetest.Bundle) {
	b.Helper()
	upload := func(key string) logo.Logo {
		draft, err := logo.Input{File: file.Input{Name: key + ".png", Content: picture(key)}}.Draft()
		must.OK(b, err)
		done, err := logo.Create.Do(b.Context(), b.Store, b.Intent(key), draft)
		must.OK(b, err)
		return done.Value
	}
	upload("first")
	inv := b.Issued("i")
	b.OK(logo.Remove.Do(b.Context(), b.Store, b.Of("remove", upload("second").ID, 0), struct{}{}))
	upload("last")
	for _, content := range []string{"a", "b", "c"} {
		draft, err := attachment.Input{File: file.Input{Name: "a.txt", Content: []byte(content)}}.Draft(inv.ID)
		must.OK(b, err)
		done, err := attachment.Create.Do(b.Context(), b.Store, b.Intent(content), draft)
		must.OK(b, err)
		if content == "c" {
			b.OK(attachment.Remove.Do(b.Context(), b.Store, b.Of("c", done.Value.ID, 0), struct{}{}))
		}
	}
}
