package site_test

import (
	"net/http"
	"net/url"
	"testing"

	domain "onlyonce/internal/people/settings"
)

func settings() resource {
	command := url.Values{
		"name": {"Acme Ltd"}, "email": {"office@acme.example"}, "address": {"12 Dame Street"}, "country": {"IE"}, "tax_id": {"IE6388047V"},
		"account_holder": {"Acme Limited"}, "account_number": {"IE29AIBK93115212345678"}, "bic": {"AIBKIE2D"},
		"currency": {"EUR"}, "tax_rate": {"23"}, "payment_days": {"30"},
	}
	return resource{
		name: "settings", path: "/settings", only: true, command: command, label: "Acme Ltd",
		other: change(command, "name", "Acme Holding"),
		fields: []field{
			{"name", "Acme Limited", " ", "/name"},
			{"email", "billing@acme.example", "billing at acme", "/email"},
			{"address", "13 Dame Street", "a\u202eb", "/address"},
			{"country", "PL", "XX", "/country"},
			{"tax_id", "IE1234567T", "a\u202eb", "/tax_id"},
			{"account_holder", "Ada Lovelace", "a\u202eb", "/account_holder"},
			{"account_number", "12345678", "IE29AIBK93115212345679", "/account_number"},
			{"bic", "BOFIIE2D", "AIBK", "/bic"},
			{"currency", "USD", "XXY", "/currency"},
			{"tax_rate", "13.5", "101", "/tax_rate"},
			{"payment_days", "14", "366", "/payment_days"},
		},
		edited: edited{change(command, "name", "Acme Studio", "payment_days", "7"), "Acme Studio"},
		api: api{func(form url.Values) string {
			command := map[string]any{}
			for name := range form {
				command[name] = form.Get(name)
			}
			return encode(command)
		}, domain.Input{}},
	}
}

// TestEveryTenantHasSettings from the beginning, with its name.
func TestEveryTenantHasSettings(t *testing.T) {
	b := setup(t)
	a := b.program(b.replica, b.tenant("Initech")).get("/api/v1/settings")
	is := decode[domain.Settings](b, a)
	if a.status != http.StatusOK || is.Name != "Initech" || is.Currency.String() != "EUR" || is.PaymentDays != "30" || is.TaxRate != "" {
		t.Errorf("%v", a)
	}
	if n := get[int](b, `
		SELECT count(*) FROM tenants t LEFT JOIN settings s ON s.tenant_id = t.id WHERE s.id IS DISTINCT FROM t.id`); n != 0 {
		t.Errorf("%d tenants have no settings of their own", n)
	}
}

// TestSettingsPage shows the settings, with the name of the country and the IBAN in groups.
func TestSettingsPage(t *testing.T) {
	b := setup(t)
	b.program(b.replica, b.acme).create(settings(), key, change(settings().command, "address", "12 Dame Street\nDublin 2"))
	person := b.person(b.replica, b.acme)
	p := b.page(person.get("/settings")).says(
		"Acme Ltd", "12 Dame Street Dublin 2", "Ireland", "IE6388047V", "IE29 AIBK 9311 5212 3456 78", "23%", "30 days",
		"Legal name changed from Acme to Acme Ltd", "Country set to Ireland",
		"IBAN or account number set to IE29 AIBK 9311 5212 3456 78")
	p.leadsTo("/settings/edit")
	form := b.page(person.get(person.get("/settings/edit").location())).typed()
	if got := form.Get("address"); got != "12 Dame Street\nDublin 2" {
		t.Errorf("the form has the address %q", got)
	}
	keeps(b, b.page(person.get(person.get("/settings/edit").location())), change(settings().command, "address", "12 Dame Street\nDublin 2"))
}

// TestTaxIDHint: the form has a hint about tax IDs in e-invoices, and refuses none.
func TestTaxIDHint(t *testing.T) {
	b := setup(t)
	for taxID, want := range map[string]string{
		"":               "Such as a VAT number with its country prefix, DE123456789.",
		"DE 123 456 789": "The VAT number is DE123456789.",
		"St.-Nr. 93/815/08152": "This isn't a VAT number, but a registration number. " +
			"A VAT number has its country prefix, like DE123456789.",
	} {
		b.program(b.replica, b.acme).create(settings(), "key "+taxID, change(settings().command, "country", "DE", "tax_id", taxID))
		person := b.person(b.replica, b.acme)
		b.page(person.get(person.get("/settings/edit").location())).says(want)
	}
}
