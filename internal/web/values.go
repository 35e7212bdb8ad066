package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
	"onlyonce/internal/value/typed"
	"onlyonce/templates"
)

// Options are values to choose from, as people read them.
func Options(values []string) []templates.Option {
	var all []templates.Option
	for _, value := range values {
		all = append(all, templates.Option{Value: value, Text: OptionText(value)})
	}
	return all
}

// OptionText returns the displayed text of an enum value: "Bank transfer" for bank_transfer.
func OptionText(value string) string {
	if value == "" {
		return ""
	}
	return Capital(strings.ReplaceAll(value, "_", " "))
}

// OrNone returns options with a blank one first, which a form begins with.
func OrNone(all []templates.Option) []templates.Option { return append([]templates.Option{{}}, all...) }

// CurrencyCodes are all currencies to choose from.
func CurrencyCodes() []templates.Option {
	var codes []templates.Option
	for _, code := range money.Currencies() {
		codes = append(codes, templates.Option{Value: code, Text: code})
	}
	return codes
}

// KnownFacts returns the facts that have a value.
func KnownFacts(all ...templates.Fact) []templates.Fact {
	return slices.DeleteFunc(all, func(f templates.Fact) bool { return f.Value == "" })
}

// DateText shows a day to people; "" for none.
func DateText(d date.Date) string {
	if d == (date.Date{}) {
		return ""
	}
	return d.Display()
}

// TypedDay returns a typed day as people read it, or what was typed if that is no day.
func TypedDay(typed string) string {
	if d, err := date.ParseEntry(typed); err == nil {
		return d.Display()
	}
	return typed
}

// Countries are all countries to choose from, and none.
func Countries() []templates.Option {
	var all []templates.Option
	for _, c := range party.Countries() {
		all = append(all, templates.Option{Value: c.Code, Text: c.Name})
	}
	return OrNone(all)
}

// TaxHint returns the form's note about a party's tax ID: whether e-invoices take it for a VAT number.
func TaxHint(f templates.Form) string {
	typed, country := f.Typed.Get("tax_id"), f.Typed.Get("country")
	number, is := party.VATNumber(typed)
	mistake := party.VATMistake(typed)
	switch {
	case is:
		hint := "The VAT number is " + number + "."
		if country != "" && country != party.VATCountry(number) {
			hint += " It is from another country than the one above, which is allowed."
		}
		if !party.VATChecked(number) {
			hint += " Only its form was checked."
		}
		return hint
	case mistake != "" && !f.CameBack(): // the field's error has it otherwise
		return mistake
	case typed == "", mistake != "":
		return "Such as a VAT number with its country prefix, " + party.VATExample(country) + "."
	default:
		return "This isn't a VAT number, but a registration number. A VAT number has its country prefix, like " +
			party.VATExample(country) + "."
	}
}

// PartyFacts returns the details of a party on invoices besides its name, with a text for unknown ones.
func PartyFacts(d party.Details, unknown string) []templates.Fact {
	return []templates.Fact{
		{Label: "Address", Value: cmp.Or(d.Address, unknown)}, {Label: "Country", Value: cmp.Or(party.CountryName(d.Country), unknown)},
		{Label: "Tax ID", Value: cmp.Or(d.TaxID, unknown)},
	}
}

// AmountText is an amount of minor units with its currency: "1,234.50 EUR". It is "" without a currency.
func AmountText(c money.Currency, amount int64) string {
	return strings.TrimSpace(c.Display(amount) + " " + c.String())
}

// SumText is AmountText for a sum of amounts.
func SumText(c money.Currency, sum decimal.Decimal) string {
	return strings.TrimSpace(c.DisplaySum(sum) + " " + c.String())
}

// Day returns the day of a point in time as people read it, in the time zone of the caller's tenant: "2 Jan 2026".
func Day(r *http.Request, at time.Time) string {
	return at.In(date.Zone(Principal(r).Zone)).Format("2 Jan 2006")
}

// Moment returns a point in time as people read it, in the time zone of the caller's tenant: "2 Jan 2026, 15:04 CET".
func Moment(r *http.Request, at time.Time) string {
	return at.In(date.Zone(Principal(r).Zone)).Format(momentFormat)
}

const momentFormat = "2 Jan 2006, 15:04 MST"

// TimestampText shows a point in time in UTC, as [typed.Timestamp] returns it or a form sends it. Another text is returned unchanged.
func TimestampText(text string) string {
	at, err := time.Parse(time.RFC3339, typed.UTC(text))
	if err != nil {
		return text
	}
	return at.UTC().Format(momentFormat)
}

// PercentText shows a percentage: "12.5%"; "" for none.
func PercentText(number string) string {
	if number == "" {
		return ""
	}
	return strings.TrimSuffix(number, "%") + "%"
}
