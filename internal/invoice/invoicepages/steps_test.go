package invoicepages_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/party"
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
			b := sitetest.Setup(t)
			path := "/api/v1/invoices/" + b.Prepared(
				b.Acme,
				"invoice",
				invoicecases.Invoices(),
				invoicecases.Invoices().Command,
			).ID + "/issue"
			program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "issue")
			a := program.Post(path, body)
			must.Thatf(t, a.Status == http.StatusOK && strings.Contains(a.Body, `"status":"issued"`), "%v", a)
			assert.Equal(t, sitetest.Get[string](b, `SELECT count(*) || ' ' || COALESCE(min(message), '') FROM mails`), want, "mails")
			program.Post(path, `{"message":"Something else"}`).Want(t, http.StatusUnprocessableEntity, "another wish under the same key")
		})
	}
}

// TestIssueRefusesWhatItCannotSend: the form keeps the typed values.
func TestIssueRefusesWhatItCannotSend(t *testing.T) {
	b := sitetest.Setup(t)
	path := "/invoices/" + b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command).ID + "/issue"
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "issue")
	for body, pointer := range map[string]string{
		`{"email":"grace"}`: "/email", `{"message":"a\u202eb"}`: "/message", `{"message":"` + strings.Repeat("a", 2001) + `"}`: "/message",
	} {
		a := program.Post("/api/v1"+path, body)
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && strings.Contains(a.Body, `"`+pointer+`"`), "%.30s: %v", body, a)
	}
	person := b.Person(b.Replica, b.Acme)
	typed := url.Values{"idempotency_key": {sitetest.Key}, "email": {"customer"}, "message": {strings.Repeat("a", 2001)}}
	a := person.Submit(path, typed)
	a.Want(t, http.StatusUnprocessableEntity)
	p := b.Page(a).Says("Shorten the message to at most 2000 characters.")
	assert.Equal(t, p.Typed().Get("message"), typed.Get("message"), "the message")
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM invoices WHERE status <> 'draft'`), 0, "issued invoices")
}

// TestIssueWarns about missing and unusual values of the invoice, with links to correct them.
func TestIssueWarns(t *testing.T) {
	b := sitetest.Setup(t)
	command := sitetest.Change(invoicecases.Invoices().Command, "customer_country", "", "due_date", "2026-11-22", "issue_date",
		"2026-11-21")
	made := b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), command)
	path := "/invoices/" + made.ID
	person := b.Person(b.Replica, b.Acme)
	warned := func() sitetest.Page { return b.Page(person.Get(path + "/issue?key=" + sitetest.Key)) }
	customer := sitetest.Get[string](b, `SELECT '/customers/' || id FROM customers`)

	p := warned().Says("The invoice doesn't show your address, your country, your tax ID and your bank account. Add them in the settings",
		"The invoice doesn't show the customer's address and the customer's country. Add them to the customer",
		"The due date, 22 Nov 2026, has passed.")
	p.LeadsTo("/settings/edit")
	p.LeadsTo(customer + "/edit")
	p.LeadsTo(path + "/edit")
	b.Exec(`
		UPDATE settings SET address = 'Main Street 1', country = 'IE', tax_id = 'IE6388047V', account_holder = '♥'
		WHERE tenant_id = $1`, b.Acme.ID)
	b.Exec(`UPDATE customers SET name = $1, address = $2, country = 'DE'`, "Łódź Ελλ \u6771\u4eac", "אב\nNo → 1")
	b.Exec(`UPDATE invoices SET due_date = '2099-12-31', notes = 'Zażółć क्षत्रिय'`)
	b.Exec(`UPDATE invoice_lines SET description = $1, tax_rate = 0 WHERE position = 1`, "Tea 🍵 ✓ \u6771")
	p = warned().Says("The invoice doesn't show your bank account. Add it in the settings",
		"The invoice doesn't show the customer's VAT number.",
		"The PDF file can't show \u6771 \u4eac in the customer's name, א ב → in the customer's address, 🍵 ✓ \u6771 in line 1 "+
			"and ♥ in the account holder.")
	p.LeadsTo(path + "/pdf")
	said := p.Text()
	assert.Thatf(t, !strings.Contains(said, "due date,"), "it warns of a day to come: %s", said)
	b.Exec(`UPDATE settings SET account_number = '1', account_holder = 'Ada' WHERE tenant_id = $1`, b.Acme.ID)
	b.Exec(`UPDATE customers SET name = 'Łódź', address = 'Długa 1', tax_id = 'DE136695976'`)
	b.Exec(`UPDATE invoice_lines SET description = 'Tea – 1 €' WHERE position = 1`)
	if found := sitetest.Elements(warned().Root, "p"); slices.ContainsFunc(found, func(n *html.Node) bool {
		class, _ := sitetest.Attr(n, "class")
		return class == "warning"
	}) {
		t.Errorf("it warns of a complete invoice: %s", warned().Text())
	}
	b.Exec(`UPDATE settings SET tax_id = 'St.-Nr. 1' WHERE tenant_id = $1`, b.Acme.ID)
	b.Exec(`UPDATE customers SET country = 'US', tax_id = ''`)
	for treatment, says := range map[string]string{
		"intra_community": "your VAT number. the customer's VAT number.", "export": "your VAT number.",
		"reverse_charge": "the customer's VAT number.", "exempt": "",
	} {
		b.Exec(`UPDATE invoice_lines SET tax_treatment = $1 WHERE position = 1`, treatment)
		got := warned().Text()
		for _, whose := range []string{"your VAT number.", "the customer's VAT number."} {
			assert.Thatf(t, strings.Contains(got, "doesn't show "+whose) == strings.Contains(says, whose),
				"%s: want %q: %s", treatment, says, got)
		}
	}
	unsuited := map[string][]string{
		"IE": {"intra_community", "export", "reverse_charge"}, "DE": {"export"}, "US": {"intra_community"}, "": nil,
	}
	names := map[string]string{"intra_community": "EU supply", "export": "Export", "reverse_charge": "Reverse charge", "exempt": "Exempt"}
	for country, treatments := range unsuited {
		b.Exec(`UPDATE customers SET country = $1`, country)
		for treatment, name := range names {
			b.Exec(`UPDATE invoice_lines SET tax_treatment = $1 WHERE position = 1`, treatment)
			says := "The tax treatment " + name + " doesn't suit a customer with the country " + party.CountryName(country) + "."
			got := warned().Text()
			assert.Thatf(t, strings.Contains(got, says) == slices.Contains(treatments, treatment), "%s to %q: %s", treatment, country, got)
		}
	}
	b.Exec(`UPDATE invoice_lines SET tax_treatment = 'intra_community' WHERE position = 1`)
	for of, suits := range map[[2]string]bool{ // the VAT number counts before the country
		{"GB", "XI123456789"}: true, {"GB", "FR40303265045"}: true, {"IE", "DE136695976"}: true,
		{"DE", "GB980780684"}: false, {"", "GB980780684"}: false, {"DE", "IE6388047V"}: false,
	} {
		b.Exec(`UPDATE customers SET country = $1, tax_id = $2`, of[0], of[1])
		got := warned().Text()
		assert.Thatf(t, strings.Contains(got, "EU supply doesn't suit a customer with the VAT number "+of[1]+".") != suits &&
			(!suits || !strings.Contains(got, "doesn't suit")), "%q: %s", of, got)
	}
	for issued, says := range map[string]string{
		"2026-11-30": "", "2026-12-01": "The issue date, 1 Dec 2026, is in the future. Edit the draft",
	} {
		b.Exec(`UPDATE invoices SET issue_date = $1`, issued)
		got := warned().Text()
		assert.Thatf(t, strings.Contains(got, "in the future") == (says != "") && strings.Contains(got, says), "%s: %s", issued, got)
	}
	of := invoicecases.Invoices()
	next := sitetest.Change(of.Command, "customer_email", "grace@example.com", "customer_name", "Grace Hopper",
		"issue_date", "2026-11-20")
	b.Prepared(b.Acme, "next", of, next, "issue")
	for issued, out := range map[string]bool{"2026-11-20": false, "2026-11-21": true} {
		b.Exec(`UPDATE invoices SET issue_date = $1 WHERE issued_at IS NULL`, issued)
		got, says := warned().Text(), "The invoice 2026-0002 is dated 20 Nov 2026, and this one 21 Nov 2026. Edit the draft"
		assert.Thatf(t, strings.Contains(got, says) == out, "%s: %s", issued, got)
	}
}

// TestClosedDaysAreShown: the form of an invoice asks about an issue date that is closed, and the draft's form shows it. The page that
// issues the draft has the reason instead of its buttons.
func TestClosedDaysAreShown(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	b.Prepared(b.Acme, "closing", invoicecases.Closings(), url.Values{"through": {"2025-10-31"}})
	typed := b.Page(person.Get(person.Get("/invoices/new").Location())).Typed()
	maps.Copy(typed, sitetest.Change(invoicecases.Invoices().Command, "issue_date", "2025-10-31", "due_date", ""))
	asked := person.Submit("/invoices", typed)
	asked.Want(t, http.StatusConflict)
	made := person.Press(b.Page(asked).Says("An invoice of 31 Oct 2025 can't be issued: the books are closed through 31 Oct 2025.",
		"Leave blank for the next number. In 2025 it is 2025-0001.",
		"Check this date."), "Save with this date")
	made.Want(t, http.StatusSeeOther)
	page := "/invoices/" + sitetest.Get[string](b, `SELECT id::text FROM invoices`)
	b.Page(person.Get(person.Get(page + "/edit").Location())).Says("Issue date The books are closed through 31 Oct 2025.")
	draft := b.Page(person.Get(page)).Says("Its period is closed", "Void…")
	assert.Thatf(t, !strings.Contains(draft.Text(), "Issue invoice"), "%s", draft.Text())
	id := strings.TrimPrefix(page, "/invoices/")
	b.Page(person.Get(person.Get("/invoice-batches/new?action=issue&invoice_id=" + id).Location())).Says("Its period is closed.")
	refused := person.Get(page + "/issue?key=closed")
	refused.Want(t, http.StatusConflict)
	p := b.Page(refused).Says("The books are closed through 31 Oct 2025. Nothing was issued. Change the issue date of the draft")
	p.LeadsTo(page)
	assert.Thatf(t, !strings.Contains(p.Text(), "Issue only"), "%s", p.Text())
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
			b := sitetest.Setup(t)
			made := b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, state.ready...)
			program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "void")
			for range 2 {
				program.Post("/api/v1/invoices/"+made.ID+"/void", state.body).Want(t, http.StatusOK)
			}
			assert.Equal(t, sitetest.Get[string](b, `SELECT COALESCE(string_agg(kind, ' ' ORDER BY kind), '') FROM mails`),
				state.want, "mails")
		})
	}
}

// TestAskedAboutWhatIsDone: the confirmation page reports that its form was used, or that the transition is no longer possible.
func TestAskedAboutWhatIsDone(t *testing.T) {
	b := sitetest.Setup(t)
	path := "/invoices/" + b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command).ID
	person := b.Person(b.Replica, b.Acme)
	person.Submit(path+"/issue", url.Values{"idempotency_key": {sitetest.Key}}).Want(t, http.StatusSeeOther)
	b.Page(person.Get(path)).Says("Invoice 2026-0001 issued.")
	b.Page(person.Get(path + "/issue?key=" + sitetest.Key)).Says("This form already issued 2026-0001.").LeadsTo(path)
	typed := url.Values{"idempotency_key": {sitetest.Key}, "email": {"customer"}, "message": {"Thank you"}}
	again := person.Submit(path+"/issue", typed)
	again.Want(t, http.StatusUnprocessableEntity)
	p := b.Page(again).Says("This form already issued 2026-0001. Nothing was done this time.")
	p.LeadsTo(path)
	sitetest.Keeps(b, p, url.Values{"message": {"Thank you"}})
	assert.Thatf(t, !strings.Contains(p.Text(), "Edit the draft"), "%s", p.Text())
	late := person.Get(path + "/issue?key=other")
	late.Want(t, http.StatusConflict)
	b.Page(late).Says("You can no longer issue this invoice.").LeadsTo(path)
}

// TestStepsAreAskedOnPages: the text of the email can be edited, and is kept when the draft has changed in the meantime, which
// has to be confirmed again. The email is optional. The notice that an invoice is void goes only to the recipients of its
// email.
func TestStepsAreAskedOnPages(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	draft := func(key string) string {
		return "/invoices/" + b.Prepared(b.Acme, key, invoicecases.Invoices(),
			sitetest.Change(invoicecases.Invoices().Command, "notes", key)).ID
	}
	ask := func(path string) sitetest.Page { return b.Page(person.Get(person.Get(path).Location())) }
	first, second := draft("first"), draft("second")
	form := ask(first + "/issue").Says("can't be edited").Typed()
	b.Exec(`UPDATE invoices SET notes = 'another' WHERE notes = 'first'`)
	p := b.Page(person.Submit(first+"/issue", sitetest.Change(form, "message", "Dear Ada"))).Says("was changed since this page was opened.")
	sitetest.Keeps(b, p, url.Values{"message": {"Dear Ada"}})
	b.Page(person.Get(person.Press(p, "Issue only").Location())).Says("Invoice 2026-0001 issued.")
	wantMails(b, 0)
	tells := func(path string) bool { return len(ask(path+"/void").Controls("tell_customer")) > 0 }
	assert.Thatf(t, !tells(first), "a customer without an email can be notified")
	person.Press(ask(second+"/issue"), "Issue and email to ada@example.com")
	wantMails(b, 1)
	b.Exec(`UPDATE mails SET state = 'sent', sent_at = now()`)
	assert.Thatf(t, tells(second), "who got an email cannot be told")
	ask(second + "/void").Says("keeps it on its issue date, 21 Nov 2026, and subtracts it on 27 Nov 2026.")
	person.Submit(second+"/void", sitetest.Change(ask(second+"/void").Typed(), "tell_customer", "true"))
	wantMails(b, 2)
	void := b.Page(person.Get(second)).Says("Nothing is owed on this invoice.")
	for _, link := range sitetest.Elements(void.Root, "a") {
		href, _ := sitetest.Attr(link, "href")
		assert.Thatf(t, !strings.HasPrefix(href, second+"/") || strings.HasSuffix(href, "/pdf"), "there is something left to do: %s", href)
	}
}

// TestOnlyWhatIsIssued: neither a draft nor a void invoice can be paid, credited, written off or sent.
func TestOnlyWhatIsIssued(t *testing.T) {
	t.Parallel()
	var parts []sitetest.Part
	for _, c := range []struct {
		of   func() sitetest.Resource
		said string
	}{
		{invoicecases.Payments, "Only an issued invoice can be paid. Nothing was recorded."},
		{invoicecases.CreditNotes, "Only an issued invoice can be credited. Nothing was recorded."},
		{invoicecases.WriteOffs, "Only an issued invoice can be written off. Nothing was recorded."},
		{invoicecases.Mails, "Only an issued invoice can be sent. Nothing was sent."},
	} {
		for name, ready := range map[string][]string{"draft": nil, "void draft": {"void"}, "void": {"issue", "void"}} {
			for _, f := range sitetest.Formats() {
				parts = append(parts, sitetest.Part{Of: c.of(), Name: name + "/" + f.Name(), Run: func(b *sitetest.Bundle) {
					of := c.of()
					of.Parent.Ready = ready
					x := b.Case(of, f)
					refused := x.Ask(x.Command)
					x.Format.Refused(x, refused, "not-issued", x.Command)
					if x.IsHTML() {
						x.Page(refused).Says(c.said).LeadsTo(x.Resource.Parent.PageOf(x.ID))
					}
					x.WantRows(sitetest.Rows{})
					x.WantOutcomes("conflict")
				}})
			}
		}
	}
	sitetest.Walk(t, sitecases.Resources(), parts)
}

// TestWhatCountsStays: an invoice that was paid, credited or written off can't be voided, and a payment that was refunded can't be removed.
// The page links back.
func TestWhatCountsStays(t *testing.T) {
	t.Parallel()
	var parts []sitetest.Part
	for _, c := range []struct {
		of              func() sitetest.Resource
		operation, slug string
		says            []string
	}{
		{invoicecases.Payments, "invoice.void", "has-payments", []string{"Remove those recorded by mistake first"}},
		{invoicecases.CreditNotes, "invoice.void", "has-credit-notes", []string{"Credit what is left instead."}},
		{invoicecases.WriteOffs, "invoice.void", "has-write-offs", []string{"You can't void this invoice.", "Take them back first."}},
		{invoicecases.Refunds, "payment.remove", "has-refunds", []string{"You can't remove this payment.", "Remove the refund first"}},
	} {
		for _, f := range sitetest.Formats() {
			parts = append(parts, sitetest.Part{Of: c.of(), Name: f.Name(), Run: func(b *sitetest.Bundle) {
				x := b.Case(c.of(), f)
				x.Format.Done(x, x.Ask(x.Command))
				before := x.Contents()
				y := named(x.Bundle, c.operation)
				y.Owner, y.ID, y.Format, y.Caller = x.Acme, x.ID, x.Format, x.Caller
				refused := y.Ask(y.Command)
				y.Format.Refused(&y, refused, c.slug, nil)
				if x.IsHTML() {
					x.Page(refused).Says(c.says...).LeadsTo(x.Resource.Parent.RecordAt(x.ID))
				}
				sitetest.WantUnchanged(x.Bundle, "what was refused", before, x.Contents())
			}})
		}
	}
	sitetest.Walk(t, sitecases.Resources(), parts)
}
