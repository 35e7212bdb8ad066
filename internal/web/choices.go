package web

import (
	"slices"
	"strings"

	"onlyonce/internal/date"
	"onlyonce/internal/money"
	"onlyonce/templates"
)

// options are values to choose from, as people read them.
func options(values []string) []templates.Option {
	var all []templates.Option
	for _, value := range values {
		all = append(all, templates.Option{Value: value, Text: optionText(value)})
	}
	return all
}

// optionText is how people read a value that is chosen: "Bank transfer" for bank_transfer.
func optionText(value string) string {
	if value == "" {
		return ""
	}
	return capital(strings.ReplaceAll(value, "_", " "))
}

// orNone lets nothing be chosen too, which is what a form begins with.
func orNone(all []templates.Option) []templates.Option { return append([]templates.Option{{}}, all...) }

// currencyCodes are all currencies to choose from.
func currencyCodes() []templates.Option {
	var codes []templates.Option
	for _, code := range money.Currencies() {
		codes = append(codes, templates.Option{Value: code, Text: code})
	}
	return codes
}

// knownFacts leaves out those that have no value.
func knownFacts(all ...templates.Fact) []templates.Fact {
	return slices.DeleteFunc(all, func(f templates.Fact) bool { return f.Value == "" })
}

// dayText shows a day to people; "" for none.
func dayText(d date.Date) string {
	if d == (date.Date{}) {
		return ""
	}
	return day(d.Time())
}
