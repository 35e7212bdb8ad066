package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestIssueSaysWhoIsTold: a program chooses whether the customer gets an email, and its text. Both are part of the command.
func TestIssueSaysWhoIsTold(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                                      "1 ",
		`{}`:                                    "1 ",
		`{"email":"customer"}`:                  "1 ",
		`{"message":"Dear Ada,\r\nhere it is"}`: "1 Dear Ada,\nhere it is",
		`{"email":"none"}`:                      "0 ",
		`{"email":"none","message":"Dear"}`:     "0 ",
	} {
		t.Run(body, func(t *testing.T) {
			b := setup(t)
			path := "/api/v1/invoices/" + b.prepared(b.acme, "invoice", invoices(), invoices().command).ID + "/issue"
			program := b.program(b.replica, b.acme).with("Idempotency-Key", "issue")
			if a := program.post(path, body); a.status != http.StatusOK || !strings.Contains(a.body, `"status":"issued"`) {
				t.Fatal(a)
			}
			if got := get[string](b, `SELECT count(*) || ' ' || COALESCE(min(message), '') FROM mails`); got != want {
				t.Errorf("mails %q, want %q", got, want)
			}
			if a := program.post(path, `{"message":"Something else"}`); a.status != http.StatusUnprocessableEntity {
				t.Errorf("another wish under the same key: %v", a)
			}
		})
	}
}

// TestIssueRefusesWhatItCannotSend: the form keeps the typed values.
func TestIssueRefusesWhatItCannotSend(t *testing.T) {
	b := setup(t)
	path := "/invoices/" + b.prepared(b.acme, "invoice", invoices(), invoices().command).ID + "/issue"
	program := b.program(b.replica, b.acme).with("Idempotency-Key", "issue")
	for body, pointer := range map[string]string{
		`{"email":"grace"}`: "/email", `{"message":"a\u202eb"}`: "/message", `{"message":"` + strings.Repeat("a", 2001) + `"}`: "/message",
	} {
		a := program.post("/api/v1"+path, body)
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `"`+pointer+`"`) {
			t.Errorf("%.30s: %v", body, a)
		}
	}
	person := b.person(b.replica, b.acme)
	typed := url.Values{"idempotency_key": {key}, "email": {"customer"}, "message": {strings.Repeat("a", 2001)}}
	a := person.submit(path, typed)
	if a.status != http.StatusUnprocessableEntity {
		t.Fatal(a)
	}
	p := b.page(a).says("Shorten the message to at most 2000 characters.")
	if got := p.typed().Get("message"); got != typed.Get("message") {
		t.Errorf("the message is now %q", got)
	}
	if n := get[int](b, `SELECT count(*) FROM invoices WHERE status <> 'draft'`); n != 0 {
		t.Error("it was issued")
	}
}

// TestIssueWarns about missing and unusual values of the invoice, with links to correct them.
func TestIssueWarns(t *testing.T) {
	b := setup(t)
	command := change(invoices().command, "customer_country", "", "due_date", "2026-11-22", "issue_date", "2026-11-21")
	made := b.prepared(b.acme, "invoice", invoices(), command)
	path := "/invoices/" + made.ID
	person := b.person(b.replica, b.acme)
	warned := func() page { return b.page(person.get(path + "/issue?key=" + key)) }
	customer := get[string](b, `SELECT '/customers/' || id FROM customers`)

	p := warned().says("The invoice doesn't show your address, your country, your tax ID and your bank account. Add them in the settings",
		"The invoice doesn't show the customer's address and the customer's country. Add them to the customer",
		"The due date, 22 Nov 2026, has passed.")
	p.leadsTo("/settings/edit")
	p.leadsTo(customer + "/edit")
	p.leadsTo(path + "/edit")
	b.exec(`
		UPDATE settings SET address = 'Main Street 1', country = 'IE', tax_id = 'IE6388047V', account_holder = '♥'
		WHERE tenant_id = $1`, b.acme.id)
	b.exec(`UPDATE customers SET name = $1, address = $2, country = 'DE'`, "Łódź Ελλ \u6771\u4eac", "אב\nNo → 1")
	b.exec(`UPDATE invoices SET due_date = '2099-12-31', notes = 'Zażółć क्षत्रिय'`)
	b.exec(`UPDATE invoice_lines SET description = $1, tax_rate = 0 WHERE position = 1`, "Tea 🍵 ✓ \u6771")
	p = warned().says("The invoice doesn't show your bank account. Add it in the settings",
		"The invoice doesn't show the customer's VAT number.",
		"The PDF file can't show \u6771 \u4eac in the customer's name, א ב → in the customer's address, 🍵 ✓ \u6771 in line 1 "+
			"and ♥ in the account holder.")
	p.leadsTo(path + "/pdf")
	if said := p.text(); strings.Contains(said, "due date,") {
		t.Errorf("it warns of a day to come: %s", said)
	}
	b.exec(`UPDATE settings SET account_number = '1', account_holder = 'Ada' WHERE tenant_id = $1`, b.acme.id)
	b.exec(`UPDATE customers SET name = 'Łódź', address = 'Długa 1', tax_id = 'DE136695976'`)
	b.exec(`UPDATE invoice_lines SET description = 'Tea – 1 €' WHERE position = 1`)
	if found := all(warned().root, "p"); slices.ContainsFunc(found, func(n *html.Node) bool {
		class, _ := attr(n, "class")
		return class == "warning"
	}) {
		t.Errorf("it warns of a complete invoice: %s", warned().text())
	}
}

// TestVoidTellsWhoGotIt: voiding sends an email on request, and none for a draft.
func TestVoidTellsWhoGotIt(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]struct {
		ready []string
		body  string
		want  string
	}{
		"a draft": {nil, `{"tell_customer":true}`, ""},
		"issued":  {[]string{"issue"}, `{"tell_customer":true}`, "invoice void"},
		"quietly": {[]string{"issue"}, ``, "invoice"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			made := b.prepared(b.acme, "invoice", invoices(), invoices().command, state.ready...)
			program := b.program(b.replica, b.acme).with("Idempotency-Key", "void")
			for range 2 {
				if a := program.post("/api/v1/invoices/"+made.ID+"/void", state.body); a.status != http.StatusOK {
					t.Fatal(a)
				}
			}
			if got := get[string](b, `SELECT COALESCE(string_agg(kind, ' ' ORDER BY kind), '') FROM mails`); got != state.want {
				t.Errorf("mails %q, want %q", got, state.want)
			}
		})
	}
}

// TestAskedAboutWhatIsDone: the confirmation page reports that its form was used, or that the transition is no longer possible.
func TestAskedAboutWhatIsDone(t *testing.T) {
	b := setup(t)
	path := "/invoices/" + b.prepared(b.acme, "invoice", invoices(), invoices().command).ID
	person := b.person(b.replica, b.acme)
	if a := person.submit(path+"/issue", url.Values{"idempotency_key": {key}}); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	b.page(person.get(path)).says("Invoice 2026-0001 issued.")
	b.page(person.get(path + "/issue?key=" + key)).says("This form already issued 2026-0001.").leadsTo(path)
	late := person.get(path + "/issue?key=other")
	if late.status != http.StatusConflict {
		t.Error(late)
	}
	b.page(late).says("You can no longer issue this invoice.").leadsTo(path)
}

// TestStepsAreAskedOnPages: the text of the email can be edited, and is kept when the draft has changed in the meantime, which
// has to be confirmed again. The email is optional. The notice that an invoice is void goes only to the recipients of its
// email.
func TestStepsAreAskedOnPages(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	draft := func(key string) string {
		return "/invoices/" + b.prepared(b.acme, key, invoices(), change(invoices().command, "notes", key)).ID
	}
	ask := func(path string) page { return b.page(person.get(person.get(path).location())) }
	first, second := draft("first"), draft("second")
	form := ask(first + "/issue").says("can't be edited").typed()
	b.exec(`UPDATE invoices SET notes = 'another' WHERE notes = 'first'`)
	p := b.page(person.submit(first+"/issue", change(form, "message", "Dear Ada"))).says("was changed since this page was opened.")
	keeps(b, p, url.Values{"message": {"Dear Ada"}})
	b.page(person.get(person.press(p, "Issue only").location())).says("Invoice 2026-0001 issued.")
	b.wantMails(0)
	tells := func(path string) bool { return len(ask(path+"/void").controls("tell_customer")) > 0 }
	if tells(first) {
		t.Error("a customer without an email can be notified")
	}
	person.press(ask(second+"/issue"), "Issue and email to ada@example.com")
	b.wantMails(1)
	b.exec(`UPDATE mails SET state = 'sent', sent_at = now()`)
	if !tells(second) {
		t.Error("who got an email cannot be told")
	}
	person.submit(second+"/void", change(ask(second+"/void").typed(), "tell_customer", "true"))
	b.wantMails(2)
	void := b.page(person.get(second)).says("This invoice doesn't count.")
	for _, link := range all(void.root, "a") {
		if href, _ := attr(link, "href"); strings.HasPrefix(href, second+"/") && !strings.HasSuffix(href, "/pdf") {
			t.Errorf("there is something left to do: %s", href)
		}
	}
}
