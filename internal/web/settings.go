package web

import (
	"cmp"
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/party"
	"onlyonce/internal/settings"
	"onlyonce/templates"
)

// settings is the resource of package settings: the one record of each tenant.
func (s *Server) settings(pages, api router) {
	m := mount(s, pages, api, resource[settings.Settings]{
		one: "settings", many: "settings", only: true, table: settings.Table,
		name: func(is settings.Settings) string { return is.Name },
		fields: []templates.Field{
			{Name: "name", Value: "Legal name"}, {Name: "address", Value: "Address"}, {Name: "country", Value: "Country"},
			{Name: "tax_id", Value: "Tax ID"}, {Name: "account_holder", Value: "Account holder"},
			{Name: "account_number", Value: "IBAN or account number"}, {Name: "bic", Value: "BIC"},
			{Name: "currency", Value: "Currency"}, {Name: "tax_rate", Value: "Tax %"},
			{Name: "payment_days", Value: "Payment terms in days"},
		},
		readable: map[string]func(string) string{"country": party.CountryName, "account_number": party.SpacedAccount},
		form:     settingsForm, example: settings.Input{
			Name: "Acme Studio Ltd", Details: party.Details{Address: "12 Dame Street\nDublin 2", Country: "IE"},
			Currency: "EUR", PaymentDays: "30",
		},
		shown: func(is settings.Settings) []templates.Fact {
			return append([]templates.Fact{{Label: "Legal name", Value: is.Name}}, detailFacts(is.Details, "–")...)
		},
	})
	shows(m, "What your business says of itself, and what new records begin with.",
		func(r *http.Request, p templates.Page, is settings.Settings) (templ.Component, error) {
			view := templates.Settings{RecordView: m.recordView(r, is), Groups: settingsGroups(is)}
			view.Name = "Settings"
			return templates.SettingsPage(p, view), nil
		})
	changes(m, http.MethodPut, "Replace the settings. What was issued keeps what it was issued with.", settings.Edit,
		read(m, settings.Input.Draft))
}

// settingsGroups are the facts that are not about the business itself.
func settingsGroups(is settings.Settings) []templates.FactGroup {
	or := func(label, value string) templates.Fact {
		return templates.Fact{Label: label, Value: cmp.Or(value, "–")}
	}
	rate := ""
	if is.TaxRate != "" {
		rate = is.TaxRate + "%"
	}
	return []templates.FactGroup{
		{Title: "Bank account", Facts: []templates.Fact{
			or("Account holder", is.AccountHolder), or("IBAN or account number", party.SpacedAccount(is.AccountNumber)), or("BIC", is.BIC),
		}},
		{Title: "Currency, tax and terms", Facts: []templates.Fact{
			or("Currency", is.Currency.String()), or("Tax", rate), or("Payment terms", daysText(is.PaymentDays)),
		}},
	}
}

func settingsForm(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	return templates.SettingsFormPage(p, templates.SettingsForm{Form: f, Countries: countries(), Currencies: currencyCodes()}), nil
}

// countries are all countries to choose from, and none.
func countries() []templates.Option {
	var all []templates.Option
	for _, c := range party.Countries() {
		all = append(all, templates.Option{Value: c.Code, Text: c.Name})
	}
	return orNone(all)
}

// detailFacts are what invoices say of a party besides its name, with a text for what is not known.
func detailFacts(d party.Details, unknown string) []templates.Fact {
	return []templates.Fact{
		{Label: "Address", Value: cmp.Or(d.Address, unknown)}, {Label: "Country", Value: cmp.Or(party.CountryName(d.Country), unknown)},
		{Label: "Tax ID", Value: cmp.Or(d.TaxID, unknown)},
	}
}

// daysText says a number of days in words.
func daysText(days string) string {
	switch days {
	case "":
		return ""
	case "1":
		return "1 day"
	default:
		return days + " days"
	}
}
