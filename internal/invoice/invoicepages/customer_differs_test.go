package invoicepages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// shared is the email of several companies.
const shared = "accounts@example.com"

// TestWhichCustomer: a program that sends the email of a customer with another name, or of an archived one, gets that customer
// in the answer, at every address that takes a customer. It succeeds with the customer's id, or by confirming that the email is
// meant to be the same.
func TestWhichCustomer(t *testing.T) {
	b := sitetest.Setup(t)
	program := b.Program(b.Replica, b.Acme)
	customer := func(name, rest string) string { return fmt.Sprintf(`{"email": %q, "name": %q%s}`, shared, name, rest) }
	invoice := func(who string) string {
		return fmt.Sprintf(`{%s, "issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
			"lines": [{"description": "Design", "quantity": "1", "unit_price": "50", "tax_rate": "23"}]}`, who)
	}
	send := func(key, method, path, body string, want int) sitetest.Answer {
		t.Helper()
		c := program.With("Idempotency-Key", key)
		if method == http.MethodPut {
			c = c.With("If-Match", sitetest.ETag(1))
		}
		a := c.Must(c.Send(t.Context(), method, "/api/v1"+path, body))
		a.Want(t, want, method, path, body)
		return a
	}
	id := func(a sitetest.Answer) string { return sitetest.Decode[sitetest.Created](b, a).ID }
	differs := func(key, method, path, body, existing, rest string) {
		t.Helper()
		a := send(key, method, path, body, http.StatusConflict)
		p := sitetest.Decode[sitetest.Problem](b, a)
		assert.Thatf(t, p.Type == "/problems/customer-differs" && p.ExistingID == existing &&
			p.ExistingURL == "/api/v1/customers/"+existing &&
			strings.Contains(a.Body, rest), "%s %s: no %s of %s: %v", method, path, rest, existing, a)
	}

	alpha := id(send("alpha", http.MethodPost, "/customers", customer("Alpha Ltd", ""), http.StatusCreated))
	differs("gamma", http.MethodPost, "/customers", customer("Gamma Ltd", ""), alpha, `"differing":["name"]`)
	differs("tax", http.MethodPost, "/customers", customer("Alpha Ltd", `, "tax_id": "KRS1"`), alpha, `"differing":["tax_id"]`)
	differs("bill", http.MethodPost, "/invoices", invoice(`"customer": `+customer("Gamma Ltd", "")), alpha, `"differing":["name"]`)
	for key, who := range map[string]string{"bill": `"customer_id": "` + alpha + `"`, "same": `"customer": ` + customer("ALPHA ltd", "")} {
		a := send(key, http.MethodPost, "/invoices", invoice(who), http.StatusCreated)
		assert.Thatf(t, strings.Contains(a.Body, alpha), "billed another customer: %v", a)
	}
	gamma := id(send("gamma", http.MethodPost, "/customers", customer("Gamma Ltd", `, "same_email": true`), http.StatusCreated))
	if again := id(send("gamma", http.MethodPost, "/customers", customer("Gamma Ltd", ""), http.StatusCreated)); again != gamma {
		t.Errorf("another customer: %s", again) // same_email is not in the fingerprint
	}
	others := fmt.Sprintf(`"others":[{"id":%q,"name":"Gamma Ltd"}]`, gamma)
	differs("delta", http.MethodPost, "/invoices", invoice(`"customer": `+customer("Delta Ltd", "")), alpha, others)
	draft := id(send("draft", http.MethodPost, "/invoices", invoice(`"customer_id": "`+gamma+`"`), http.StatusCreated))
	delta := invoice(`"customer": ` + customer("Delta Ltd", ""))
	differs("edit", http.MethodPut, "/invoices/"+draft, delta, alpha, others)
	delta = strings.Replace(delta, "}", `, "same_email": true}`, 1)
	if a := send("edit", http.MethodPut, "/invoices/"+draft, delta, http.StatusOK); !strings.Contains(a.Body, "Delta Ltd") {
		t.Errorf("%v", a)
	}
	other := id(send("other", http.MethodPost, "/customers", `{"name": "Epsilon"}`, http.StatusCreated))
	differs("move", http.MethodPut, "/customers/"+other, customer("Epsilon", ""), alpha, `"differing":["name"]`)
	send("move", http.MethodPut, "/customers/"+other, customer("Epsilon", `, "same_email": true`), http.StatusOK)

	send("archive", http.MethodPost, "/customers/"+alpha+"/archive", "", http.StatusOK)
	for key, body := range map[string]string{
		"archived": customer("Alpha Ltd", ""), "meant": customer("Alpha Ltd", `, "same_email": true`),
	} {
		differs(key, http.MethodPost, "/customers", body, alpha, `"differing":["archived_at"]`)
		differs(key, http.MethodPost, "/invoices", invoice(`"customer": `+body), alpha, `"differing":["archived_at"]`)
	}
	wantCount(b, 4, "customers")
	wantCount(b, 3, "invoices")
}

// TestPeopleAreAskedWhoIsMeant: the page shows both sides, one button continues with either, and all typed values are kept.
func TestPeopleAreAskedWhoIsMeant(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	alpha := b.Prepared(b.Acme, "alpha", customercases.Customers(),
		sitetest.Change(customercases.Customers().Command, "email", shared, "name", "Alpha Ltd")).ID
	billed := func(a sitetest.Answer) string {
		t.Helper()
		a.Want(t, http.StatusSeeOther)
		return b.Page(person.Get(a.Location())).Text()
	}
	ask := func(path string, form url.Values, says ...string) sitetest.Page {
		t.Helper()
		a := person.Submit(path, form)
		a.Want(t, http.StatusConflict)
		p := b.Page(a).Says(says...)
		for name, want := range form {
			got := p.Typed()[name]
			assert.Thatf(t, slices.Equal(got, want), "%s is %q now, and was %q", name, got, want)
		}
		return p
	}
	invoice := func(key, name string) url.Values {
		return sitetest.Change(invoicecases.Invoices().Command, "customer_email", shared, "customer_name", name, "idempotency_key", key)
	}

	p := ask("/invoices", invoice("one", "Gamma Ltd"), "accounts@example.com belongs to Alpha Ltd.",
		"Gamma Ltd would be another customer with the same email.")
	p.LeadsTo("/customers/" + alpha)
	if text := billed(person.Press(p, "Bill Alpha Ltd")); !strings.Contains(text, "Alpha Ltd") || strings.Contains(text, "Gamma Ltd") {
		t.Errorf("billed %s", text)
	}
	p = ask("/invoices", invoice("two", "Gamma Ltd"), "accounts@example.com belongs to Alpha Ltd.")
	if text := billed(person.Press(p, "Add Gamma Ltd with the same email")); !strings.Contains(text, "Gamma Ltd") {
		t.Errorf("billed %s", text)
	}
	p = ask("/invoices", invoice("three", "Delta Ltd"), "accounts@example.com belongs to Alpha Ltd and Gamma Ltd.")
	a := person.Press(p, "Bill Gamma Ltd") // a likely repeat of the second invoice; the choice is kept
	p = b.Page(a).Says("Looks like 2026-0002")
	if text := billed(person.Press(p, "Create anyway")); !strings.Contains(text, "Gamma Ltd") || strings.Contains(text, "Delta Ltd") {
		t.Errorf("billed %s", text)
	}

	form := sitetest.Change(customercases.Customers().Command, "email", shared, "name", "Delta Ltd", "tax_id", "", "idempotency_key",
		"delta")
	p = ask("/customers", form, "accounts@example.com belongs to Alpha Ltd and Gamma Ltd.")
	if text := billed(person.Press(p, "Add Delta Ltd with the same email")); !strings.Contains(text, "Delta Ltd") {
		t.Errorf("added %s", text)
	}
	ask("/customers", sitetest.Change(form, "name", "Alpha Ltd", "tax_id", "KRS1", "idempotency_key", "tax"),
		"Alpha Ltd (accounts@example.com) has the tax ID GB123456789, and you entered KRS1.").LeadsTo("/customers/" + alpha)
	other := b.Prepared(b.Acme, "other", customercases.Customers(), customercases.Customers().Other).ID
	p = ask("/customers/"+other+"/edit",
		sitetest.Change(customercases.Customers().Other, "email", shared, "version", "1", "idempotency_key", "edit"),
		"accounts@example.com belongs to Alpha Ltd, Gamma Ltd and Delta Ltd.")
	if text := billed(person.Press(p, "Save with the same email")); !strings.Contains(text, shared) {
		t.Errorf("saved %s", text)
	}

	person.Submit("/customers/"+alpha+"/archive", url.Values{"idempotency_key": {"archive"}})
	p = ask("/invoices", invoice("four", "Alpha Ltd"), "Alpha Ltd (accounts@example.com) is archived.")
	if text := p.Text(); strings.Contains(text, "with the same email\n") {
		t.Error(text)
	}
	p = b.Page(person.Press(p, "Bill Alpha Ltd")).Says("Looks like 2026-0001")
	if text := billed(person.Press(p, "Create anyway")); !strings.Contains(text, "Alpha Ltd") {
		t.Errorf("billed %s", text)
	}
	wantCount(b, 4, "customers")
	wantCount(b, 4, "invoices")
}

// TestCustomerWithoutEmail: such a customer is created each time, billed like any other, and gets no email. The pages show
// that.
func TestCustomerWithoutEmail(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	made := person.Submit("/customers",
		sitetest.Change(customercases.Customers().Command, "email", "", "name", "Gamma Ltd", "idempotency_key", "gamma"))
	p := b.Page(person.Get(made.Location())).Says("Gamma Ltd")
	assert.Thatf(t, !strings.Contains(p.Text(), "Email"), "the page of the customer has an email")
	a := program.Get("/api/v1" + made.Location())
	assert.Thatf(t, a.Status == http.StatusOK && !strings.Contains(a.Body, "email"), "%v", a)
	unmailed := sitetest.Change(invoicecases.Invoices().Command, "customer_email", "", "customer_name", "Delta Ltd", "idempotency_key",
		"delta")
	draft := person.Submit("/invoices", unmailed)
	path := draft.Location()
	b.Page(person.Get(path)).Says("Delta Ltd")
	asked := b.Page(person.Get(person.Get(path + "/issue").Location())).Says("The customer has no email address.")
	assert.Thatf(t, !strings.Contains(asked.Text(), "Issue and email"), "an email is offered")
	person.Press(asked, "Issue only").Want(t, http.StatusSeeOther)
	b.Page(person.Get(path)).Says("The customer has no email address.")
	refused := person.Submit(path+"/send", url.Values{"idempotency_key": {"to nobody"}, "recipient": {""}})
	b.Page(refused).Says("The customer has no email address. Enter one.")
	sent := person.Submit(path+"/send", url.Values{"idempotency_key": {"to ada"}, "recipient": {"ada@example.com"}})
	sent.Want(t, http.StatusSeeOther)
	wantMails(b, 1)
	other := b.Prepared(b.Acme, "other", invoicecases.Invoices(),
		sitetest.Change(invoicecases.Invoices().Other, "customer_email", "", "customer_name", "Delta Ltd")).ID
	for _, step := range []string{`issue {}`, `void {"tell_customer": true}`} {
		verb, body, _ := strings.Cut(step, " ")
		program.With("Idempotency-Key", verb).Post("/api/v1/invoices/"+other+"/"+verb, body).Want(t, http.StatusOK, step)
	}
	wantMails(b, 1)
}

func wantCount(b *sitetest.Bundle, want int, table string) {
	b.Helper()
	assert.Equal(b, sitetest.Get[int](b, `SELECT count(*) FROM `+table), want, table)
}

// TestCustomerLikeOneOfMinutesAgo: the form of an invoice leads to the existing customer, and bills that one on request.
func TestCustomerLikeOneOfMinutesAgo(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	of := b.Prepared(b.Acme, "wanda", customercases.Customers(),
		sitetest.Change(customercases.Customers().Command, "email", "", "name", "Wanda")).ID
	a := person.Submit("/invoices",
		sitetest.Change(invoicecases.Invoices().Command, "customer_email", "", "customer_name", "Wanda", "idempotency_key", sitetest.Key))
	p := b.Page(a).Says("Looks like Wanda, created", "Create anyway?")
	p.LeadsTo("/customers/" + of)
	person.Press(p, "Bill Wanda").Want(t, http.StatusSeeOther)
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM invoices WHERE customer_id = $1`, of), 1, "invoices are billed to Wanda")
}
