package mail_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// TestPlaceholders checks which texts are refused, also by the database.
func TestPlaceholders(t *testing.T) {
	b := invoicetest.Setup(t)
	for text, problem := range map[string]string{
		"{number}, {total}{due}": "", "{nubmer}": "{nubmer} isn't a placeholder. The placeholders are {number}, {issued}, {due}, ",
		"{ number }": "{ number } isn't", "{{number}}": "{ isn't", "number}": "} isn't", "{\nnumber}": "{ isn't",
		"{credited}": "{credited} isn't", // of credit notes
	} {
		_, err := mail.Wording{VoidText: text}.Draft()
		assert.Thatf(t, (problem == "") == (err == nil) && strings.Contains(fmt.Sprint(err), problem), "%q: %v", text, err)
		_, err = b.Admin.Exec(t.Context(), `UPDATE mail_texts SET void_text = $1`, text)
		assert.Thatf(t, (problem == "" || text == "{credited}") == (err == nil), "in the database, %q: %v", text, err)
	}
	_, err := mail.Wording{CreditNoteSubject: "{credited}{credit_note}{credited_on}"}.Draft()
	must.OK(t, err)
	_, err = b.Admin.Exec(t.Context(), `UPDATE mail_texts SET void_subject = E'Void\nBcc: eve@example.com'`)
	assert.Thatf(t, err != nil, "a subject has two lines")
}

// TestCurrencyDecimals compares the database's decimals of currencies with those of package money.
func TestCurrencyDecimals(t *testing.T) {
	b := invoicetest.Setup(t)
	for _, code := range slices.Concat(money.Currencies(), money.Withdrawn()) {
		c, _ := money.ParseCurrency(code)
		assert.Equal(t, storetest.Value[int32](b, `SELECT currency_decimals($1)`, code), c.Decimals(), code)
	}
}

// TestWording checks that each kind of mail is queued with the texts of the business, filled in as [mail.Fill] does, and that values aren't
// filled in again.
func TestWording(t *testing.T) {
	b := invoicetest.Setup(t)
	for round, template := range []func(kind string) (subject, text string){
		mail.Standard,
		func(kind string) (subject, text string) {
			all := strings.Join(mail.Placeholders(kind), " | ")
			return kind + " " + all, all + "\n" + kind
		},
	} {
		var set mail.Wording
		for _, of := range set.Each() {
			if round > 0 {
				*of.Subject, *of.Text = template(of.Kind)
			}
		}
		set, err := set.Draft()
		must.OK(t, err)
		_, err = mail.SetTexts.Do(t.Context(), b.Store, b.Of(fmt.Sprint("texts", round), b.Tenant, 1), set)
		must.OK(t, err)
		for _, currency := range []string{"EUR", "JPY", "BHD", "CLF"} {
			for _, about := range everyMail(t, b, fmt.Sprint(round, currency), currency) {
				subject, text := template(about.Kind)
				assert.Equal(t, about.Subject, mail.Fill(subject, about.inv, about.note), about.Kind, currency)
				got := about.Introduction
				if about.Level() > 0 {
					got = about.Message
				} else if round == 0 {
					text = ""
				}
				assert.Equal(t, got, mail.Fill(text, about.inv, about.note), about.Kind, currency)
				assert.Thatf(t, about.Greeted, "%s gets a second greeting", about.Kind)
			}
		}
	}
}

// queued is a mail with its records, as they were when it was queued.
type queued struct {
	mail.Mail

	inv  invoice.Invoice
	note credit.Note
}

// everyMail queues a mail of each kind, except for further levels of reminders.
func everyMail(t *testing.T, b *invoicetest.Bundle, key, currency string) (all []queued) {
	t.Helper()
	inv, void := overdue(t, b, key, currency), overdue(t, b, key+" void", currency)
	remind, err := reminder.Input{Level: "1"}.Draft(inv.ID)
	must.OK(t, err)
	_, err = reminder.Send.Do(t.Context(), b.Store, b.Intent(key+" remind"), remind)
	must.OK(t, err)
	batch, err := reminder.BatchInput{Reminders: []reminder.ChosenInput{{InvoiceID: void.ID.String(), Level: "1"}}}.Draft()
	must.OK(t, err)
	_, err = reminder.SendBatch.Do(t.Context(), b.Store, b.Intent(key+" batch"), batch)
	must.OK(t, err)
	d, err := credit.Input{Tell: true}.Draft(inv)
	must.OK(t, err)
	note, err := credit.Create.Do(t.Context(), b.Store, b.Intent(key+" credit"), d)
	must.OK(t, err)
	credited := b.Find(inv)
	reverse, err := credit.ReverseInput{Tell: true}.Draft(note.Value)
	must.OK(t, err)
	back, err := credit.Reverse.Do(t.Context(), b.Store, b.Intent(key+" reverse"), reverse)
	must.OK(t, err)
	voided, err := invoice.Void.Do(t.Context(), b.Store, b.Of(key+" void", void.ID, 0), invoice.VoidDraft{Tell: true})
	must.OK(t, err)
	of := map[string]queued{
		mail.KindInvoice: {inv: inv}, mail.KindReminder(1): {inv: inv}, mail.KindCreditNote: {inv: credited, note: note.Value},
		mail.KindReversal: {inv: b.Find(inv), note: back.Value},
	}
	for _, about := range []invoice.Invoice{inv, void} {
		list, err := mail.ListOf(t.Context(), b.DB.Pool, b.Tenant, about.ID, record.Page{Limit: 10})
		must.OK(t, err)
		for _, m := range list.Rows {
			q := of[m.Kind]
			if about.ID == void.ID {
				if q.inv = void; m.Kind == mail.KindVoid {
					q.inv = voided.Value
				}
			}
			q.Mail = m
			all = append(all, q)
		}
	}
	assert.Equal(t, len(all), 7, "mails")
	return all
}

// overdue issues an invoice that was due yesterday.
func overdue(t *testing.T, b *invoicetest.Bundle, key, currency string) invoice.Invoice {
	t.Helper()
	in := invoice.Input{
		Customer: &customer.Input{
			Email: "ada@example.com", Name: "{total} Ltd", Texts: customer.Texts{Contact: "Ada {number} of " + currency},
			SameEmail: true,
		},
		IssueDate: date.Today().AddDays(-40).String(), DueDate: date.Today().AddDays(-1).String(), Currency: currency,
		Lines: []invoice.LineInput{{Description: key, Quantity: "1", UnitPrice: "1234567", TaxRate: "0"}},
	}
	d, err := in.Draft()
	must.OK(t, err)
	made, err := invoice.Create.Do(t.Context(), b.Store, b.Intent(key), d)
	must.OK(t, err)
	done, err := invoice.Issue.Do(t.Context(), b.Store, b.Of(key, made.Value.ID, 0), invoice.IssueDraft{})
	must.OK(t, err)
	return done.Value
}

// TestGreeting checks which emails get a greeting when they are sent: those that the version before queued with a text without one.
func TestGreeting(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := overdue(t, b, "i", "EUR")
	set, err := mail.Wording{InvoiceText: "Dear Ada, see {number}."}.Draft()
	must.OK(t, err)
	_, err = mail.SetTexts.Do(t.Context(), b.Store, b.Of("texts", b.Tenant, 1), set)
	must.OK(t, err)
	hello, own := "Hello "+inv.Customer.Contact+",\n\n", "Dear Ada, see "+inv.Number+"."
	for before, opening := range map[mail.Mail]string{
		{Kind: mail.KindInvoice}:                                    own,
		{Kind: mail.KindInvoice, Introduction: own}:                 own,
		{Kind: mail.KindInvoice, Introduction: "Here."}:             hello + "Here.",
		{Kind: mail.KindInvoice, Introduction: hello + "Here."}:     hello + "Here.",
		{Kind: mail.KindReminder(1), Message: "Please pay."}:        hello + "Please pay.",
		{Kind: mail.KindReminder(2), Message: hello + "Please pay"}: hello + "Please pay",
	} {
		id := uuid.New()
		b.Exec(`INSERT INTO mails (tenant_id, id, invoice_id, kind, introduction, message) VALUES ($1, $2, $3, $4, $5, $6)`,
			b.Tenant, id, inv.ID, before.Kind, before.Introduction, before.Message)
		m, err := record.Find(t.Context(), b.DB.Pool, mail.Table, b.Tenant, id)
		must.OK(t, err)
		assert.Equal(t, m.Opening(inv), opening, before.Kind, before.Introduction)
	}
	d, err := mail.Input{Introduction: "Here it is."}.Draft(inv.ID)
	must.OK(t, err)
	sent, err := mail.Send.Do(t.Context(), b.Store, b.Intent("send"), d)
	must.OK(t, err)
	assert.Equal(t, sent.Value.Opening(inv), "Here it is.")
}
