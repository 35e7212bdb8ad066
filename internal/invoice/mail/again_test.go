package mail_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// again sends a failed mail again, as one about an invoice.
func again(b *invoicetest.Bundle, key string, of mail.Mail, about invoice.Invoice) error {
	d, err := mail.Input{Failed: of.ID.String()}.Draft(about.ID)
	must.OK(b, err)
	_, err = mail.Send.Do(context.Background(), b.Store, b.Intent(key), d)
	return err
}

// last returns the last mail about an invoice.
func last(b *invoicetest.Bundle, inv invoice.Invoice) mail.Mail {
	list, err := mail.ListOf(b.Context(), b.DB.Pool, b.Tenant, inv.ID, record.Page{Limit: 1})
	must.OK(b, err)
	return list.Rows[0]
}

// TestFailedIsSentAgain checks that the failed mail about a credit note or a void invoice is sent again once, also by several people at
// once, and that one that didn't fail, or is about another invoice, isn't.
func TestFailedIsSentAgain(t *testing.T) {
	b := invoicetest.Setup(t)
	all := everyMail(t, b, "1", "EUR")
	for i, of := range all {
		if of.Kind != mail.KindCreditNote && of.Kind != mail.KindVoid {
			continue
		}
		err := again(b, fmt.Sprint("queued ", i), of.Mail, of.inv)
		assert.Thatf(t, storetest.IsConflict(err, &mail.NotFailed), "%s isn't failed: %v", of.Kind, err)
		b.Exec(`UPDATE mails SET state = 'failed' WHERE id = $1`, of.ID)
		err = again(b, fmt.Sprint("other ", i), of.Mail, all[len(all)-1-i].inv)
		assert.Thatf(t, storetest.IsConflict(err, &mail.NotFailed), "%s of another invoice: %v", of.Kind, err)
		errs := storetest.Together(4, func(n int) error { return again(b, fmt.Sprint(i, " again ", n), of.Mail, of.inv) })
		assert.Equal(t, b.Succeeded(errs, &mail.NotFailed), 1, of.Kind)
		m := last(b, of.inv)
		assert.Thatf(t, m.ID != of.ID && m.Kind == of.Kind && m.Subject == of.Subject && m.CreditNoteID == of.CreditNoteID &&
			m.State == "queued", "%+v", m)
	}
}

// TestCreditNoteIsSent checks that a credit note and its reversal are sent with the texts of their kinds, but not about another invoice.
func TestCreditNoteIsSent(t *testing.T) {
	b := invoicetest.Setup(t)
	for _, of := range everyMail(t, b, "1", "EUR") {
		if of.CreditNoteID == uuid.Nil {
			continue
		}
		d := mail.Draft{InvoiceID: of.inv.ID, CreditNote: of.CreditNoteID}
		_, err := mail.Send.Do(t.Context(), b.Store, b.Intent("send "+of.Kind), d)
		must.OK(t, err)
		m := last(b, of.inv)
		assert.Thatf(t, m.ID != of.ID && m.Kind == of.Kind && m.Subject == of.Subject && m.CreditNoteID == of.CreditNoteID, "%+v", m)
		d.InvoiceID = overdue(t, b, "other "+of.Kind, "EUR").ID
		_, err = mail.Send.Do(t.Context(), b.Store, b.Intent("other "+of.Kind), d)
		wrong, is := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, is && strings.Contains(wrong.Error(), "/credit_note_id"), "of another invoice: %v", err)
	}
}

// TestFailedReminderIsSentAgain checks that a failed reminder is sent again with its text, as often as it fails, while the invoice is open,
// and stays the only one of its level.
func TestFailedReminderIsSentAgain(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := overdue(t, b, "i", "EUR")
	d, err := reminder.Input{Level: "1", Message: "Please pay."}.Draft(inv.ID)
	must.OK(t, err)
	sent, err := reminder.Send.Do(t.Context(), b.Store, b.Intent("remind"), d)
	must.OK(t, err)
	for round := range 3 {
		failed := last(b, inv)
		b.Exec(`UPDATE mails SET state = 'failed'`)
		must.OK(t, again(b, fmt.Sprint("again ", round), failed, inv))
		m := last(b, inv)
		assert.Thatf(t, m.Message == "Please pay." && m.Introduction == "" && m.Level() == 1, "%+v", m)
		list, err := reminder.ListOf(t.Context(), b.DB.Pool, b.Tenant, inv.ID, record.Page{Limit: 2})
		must.OK(t, err)
		assert.Thatf(t, len(list.Rows) == 1 && list.Rows[0].ID == sent.Value.ID && list.Rows[0].State == "queued", "%+v", list.Rows)
	}
	failed := last(b, inv)
	b.Exec(`UPDATE mails SET state = 'failed'`)
	_, err = b.Pay("pay", inv, "1234567")
	must.OK(t, err)
	err = again(b, "paid", failed, inv)
	assert.Thatf(t, storetest.IsConflict(err, &mail.NotFailed), "of a paid invoice: %v", err)
}
