package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// chosenCustomer returns the value of the form when the customer with the email is selected.
func (c *client) chosenCustomer(email string) string {
	c.b.Helper()
	opened := c.get("/invoices/new")
	p := c.b.page(c.get(opened.location()))
	for _, option := range all(p.form(), "option") {
		if value, _ := attr(option, "value"); strings.Contains(text(option), email) {
			return value
		}
	}
	c.b.Fatalf("no customer %s to choose: %s", email, p.excerpt())
	return ""
}

// withChosenCustomer returns a person at a server whose connection to the database can be cut, and an invoice for a customer
// selected from the list.
func withChosenCustomer(b *bundle) (person *client, command url.Values, cut func()) {
	b.Helper()
	person, cut = behindCut(b, customers())
	command = change(invoices().command, "idempotency_key", key, "customer_id", person.chosenCustomer("ada@example.com"),
		"customer_email", "", "customer_name", "")
	return person, command, cut
}

// TestChosenCustomerIsKept: the page shown instead of the invoice names the customer, and sends the choice again.
func TestChosenCustomerIsKept(t *testing.T) {
	t.Parallel()
	t.Run("database down", func(t *testing.T) {
		b := setup(t)
		person, command, cut := withChosenCustomer(b)
		cut()
		p := b.page(person.submit("/invoices", command)).says("Temporarily unavailable", "Ada Lovelace · ada@example.com")
		keeps(b, p, command)
		again := person.elsewhere(b.url).press(p, "Try again")
		if again.status != http.StatusSeeOther {
			t.Fatalf("not created: %v", again)
		}
		b.page(person.elsewhere(b.url).get(again.location())).says("Ada Lovelace")
	})
	t.Run("busy", func(t *testing.T) {
		b := setup(t)
		_, command, _ := withChosenCustomer(b)
		person := b.person(b.serve(impatient), b.acme)
		tx, err := b.admin.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), `LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			t.Fatal(err)
		}
		p := b.page(person.submit("/invoices", command)).says("Busy", "Ada Lovelace · ada@example.com")
		keeps(b, p, command)
		p.says(b.acme.name).leadsTo("/customers")
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		if again := person.press(p, "Try again"); again.status != http.StatusSeeOther {
			t.Fatalf("not created: %v", again)
		}
	})
	t.Run("gone", func(t *testing.T) {
		b := setup(t)
		person, command, _ := withChosenCustomer(b)
		b.exec(`DELETE FROM customers`)
		command = change(command, "due_date", "never")
		keeps(b, b.page(person.submit("/invoices", command)).says("Ada Lovelace"), command)
	})
}
