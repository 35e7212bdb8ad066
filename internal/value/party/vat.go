package party

import (
	"regexp"
	"strings"
)

// vatNumbers has the forms of VAT numbers that European e-invoices need: the prefix, a pattern for the rest without spaces, dots and
// hyphens, and an example. Greece has EL or GR, and Northern Ireland XI.
var vatNumbers = map[string]struct{ rest, example string }{
	"AT": {`U\d{8}`, "ATU12345678"}, "BE": {`[01]\d{9}`, "BE0123456789"}, "BG": {`\d{9,10}`, "BG123456789"},
	"CH": {`E\d{9}(MWST|TVA|IVA)?`, "CHE-123.456.789 MWST"}, "CY": {`\d{8}[A-Z]`, "CY12345678L"}, "CZ": {`\d{8,10}`, "CZ12345678"},
	"DE": {`\d{9}`, "DE123456789"}, "DK": {`\d{8}`, "DK12345678"}, "EE": {`\d{9}`, "EE123456789"}, "EL": {`\d{9}`, "EL123456789"},
	"ES": {`([A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z])`, "ESX12345678"}, "FI": {`\d{8}`, "FI12345678"},
	"FR": {`[A-HJ-NP-Z0-9]{2}\d{9}`, "FR12123456789"}, "GB": {`(\d{9}|\d{12}|(GD|HA)\d{3})`, "GB123456789"},
	"GR": {`\d{9}`, "EL123456789"}, "HR": {`\d{11}`, "HR12345678901"}, "HU": {`\d{8}`, "HU12345678"},
	"IE": {`(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])`, "IE6388047V"}, "IS": {`\d{5,6}`, "IS12345"}, "IT": {`\d{11}`, "IT12345678901"},
	"LT": {`(\d{9}|\d{12})`, "LT123456789"}, "LU": {`\d{8}`, "LU12345678"}, "LV": {`\d{11}`, "LV12345678901"},
	"MT": {`\d{8}`, "MT12345678"}, "NL": {`[A-Z0-9+*]{10}\d{2}`, "NL123456789B01"}, "NO": {`\d{9}(MVA)?`, "NO123456789MVA"},
	"PL": {`\d{10}`, "PL1234567890"}, "PT": {`\d{9}`, "PT123456789"}, "RO": {`\d{2,10}`, "RO12345678"}, "SE": {`\d{12}`, "SE123456789001"},
	"SI": {`\d{8}`, "SI12345678"}, "SK": {`\d{10}`, "SK1234567890"}, "XI": {`(\d{9}|\d{12}|(GD|HA)\d{3})`, "XI123456789"},
}

// VATNumber returns a tax ID in the form of VAT numbers in e-invoices, in capitals and without separators. It reports whether the tax ID
// has a country's prefix and the form of that country's numbers. It does not verify check digits.
func VATNumber(taxID string) (number string, is bool) {
	number = strings.NewReplacer(".", "", "-", "").Replace(withoutSpaces(taxID))
	if len(number) < 2 {
		return "", false
	}
	of, known := vatNumbers[number[:2]]
	return number, known && regexp.MustCompile(`^`+of.rest+`$`).MatchString(number[2:])
}

// VATExample returns an example of a country's VAT numbers, or of an Irish one for a country whose form is unknown.
func VATExample(country string) string {
	if of, known := vatNumbers[country]; known {
		return of.example
	}
	return vatNumbers["IE"].example
}
