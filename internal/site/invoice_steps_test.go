package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestIssueSaysWhoIsTold: a program chooses whether the customer gets an email, and what it says. That is part of its wish.
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

// TestIssueRefusesWhatItCannotSend, and keeps what was typed.
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

// TestIssueWarns of what the invoice does not say, and leads to where it is added.
func TestIssueWarns(t *testing.T) {
	b := setup(t)
	path := "/invoices/" + b.prepared(b.acme, "invoice", invoices(), invoices().command).ID + "/issue?key=" + key
	person := b.person(b.replica, b.acme)
	b.page(person.get(path)).says("The invoice doesn't show your address, your tax ID and your bank account.").leadsTo("/settings/edit")
	b.exec(`UPDATE settings SET address = 'Main Street 1', country = 'IE', tax_id = 'IE6388047V' WHERE tenant_id = $1`, b.acme.id)
	b.page(person.get(path)).says("The invoice doesn't show your bank account.")
}

// TestVoidTellsWhoGotIt: an email says that an invoice is void if that is wanted, and none about a draft.
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

// TestAskedAboutWhatIsDone: the page that asks says that its form was used, or that it is too late.
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
