package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/invoice/mail"
)

func mails() resource {
	command := url.Values{"recipient": {"ada@example.com"}}
	return resource{
		name: "email", path: "/outbox", parent: &parent{resource: invoices(), ready: []string{"issue"}, at: "/send"},
		words: words{verb: "send", past: "queued"}, command: command, label: "2026-0001 to ada@example.com",
		leaves: rows{"mails": 1, "intents": 1, "intent_effects": 1},
		other:  change(command, "recipient", "grace@example.com"),
		fields: []field{{"recipient", "office@example.com", "ada at example", "/recipient"}},
		api:    api{func(form url.Values) string { return encode(map[string]any{"recipient": form.Get("recipient")}) }, mail.Input{}},
	}
}

// TestMailOnThePageOfItsInvoice: the page shows the status of the mail, and the button for another one, which counts once.
func TestMailOnThePageOfItsInvoice(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	id := b.prepared(b.acme, "one", invoices(), invoices().command).ID
	path := "/invoices/" + id
	show := func() page { return b.page(person.get(path)) }
	if p := show(); strings.Contains(p.text(), "by email") {
		t.Errorf("a draft can be sent: %s", p.text())
	}
	b.exec(`UPDATE invoices SET status = 'issued', issued_at = now(), bill_to = '{"email": "ada@example.com", "name": "Ada"}',
		seller = '{"name": "Acme"}'`)
	p := show().says("This invoice wasn't sent by email.") // it was issued by an earlier release
	if a := person.pressAny(p, "Send by email"); a.location() != path {
		t.Fatal(a)
	}
	show().says("Email queued.", "Email to ada@example.com: Waiting to be sent")
	if a := person.pressAny(p, "Send by email"); a.location() != path { // the second click of a double click
		t.Fatal(a)
	}
	if p := show().says("We ignored the duplicate submission"); strings.Contains(p.text(), "Send again") {
		t.Errorf("it can be sent again while it waits: %s", p.text())
	}
	b.wantMails(1)

	b.exec(`UPDATE mails SET reason = 'The mail server couldn''t be reached.', attempts = 2`)
	show().says("Email to ada@example.com: Waiting to try again. The mail server couldn't be reached.")
	b.exec(`
		UPDATE mails SET created_at = now() - interval '1 minute', state = 'failed',
			reason = 'The mail server refused it: 550 No such user.'`)
	p = show().says("Failed. The mail server refused it: 550 No such user.")
	troubles := func() bool {
		home, list := b.page(person.get("/home")).text(), b.page(person.get("/invoices")).text()
		onHome := strings.Contains(home, "Emails that failed") && strings.Contains(home, "The mail server refused it: 550 No such user.")
		if inList := strings.Contains(list, "Email failed"); inList != onHome {
			t.Errorf("the failed email is on Home: %t, and in the list: %t", onHome, inList)
		}
		if above, _, _ := strings.Cut(home, "Open by age"); onHome && !strings.Contains(above, "To do") {
			t.Error("the charts come before the things to do")
		}
		return onHome
	}
	if !troubles() {
		t.Error("the failed email is not on Home")
	}
	if a := person.pressAny(p, "Try again"); a.location() != path {
		t.Fatal(a)
	}
	b.wantMails(2)
	if troubles() {
		t.Error("the failed email is still on Home after another one was queued")
	}
	b.exec(`
		UPDATE mails SET created_at = now() - interval '1 minute', state = 'sent', sent_at = '2026-11-22 10:00Z', kept = true,
			reason = 'no mail server is set up', body = E'Hello Ada,\n<b>'
		WHERE state = 'queued'`)
	kept := "/outbox/" + get[string](b, `SELECT id::text FROM mails WHERE kept`)
	p = show().says("Email to ada@example.com: Not sent: no mail server is set up", "Send again")
	p.leadsTo(path + "/send/new")

	b.page(person.get("/outbox")).
		says("Outbox", "2026-0001 to ada@example.com", "Failed. The mail server refused it: 550 No such user.").leadsTo(kept)
	b.page(person.get(kept)).
		says("Hello Ada, <b>", "Invoice 2026-0001 from Acme").leadsTo(path)
	b.page(person.get("/outbox/"+get[string](b, `SELECT id::text FROM mails WHERE NOT kept`))).
		says("You can read the message here once the email is sent.", "Queued once")
	if a := b.person(b.replica, b.globex).get(kept); a.status != http.StatusNotFound {
		t.Errorf("another tenant reads it: %v", a)
	}

	b.exec(`
		UPDATE mails SET state = 'failed', reason = 'The mail server refused it: 550 No such user.', sent_at = NULL, kept = false
		WHERE kept`)
	b.exec(`UPDATE invoices SET status = 'void', voided_at = now()`)
	if troubles() {
		t.Error("an email about a void invoice that needn't be sent any more is said to have failed")
	}
	b.exec(`UPDATE mails SET kind = 'void'`)
	if !troubles() {
		t.Error("nothing is said of the email that the invoice is void, which has failed")
	}
}

func (b *bundle) wantMails(n int) {
	b.Helper()
	if got := get[int](b, `SELECT count(*) FROM mails`); got != n {
		b.Errorf("%d mails, want %d", got, n)
	}
	if got := get[int](b, `SELECT count(*) FROM river.river_job`); got != n {
		b.Errorf("%d jobs, want %d", got, n)
	}
}
