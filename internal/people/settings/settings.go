// Package settings keeps the details of a business for its invoices, and the defaults of new invoices. Each tenant has exactly one record
// of settings, created with the tenant, and with its id.
package settings

import (
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
	"onlyonce/internal/value/typed"
)

// Settings are the stored settings.
type Settings struct {
	record.Header
	party.Details
	party.BankAccount

	Name        string         `json:"name"` // the legal name, which invoices show
	Email       string         `json:"email,omitzero" format:"email" doc:"Shown on documents. Replies to emails go there."`
	Currency    money.Currency `json:"currency"`                           // of new invoices
	TaxRate     string         `json:"tax_rate,omitzero" format:"decimal"` // percent, for the first line of new invoices; "" for none
	PaymentDays string         `json:"payment_days"`                       // from the issue date to the default due date of invoices
	Footer      string         `json:"footer,omitzero" doc:"At the bottom of each page of documents."`
	TimeZone    string         `json:"time_zone"` // of [date.Zones]
}

// Table is the table of settings.
var Table = record.Table[Settings]{Name: "settings", Fields: `
	'name', r.name, 'email', r.email, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id,
	'account_holder', r.account_holder, 'account_number', r.account_number, 'bic', r.bic,
	'currency', r.currency, 'tax_rate', COALESCE(r.tax_rate::text, ''), 'payment_days', r.payment_days::text,
	'footer', r.footer, 'time_zone', r.time_zone`}

// Input is the unchecked input.
type Input struct {
	party.Details
	party.BankAccount

	Name        string `json:"name"`
	Email       string `json:"email,omitzero" format:"email" doc:"Shown on documents. Replies to emails go there."`
	Currency    string `json:"currency" format:"currency"`
	TaxRate     string `json:"tax_rate,omitzero" format:"decimal"`
	PaymentDays string `json:"payment_days"`
	Footer      string `json:"footer,omitzero" doc:"At the bottom of each page of documents, at most 4 lines."`
	TimeZone    string `json:"time_zone,omitzero" doc:"A name of the IANA time zone database, like Europe/Berlin. Without it, UTC."`
}

// Draft is the command that replaces the settings.
type Draft struct {
	party.Details
	party.BankAccount

	Name        string         `json:"name"`
	Email       email.Address  `json:"email,omitzero"`
	Currency    money.Currency `json:"currency"`
	TaxRate     string         `json:"tax_rate"`
	PaymentDays string         `json:"payment_days"`
	Footer      string         `json:"footer"`
	TimeZone    string         `json:"time_zone,omitzero"` // "" for UTC
}

// Limits of [Input.Footer].
const (
	maxFooter      = 300 // characters
	maxFooterLines = 4
)

// Draft checks the input. It returns an [*invalid.Error] with all problems, in the order of the form.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Name: problems.Line("/name", "the name", in.Name, party.MaxName)}
	if d.Name == "" {
		problems.Add("/name", "Enter the name of your business.")
	}
	if d.Email = email.Address(strings.TrimSpace(in.Email)); d.Email != "" {
		if problem := d.Email.Problem(); problem != "" {
			problems.Add("/email", problem)
		}
	}
	d.Details = in.Details.Check("", &problems)
	d.BankAccount = in.BankAccount.Check(&problems)
	d.Currency = typed.Currency(&problems, "/currency", in.Currency, date.Today())
	d.TaxRate = rate(in.TaxRate, &problems)
	if d.PaymentDays = party.PaymentDays("/payment_days", in.PaymentDays, &problems); d.PaymentDays == "" {
		problems.Add("/payment_days", "Enter the payment terms in days, like 30.")
	}
	if d.Footer = problems.Lines("/footer", "the footer", in.Footer, maxFooter); strings.Count(d.Footer, "\n") >= maxFooterLines {
		problems.Add("/footer", "Enter a footer of at most 4 lines.")
	}
	d.TimeZone = zone(in.TimeZone, &problems)
	return d, problems.Err()
}

// zone returns the name of a time zone, or "" for UTC: a command without one has the same fingerprint as before there were any.
func zone(typed string, problems *invalid.Error) string {
	name := date.Canonical(strings.TrimSpace(typed))
	switch {
	case name == "", name == "UTC":
		return ""
	case !date.IsZone(name):
		problems.Add("/time_zone", "Choose a time zone of the list, like Europe/Berlin.")
	}
	return name
}

func rate(typed string, problems *invalid.Error) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	rate, err := money.ParseRate(typed)
	if err != nil {
		problems.Add("/tax_rate", "Enter a tax rate from 0 to 100 percent, like 23, or leave it blank.")
	}
	return rate.String()
}
