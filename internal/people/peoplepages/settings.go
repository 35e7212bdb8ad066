package peoplepages

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/people/account"
	"onlyonce/internal/people/business"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// mountSettings mounts the resource of package settings: the single record of each tenant.
func (s *pages) mountSettings() {
	m := web.Resource[settings.Settings]{
		One: "settings", Path: "/settings", Tab: "Business", Singleton: true, Table: settings.Table,
		Name: func(is settings.Settings) string { return is.Name },
	}.Mount(s.site)
	draft := web.NewForm(m, settings.Input.Draft, web.Form[settings.Settings]{
		Fields: []templates.Field{
			{Name: "name", Value: "Legal name"}, {Name: "email", Value: "Email"}, {Name: "address", Value: "Address"},
			{Name: "country", Value: "Country"}, {Name: "tax_id", Value: "Tax ID"}, {Name: "account_holder", Value: "Account holder"},
			{Name: "account_number", Value: "IBAN or account number"}, {Name: "bic", Value: "BIC"},
			{Name: "currency", Value: "Currency"}, {Name: "tax_rate", Value: "Tax %"},
			{Name: "payment_days", Value: "Payment terms in days"}, {Name: "footer", Value: "Footer of documents"},
			{Name: "time_zone", Value: "Time zone"},
		},
		Readable: map[string]func(string) string{
			"country": party.CountryName, "account_number": party.SpacedAccount, "time_zone": zoneText,
		},
		Page: s.settingsForm, Example: settings.Input{
			Name: "Acme Studio Ltd", Email: "hello@example.com", Details: party.Details{Address: "12 Dame Street\nDublin 2", Country: "IE"},
			Currency: "EUR", PaymentDays: "30", TimeZone: "Europe/Dublin",
		},
	})
	read := draft.Form
	draft.Form = func(r *http.Request) (settings.Draft, error) {
		r.PostForm.Set("tax_rate", typed.Percent(r.PostForm.Get("tax_rate")))
		return read(r)
	}
	web.Show(m, web.RecordPage[settings.Settings]{
		Summary: "Your business as shown on documents, and the defaults of new records.",
		Facts: func(r *http.Request, is settings.Settings) []templates.Fact {
			facts := []templates.Fact{{Label: "Legal name", Value: is.Name}, {Label: "Email", Value: cmp.Or(is.Email, "–")}}
			return append(facts, web.PartyFacts(is.Details, "–")...)
		},
		Page: func(r *http.Request, p templates.Page, is settings.Settings) (templ.Component, error) {
			view := peopleviews.Settings{RecordView: web.RecordView(m, r, is), Groups: settingsGroups(is)}
			view.Name = "Settings"
			if web.Principal(r).Role.May(web.Owner) {
				view.DownloadHref = dataPath
			}
			return peopleviews.SettingsPage(p, view), nil
		},
	})
	web.Change(m, http.MethodPut, "Replace the settings. Documents issued before stay as they are.", settings.Edit, draft)
}

// dataPath is the path of the file with all data of the business.
const dataPath = "/settings/data.zip"

// mountData mounts the download of package business.
func (s *pages) mountData(owners *web.Site) {
	name := func(r *http.Request) string {
		return web.Principal(r).TenantName + " " + web.Principal(r).Today().String() + ".zip"
	}
	owners.Stream(dataPath, "application/zip", name, func(ctx context.Context, r *http.Request, w io.Writer) error {
		who := web.Principal(r)
		m, err := business.Export(ctx, s.site.Pool, w, account.Tenant{ID: who.Tenant, Name: who.TenantName}, s.config.Copies)
		if err == nil {
			s.site.Log.InfoContext(ctx, "all data of a business was downloaded", "tenant", who.Tenant, "user", who.User, "export", m.Export)
		}
		return err
	})
}

// settingsGroups returns the facts that are not about the business itself.
func settingsGroups(is settings.Settings) []peopleviews.FactGroup {
	or := func(label, value string) templates.Fact {
		return templates.Fact{Label: label, Value: cmp.Or(value, "–")}
	}
	rate := ""
	if is.TaxRate != "" {
		rate = is.TaxRate + "%"
	}
	return []peopleviews.FactGroup{
		{Title: "Bank account", Facts: []templates.Fact{
			or("Account holder", is.AccountHolder), or("IBAN or account number", party.SpacedAccount(is.AccountNumber)), or("BIC", is.BIC),
		}},
		{Title: "Currency, tax and terms", Facts: []templates.Fact{
			or("Currency", is.Currency.String()), or("Tax", rate), or("Payment terms", party.DaysText(is.PaymentDays)),
		}},
		{Title: "Documents", Facts: []templates.Fact{or("Footer", is.Footer)}},
		{Title: "Days and times", Facts: []templates.Fact{or("Time zone", zoneText(is.TimeZone))}},
	}
}

func (s *pages) settingsForm(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	v := peopleviews.SettingsForm{
		Form: f, Hint: s.site.Hint("settings"), TaxHint: web.TaxHint(f), Countries: web.Countries(), Currencies: web.CurrencyCodes(),
		Zones: zones(),
	}
	return peopleviews.SettingsFormPage(p, v), nil
}

// zones are all time zones to choose from.
func zones() []templates.Option {
	var all []templates.Option
	for _, name := range date.Zones() {
		all = append(all, templates.Option{Value: name, Text: zoneText(name)})
	}
	return all
}

// zoneText returns the displayed name of a time zone: "America/New York".
func zoneText(name string) string { return strings.ReplaceAll(name, "_", " ") }
