// Package party checks the details of a business or a person on invoices, besides the name: of the business that bills, and of its
// customers.
package party

import (
	"strconv"
	"strings"

	"onlyonce/internal/invalid"
)

// Limits, in characters.
const (
	MaxName    = 200
	MaxAddress = 500
	maxTaxID   = 50
)

// Details has the details of a party on an invoice besides its name. Unknown fields are "".
type Details struct {
	Address string `json:"address,omitzero" doc:"The lines of the address, without the country."`
	Country string `json:"country,omitzero" format:"country"`
	TaxID   string `json:"tax_id,omitzero" doc:"As the party writes it, such as a VAT number with its country prefix."`
}

// Check returns the details in their stored form, and adds mistakes to problems, with pointers below prefix. A tax ID that is meant as a
// VAT number must be one.
func (d Details) Check(prefix string, problems *invalid.Error) Details {
	checked := Details{
		Address: problems.Lines(prefix+"/address", "the address", d.Address, MaxAddress),
		Country: strings.ToUpper(strings.TrimSpace(d.Country)),
	}
	if checked.Country != "" && !IsCountry(checked.Country) {
		problems.Add(prefix+"/country", "Choose a country by its two-letter code, like IE.")
	}
	checked.TaxID = problems.Line(prefix+"/tax_id", "the tax ID", d.TaxID, maxTaxID)
	if mistake := VATMistake(checked.TaxID); mistake != "" {
		problems.Add(prefix+"/tax_id", mistake)
	}
	return checked
}

// PaymentDays checks a payment term of 0 to 365 days; "" stays "". It adds mistakes to problems.
func PaymentDays(pointer, typed string, problems *invalid.Error) string {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return ""
	}
	days, err := strconv.ParseUint(typed, 10, 16)
	if err != nil || days > 365 {
		problems.Add(pointer, "Enter a number of days from 0 to 365, like 30.")
	}
	return strconv.FormatUint(days, 10)
}

// DaysText returns a number of days in words, or "".
func DaysText(days string) string {
	switch days {
	case "":
		return ""
	case "1":
		return "1 day"
	default:
		return days + " days"
	}
}
