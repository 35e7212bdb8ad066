package invoicepages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// chosenCustomer returns the value of the form when the customer with the email is selected.
func chosenCustomer(c *sitetest.Client, email string) string {
	c.B.Helper()
	opened := c.Get("/invoices/new")
	p := c.B.Page(c.Get(opened.Location()))
	for _, option := range sitetest.Elements(p.Form(), "option") {
		if value, _ := sitetest.Attr(option, "value"); strings.Contains(sitetest.Text(option), email) {
			return value
		}
	}
	c.B.Fatalf("no customer %s to choose: %s", email, p.Excerpt())
	return ""
}

// withChosenCustomer returns a person at a server whose connection to the database can be cut, and an invoice for a customer
// selected from the list.
func withChosenCustomer(b *sitetest.Bundle) (person *sitetest.Client, command url.Values, cut func()) {
	b.Helper()
	person, cut = sitetest.BehindCut(b, customercases.Customers())
	command = sitetest.Change(invoicecases.Invoices().Command, "idempotency_key", sitetest.Key, "customer_id",
		chosenCustomer(person, "ada@example.com"), "customer_email", "", "customer_name", "")
	return person, command, cut
}

// TestChosenCustomerIsKept: the page shown instead of the invoice names the customer, and sends the choice again.
func TestChosenCustomerIsKept(t *testing.T) {
	t.Parallel()
	t.Run("database down", func(t *testing.T) {
		b := sitetest.Setup(t)
		person, command, cut := withChosenCustomer(b)
		cut()
		p := b.Page(person.Submit("/invoices", command)).Says("Temporarily unavailable", "Ada Lovelace · ada@example.com")
		sitetest.Keeps(b, p, command)
		again := person.Elsewhere(b.URL).Press(p, "Try again")
		again.Want(t, http.StatusSeeOther, "not created")
		b.Page(person.Elsewhere(b.URL).Get(again.Location())).Says("Ada Lovelace")
	})
	t.Run("busy", func(t *testing.T) {
		b := sitetest.Setup(t)
		_, command, _ := withChosenCustomer(b)
		person := b.Person(b.Serve(sitetest.Impatient), b.Acme)
		tx, err := b.Admin.Begin(t.Context())
		must.OK(t, err)
		if _, err := tx.Exec(t.Context(), `LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			t.Fatal(err)
		}
		p := b.Page(person.Submit("/invoices", command)).Says("Busy", "Ada Lovelace · ada@example.com")
		sitetest.Keeps(b, p, command)
		p.Says(b.Acme.Name).LeadsTo("/customers")
		must.OK(t, tx.Rollback(t.Context()))
		person.Press(p, "Try again").Want(t, http.StatusSeeOther, "not created")
	})
	t.Run("gone", func(t *testing.T) {
		b := sitetest.Setup(t)
		person, command, _ := withChosenCustomer(b)
		b.Exec(`SET session_replication_role = replica; DELETE FROM customers; RESET session_replication_role`)
		command = sitetest.Change(command, "due_date", "never")
		sitetest.Keeps(b, b.Page(person.Submit("/invoices", command)).Says("Ada Lovelace"), command)
	})
}
