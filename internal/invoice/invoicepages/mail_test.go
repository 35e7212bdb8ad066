package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// TestMailOnThePageOfItsInvoice: the page shows the status of the mail, and the button for another one, which counts once.
func TestMailOnThePageOfItsInvoice(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	id := b.Prepared(b.Acme, "one", invoicecases.Invoices(), invoicecases.Invoices().Command).ID
	path := "/invoices/" + id
	show := func() sitetest.Page { return b.Page(person.Get(path)) }
	if p := show(); strings.Contains(p.Text(), "by email") {
		t.Errorf("a draft can be sent: %s", p.Text())
	}
	b.Exec(`UPDATE invoices SET status = 'issued', issued_at = now(), bill_to = '{"email": "ada@example.com", "name": "Ada"}',
		seller = '{"name": "Acme"}'`)
	p := show().Says("Not sent by email.") // it was issued by an earlier release
	if a := person.PressAny(p, "Send by email"); a.Location() != path {
		t.Fatal(a)
	}
	show().Says("Email queued.", "Email to ada@example.com: Waiting to be sent")
	if a := person.PressAny(p, "Send by email"); a.Location() != path { // the second click of a double click
		t.Fatal(a)
	}
	if p := show().Says("We ignored the duplicate submission"); strings.Contains(p.Text(), "Send again") {
		t.Errorf("it can be sent again while it waits: %s", p.Text())
	}
	wantMails(b, 1)

	b.Exec(`UPDATE mails SET reason = 'The mail server couldn''t be reached.', attempts = 2`)
	show().Says("Email to ada@example.com: Waiting to try again. The mail server couldn't be reached.")
	b.Exec(`
		UPDATE mails SET created_at = now() - interval '1 minute', state = 'failed',
			reason = 'The mail server refused it: 550 No such user.'`)
	p = show().Says("Failed. The mail server refused it: 550 No such user.")
	troubles := func() bool {
		home, list := b.Page(person.Get("/home")).Text(), b.Page(person.Get("/invoices")).Text()
		onHome := strings.Contains(home, "Emails that failed") && strings.Contains(home, "The mail server refused it: 550 No such user.")
		assert.Equal(t, strings.Contains(list, "Email failed"), onHome, "the failed email is in the list")
		above, _, _ := strings.Cut(home, "Open by age")
		assert.Thatf(t, !onHome || strings.Contains(above, "To do"), "the charts come before the things to do")
		return onHome
	}
	assert.Thatf(t, troubles(), "the failed email is not on Home")
	if a := person.PressAny(p, "Try again"); a.Location() != path {
		t.Fatal(a)
	}
	wantMails(b, 2)
	assert.Thatf(t, !troubles(), "the failed email is still on Home after another one was queued")
	b.Exec(`
		UPDATE mails SET created_at = now() - interval '1 minute', state = 'sent', sent_at = '2026-11-22 10:00Z', kept = true,
			reason = 'no mail server is set up', body = E'Hello Ada,\n<b>'
		WHERE state = 'queued'`)
	kept := "/outbox/" + sitetest.Get[string](b, `SELECT id::text FROM mails WHERE kept`)
	p = show().Says("Email to ada@example.com: Not sent: no mail server is set up", "Send again")
	p.LeadsTo(path + "/send/new")

	b.Page(person.Get("/outbox")).
		Says("Outbox", "2026-0001 to ada@example.com", "Failed. The mail server refused it: 550 No such user.").LeadsTo(kept)
	b.Page(person.Get(kept)).
		Says("Hello Ada, <b>", "Invoice 2026-0001 from Acme").LeadsTo(path)
	b.Page(person.Get("/outbox/"+sitetest.Get[string](b, `SELECT id::text FROM mails WHERE NOT kept`))).
		Says("You can read the message here once the email is sent.", "Queued once")
	b.Person(b.Replica, b.Globex).Get(kept).Want(t, http.StatusNotFound, "another tenant reads it")

	b.Exec(`
		UPDATE mails SET state = 'failed', reason = 'The mail server refused it: 550 No such user.', sent_at = NULL, kept = false
		WHERE kept`)
	b.Exec(`UPDATE invoices SET status = 'void', voided_at = now()`)
	assert.Thatf(t, !troubles(), "an email about a void invoice that needn't be sent any more is said to have failed")
	b.Exec(`UPDATE mails SET kind = 'void'`)
	assert.Thatf(t, troubles(), "nothing is said of the email that the invoice is void, which has failed")
	again := path + "/send/new?failed_id=" + sitetest.Get[string](b, `SELECT id::text FROM mails ORDER BY id DESC LIMIT 1`)
	show().LeadsTo(again)
	form := b.Page(person.Get(person.Get(again).Location())).Says("Send this email again")
	person.Press(form, "Send email").Want(t, http.StatusSeeOther)
	assert.Thatf(t, !troubles(), "the failed email is still on Home after it was sent again")
}

func wantMails(b *sitetest.Bundle, n int) {
	b.Helper()
	assert.Equal(b, sitetest.Get[int](b, `SELECT count(*) FROM mails`), n, "mails")
	assert.Equal(b, sitetest.Get[int](b, `SELECT count(*) FROM river.river_job`), n, "jobs")
}

// TestEInvoiceIsRemembered checks that the forms offer the e-invoice if no data is missing, as the customer's last email had it, and that
// the button that sends the email again sends it too.
func TestEInvoiceIsRemembered(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	draft := func(key string) string {
		return "/invoices/" + b.Prepared(b.Acme, key, invoicecases.Invoices(),
			sitetest.Change(invoicecases.Invoices().Command, "notes", key)).ID
	}
	form := func(path string) sitetest.Page { return b.Page(person.Get(person.Get(path).Location())) }
	wants := func(p sitetest.Page, want string) {
		t.Helper()
		assert.Equal(t, strings.Join(p.Typed()["e_invoice"], ","), want, "the form sends e_invoice")
	}
	first, second := draft("first"), draft("second")
	if p := form(first + "/issue"); len(p.Controls("e_invoice")) != 0 {
		t.Error("the e-invoice is offered without required data")
	}
	b.Exec(`UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	b.Exec(`UPDATE customers SET country = 'IE'`)
	asked := form(first + "/issue")
	wants(asked, "")
	person.Submit(first+"/issue", sitetest.Change(asked.Typed(), "e_invoice", "true", "email", "customer"))
	wants(form(second+"/issue"), "true")
	b.Exec(`UPDATE mails SET created_at = now() - interval '1 minute', state = 'sent', sent_at = now()`)
	wants(form(first+"/send/new"), "true")
	person.PressAny(b.Page(person.Get(first)), "Send again")
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM mails WHERE e_invoice`), 2, "mails have the e-invoice attached")
}

// TestTextsHaveTheirOwnHistory: a change of the settings, whose record has the same id, isn't in the history of the email texts. Their
// examples have the name from the settings, as emails do.
func TestTextsHaveTheirOwnHistory(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	change := func(path string, pairs ...string) {
		form := b.Page(person.Get(person.Get(path + "/edit").Location()))
		person.Submit(path+"/edit", sitetest.Change(form.Typed(), pairs...)).Want(t, http.StatusSeeOther)
	}
	change("/settings", "name", "Acme Studio Ltd")
	p := b.Page(person.Get("/email-texts")).Says("Invoice 2026-0042 from Acme Studio Ltd", "in credit notes and reversals, the reason and")
	assert.Thatf(t, !strings.Contains(p.Text(), "Changed"), "%s", p.Text())
	change("/email-texts", "void_subject", "Void")
	b.Page(person.Get("/email-texts/events")).Says("Void invoice, subject set to Void")
	p = b.Page(person.Get("/settings/events")).Says("Legal name changed from Acme to Acme Studio Ltd")
	assert.Thatf(t, !strings.Contains(p.Text(), "Changed"), "%s", p.Text())
}

// TestReminderThatWasNotSent: the pages that have the last reminder show that its email wasn't sent. It still has its level.
func TestReminderThatWasNotSent(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	late := sitetest.Change(invoicecases.Invoices().Command, "issue_date", "2026-01-05", "due_date", "2026-02-04")
	at := "/invoices/" + b.Prepared(b.Acme, "one", invoicecases.Invoices(), late, "issue").ID
	plan := `{"first_after": "7", "second_after": "14"}`
	program.With("Idempotency-Key", "plan").Post("/api/v1/reminder-plans", plan).Want(t, http.StatusCreated)
	b.Page(person.Get(at)).Says("Was due 4 Feb 2026. Next automatic reminder: today.")
	program.With("Idempotency-Key", "remind").Post("/api/v1"+at+"/reminders", `{"level": "1"}`).Want(t, http.StatusCreated)
	day := sitetest.Get[string](b, `SELECT to_char(sent_on, 'FMDD Mon YYYY') FROM invoice_reminders`)
	next := sitetest.Get[string](b, `SELECT to_char(sent_on + 14, 'FMDD Mon YYYY') FROM invoice_reminders`)
	b.Page(person.Get(at)).Says("Last reminder: Payment reminder, " + day + ". Next automatic reminder: " + next + ".")
	b.Page(person.Get("/invoices")).Says("Reminded 1×")
	for _, unsent := range []string{`state = 'failed'`, `state = 'sent', sent_at = now(), kept = true, body = 'Hello'`} {
		b.Exec(`UPDATE mails SET reason = 'no mail server is set up', ` + unsent)
		b.Page(person.Get(at)).Says("Last reminder: Payment reminder, " + day + ", not sent.")
		b.Page(person.Get("/invoices")).Says("Reminder 1 not sent")
		b.Page(person.Get(at+"/reminders/new?key=early")).Says(
			"The last reminder of this invoice: Payment reminder, "+day+", not sent.", "even if its email wasn't sent.")
	}
}
