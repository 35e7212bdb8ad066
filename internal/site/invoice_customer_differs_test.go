package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// shared is the email of several companies.
const shared = "accounts@example.com"

// TestWhichCustomer: a program that sends the email of a customer with another name, or of an archived one, gets that customer
// in the answer, at every address that takes a customer. It succeeds with the customer's id, or by confirming that the email is
// meant to be the same.
func TestWhichCustomer(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme)
	customer := func(name, rest string) string { return fmt.Sprintf(`{"email": %q, "name": %q%s}`, shared, name, rest) }
	invoice := func(who string) string {
		return fmt.Sprintf(`{%s, "issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
			"lines": [{"description": "Design", "quantity": "1", "unit_price": "50", "tax_rate": "23"}]}`, who)
	}
	send := func(key, method, path, body string, want int) answer {
		t.Helper()
		c := program.with("Idempotency-Key", key)
		if method == http.MethodPut {
			c = c.with("If-Match", etag(1))
		}
		a := c.must(c.send(t.Context(), method, "/api/v1"+path, body))
		if a.status != want {
			t.Errorf("%s %s %s: want %d, got %v", method, path, body, want, a)
		}
		return a
	}
	id := func(a answer) string { return decode[created](b, a).ID }
	differs := func(key, method, path, body, existing, rest string) {
		t.Helper()
		a := send(key, method, path, body, http.StatusConflict)
		p := decode[problem](b, a)
		if p.Type != "/problems/customer-differs" || p.ExistingID != existing || p.ExistingURL != "/api/v1/customers/"+existing ||
			!strings.Contains(a.body, rest) {
			t.Errorf("%s %s: no %s of %s: %v", method, path, rest, existing, a)
		}
	}

	alpha := id(send("alpha", http.MethodPost, "/customers", customer("Alpha Ltd", ""), http.StatusCreated))
	differs("gamma", http.MethodPost, "/customers", customer("Gamma Ltd", ""), alpha, `"differing":["name"]`)
	differs("tax", http.MethodPost, "/customers", customer("Alpha Ltd", `, "tax_id": "PL1"`), alpha, `"differing":["tax_id"]`)
	differs("bill", http.MethodPost, "/invoices", invoice(`"customer": `+customer("Gamma Ltd", "")), alpha, `"differing":["name"]`)
	for key, who := range map[string]string{"bill": `"customer_id": "` + alpha + `"`, "same": `"customer": ` + customer("ALPHA ltd", "")} {
		if a := send(key, http.MethodPost, "/invoices", invoice(who), http.StatusCreated); !strings.Contains(a.body, alpha) {
			t.Errorf("billed another customer: %v", a)
		}
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
	if a := send("edit", http.MethodPut, "/invoices/"+draft, delta, http.StatusOK); !strings.Contains(a.body, "Delta Ltd") {
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
	b.wantCount(4, "customers")
	b.wantCount(3, "invoices")
}

// TestPeopleAreAskedWhoIsMeant: the page shows both sides, one button continues with either, and all typed values are kept.
func TestPeopleAreAskedWhoIsMeant(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	alpha := b.prepared(b.acme, "alpha", customers(), change(customers().command, "email", shared, "name", "Alpha Ltd")).ID
	billed := func(a answer) string {
		t.Helper()
		if a.status != http.StatusSeeOther {
			t.Fatalf("%v", a)
		}
		return b.page(person.get(a.location())).text()
	}
	ask := func(path string, form url.Values, says ...string) page {
		t.Helper()
		a := person.submit(path, form)
		if a.status != http.StatusConflict {
			t.Fatalf("%v", a)
		}
		p := b.page(a).says(says...)
		for name, want := range form {
			if got := p.typed()[name]; !slices.Equal(got, want) {
				t.Errorf("%s is %q now, and was %q", name, got, want)
			}
		}
		return p
	}
	invoice := func(key, name string) url.Values {
		return change(invoices().command, "customer_email", shared, "customer_name", name, "idempotency_key", key)
	}

	p := ask("/invoices", invoice("one", "Gamma Ltd"), "accounts@example.com belongs to Alpha Ltd.",
		"Gamma Ltd would be another customer with the same email.")
	p.leadsTo("/customers/" + alpha)
	if text := billed(person.press(p, "Bill Alpha Ltd")); !strings.Contains(text, "Alpha Ltd") || strings.Contains(text, "Gamma Ltd") {
		t.Errorf("billed %s", text)
	}
	p = ask("/invoices", invoice("two", "Gamma Ltd"), "accounts@example.com belongs to Alpha Ltd.")
	if text := billed(person.press(p, "Add Gamma Ltd with the same email")); !strings.Contains(text, "Gamma Ltd") {
		t.Errorf("billed %s", text)
	}
	p = ask("/invoices", invoice("three", "Delta Ltd"), "accounts@example.com belongs to Alpha Ltd and Gamma Ltd.")
	a := person.press(p, "Bill Gamma Ltd") // a likely repeat of the second invoice; the choice is kept
	p = b.page(a).says("Looks like 2026-0002")
	if text := billed(person.press(p, "Create anyway")); !strings.Contains(text, "Gamma Ltd") || strings.Contains(text, "Delta Ltd") {
		t.Errorf("billed %s", text)
	}

	form := change(customers().command, "email", shared, "name", "Delta Ltd", "tax_id", "", "idempotency_key", "delta")
	p = ask("/customers", form, "accounts@example.com belongs to Alpha Ltd and Gamma Ltd.")
	if text := billed(person.press(p, "Add Delta Ltd with the same email")); !strings.Contains(text, "Delta Ltd") {
		t.Errorf("added %s", text)
	}
	ask("/customers", change(form, "name", "Alpha Ltd", "tax_id", "PL1", "idempotency_key", "tax"),
		"Alpha Ltd (accounts@example.com) has the tax ID GB123456789, and you entered PL1.").leadsTo("/customers/" + alpha)
	other := b.prepared(b.acme, "other", customers(), customers().other).ID
	p = ask("/customers/"+other+"/edit", change(customers().other, "email", shared, "version", "1", "idempotency_key", "edit"),
		"accounts@example.com belongs to Alpha Ltd, Gamma Ltd and Delta Ltd.")
	if text := billed(person.press(p, "Save with the same email")); !strings.Contains(text, shared) {
		t.Errorf("saved %s", text)
	}

	person.submit("/customers/"+alpha+"/archive", url.Values{"idempotency_key": {"archive"}})
	p = ask("/invoices", invoice("four", "Alpha Ltd"), "Alpha Ltd (accounts@example.com) is archived.")
	if text := p.text(); strings.Contains(text, "with the same email\n") {
		t.Error(text)
	}
	p = b.page(person.press(p, "Bill Alpha Ltd")).says("Looks like 2026-0001")
	if text := billed(person.press(p, "Create anyway")); !strings.Contains(text, "Alpha Ltd") {
		t.Errorf("billed %s", text)
	}
	b.wantCount(4, "customers")
	b.wantCount(4, "invoices")
}

// TestCustomerWithoutEmail: such a customer is created each time, billed like any other, and gets no email. The pages show
// that.
func TestCustomerWithoutEmail(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
	made := person.submit("/customers", change(customers().command, "email", "", "name", "Gamma Ltd", "idempotency_key", "gamma"))
	if p := b.page(person.get(made.location())).says("Gamma Ltd"); strings.Contains(p.text(), "Email") {
		t.Error("the page of the customer has an email")
	}
	if a := program.get("/api/v1" + made.location()); a.status != http.StatusOK || strings.Contains(a.body, "email") {
		t.Errorf("%v", a)
	}
	unmailed := change(invoices().command, "customer_email", "", "customer_name", "Delta Ltd", "idempotency_key", "delta")
	draft := person.submit("/invoices", unmailed)
	path := draft.location()
	b.page(person.get(path)).says("Delta Ltd")
	asked := b.page(person.get(person.get(path + "/issue").location())).says("The customer has no email address.")
	if strings.Contains(asked.text(), "Issue and email") {
		t.Error("an email is offered")
	}
	if a := person.press(asked, "Issue only"); a.status != http.StatusSeeOther {
		t.Errorf("%v", a)
	}
	b.page(person.get(path)).says("The customer has no email address.")
	refused := person.submit(path+"/send", url.Values{"idempotency_key": {"to nobody"}, "recipient": {""}})
	b.page(refused).says("The customer has no email address. Enter one.")
	sent := person.submit(path+"/send", url.Values{"idempotency_key": {"to ada"}, "recipient": {"ada@example.com"}})
	if sent.status != http.StatusSeeOther {
		t.Errorf("%v", sent)
	}
	b.wantMails(1)
	other := b.prepared(b.acme, "other", invoices(), change(invoices().other, "customer_email", "", "customer_name", "Delta Ltd")).ID
	for _, step := range []string{`issue {}`, `void {"tell_customer": true}`} {
		verb, body, _ := strings.Cut(step, " ")
		if a := program.with("Idempotency-Key", verb).post("/api/v1/invoices/"+other+"/"+verb, body); a.status != http.StatusOK {
			t.Errorf("%s: %v", step, a)
		}
	}
	b.wantMails(1)
}

func (b *bundle) wantCount(want int, table string) {
	b.Helper()
	if n := get[int](b, `SELECT count(*) FROM `+table); n != want {
		b.Errorf("%d %s, want %d", n, table, want)
	}
}

// TestCustomerLikeOneOfMinutesAgo: the form of an invoice leads to the existing customer, and bills that one on request.
func TestCustomerLikeOneOfMinutesAgo(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	of := b.prepared(b.acme, "wanda", customers(), change(customers().command, "email", "", "name", "Wanda")).ID
	a := person.submit("/invoices", change(invoices().command, "customer_email", "", "customer_name", "Wanda", "idempotency_key", key))
	p := b.page(a).says("Looks like Wanda, created", "Create anyway?")
	p.leadsTo("/customers/" + of)
	if a := person.press(p, "Bill Wanda"); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	if n := get[int](b, `SELECT count(*) FROM invoices WHERE customer_id = $1`, of); n != 1 {
		t.Errorf("%d invoices are billed to Wanda", n)
	}
}
