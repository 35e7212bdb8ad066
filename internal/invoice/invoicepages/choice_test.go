package invoicepages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestCustomerChoice: a form offers the newest customers, and finds every other one that isn't archived: while the user types,
// and without JavaScript by showing the form again, with all typed values.
func TestCustomerChoice(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for _, of := range []sitetest.Tenant{b.Globex, b.Acme} {
		b.Exec(`
			INSERT INTO customers (tenant_id, id, email, name, address, country, payment_days, archived_at)
			SELECT $1, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'old' || n || '@example.com',
				CASE n WHEN 1 THEN 'First' WHEN 2 THEN 'Gone' ELSE 'Old ' || n END,
				E'1 Quay\nPorto', 'PT', 7, CASE n WHEN 2 THEN now() END
			FROM generate_series(1, 250) AS n`, of.ID)
	}
	oldest := sitetest.RowID(1)
	for _, path := range []string{"/invoices/", "/schedules/"} {
		fresh := person.Get(person.Get(path + "new").Location())
		typed := sitetest.Change(b.Page(fresh).Typed(), "search-customer_id", "first", "notes", "Kept", "line_description", "Design")
		again := person.Submit(path+"form", sitetest.Change(typed, "action", "find:customer_id"))
		must.Holdf(t, !strings.Contains(fresh.Body, oldest) && again.Status == http.StatusOK && strings.Contains(again.Body, oldest),
			"%s: the oldest customer is not found by a search only: %d", path, again.Status)
		if form := b.Page(again).Typed(); form.Get("notes") != "Kept" || form.Get("line_description") != "Design" {
			t.Errorf("%s: what was typed is lost: %v", path, form)
		}
		chosen := person.Submit(path+"form", sitetest.Change(typed, "search-customer_id", "", "customer_id", oldest))
		if form := b.Page(chosen).Says("1 Quay, Porto, Portugal").Typed(); !strings.HasPrefix(form.Get("customer_id"), oldest) {
			t.Errorf("%s: the one who was found is not chosen: %v", path, form)
		}
	}
	b.Exec(`
		WITH last AS (
			INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, exemption_reason,
				subtotal, tax_total, total)
			VALUES ($1, gen_random_uuid(), 'A-1', $2, 'JPY', '2026-11-21', '2026-11-21', '', 'Article 132', 1, 0, 1)
			RETURNING tenant_id, id)
		INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, tax_treatment, net)
		SELECT tenant_id, id, 1, 'Course', 1, 1, 0, 'exempt', 1 FROM last`, b.Acme.ID, oldest)
	again := b.Page(person.Get(person.Get("/invoices/new?customer=" + oldest).Location())).Typed()
	if again.Get("line_tax_treatment") != "exempt" || again.Get("line_tax_rate") != "0" || again.Get("exemption_reason") != "Article 132" {
		t.Errorf("the next invoice begins with %v", again)
	}
	for search, want := range map[string][]string{
		"first": {oldest, "First · old1@example.com", `data-hint="1 Quay, Porto, Portugal"`, `data-currency="JPY"`, `data-days="7"`,
			`data-treatment="exempt"`, `data-exemption="Article 132"`},
		"old": {"Old 250 ", "Old 231 ", "There are more."}, "": {"Old 250 "}, "gone": {}, "nobody": {},
	} {
		a := person.Get("/invoices/customers?q=" + url.QueryEscape(search))
		for _, text := range want {
			must.Holdf(t, a.Status == http.StatusOK && strings.Contains(a.Body, text), "%q: no %s in %v", search, text, a)
		}
		n := strings.Count(a.Body, "data-hint=")
		must.Holdf(t, (len(want) != 0 || n == 0) && n <= 20, "%q: %d customers", search, n)
	}
	kept := person.Get("/invoices/customers?ids=1&id=" + oldest)
	must.Holdf(t, strings.Count(kept.Body, "<option") == 1 && strings.Contains(kept.Body, "First · "),
		"the customer of a kept form: %v", kept)
	person.Get("/invoices/customers?id="+sitetest.Nobody).Want(t, http.StatusNotFound, "nobody")
	person.Get("/invoices/customers?q="+strings.Repeat("a", 201)).Want(t, http.StatusUnprocessableEntity)
}
