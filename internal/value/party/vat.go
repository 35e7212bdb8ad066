package party

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// vatNumber is one form of a prefix's VAT numbers: a pattern for the rest without spaces, dots and hyphens, and its check digits.
type vatNumber struct {
	prefix, rest, example string
	check                 func(rest string) bool // nil to check the form only
}

// vatNumbers has the VAT numbers that European e-invoices need. A prefix may have several forms. Greece has EL, and Northern Ireland XI.
// The forms are those of the European Commission's VIES (its FAQ, question 11). The check digits are those that the countries publish or
// use: [Wikipedia] has a list. A country has none here if some of its numbers are exceptions, such as those of persons.
//
// [Wikipedia]: https://en.wikipedia.org/wiki/VAT_identification_number
var vatNumbers = []vatNumber{
	{"AT", `U\d{8}`, "ATU12345675", crossSum(6, 0, 1, 2, 1, 2, 1, 2, 1, 1)},
	{"BE", `[01]\d{9}`, "BE0123456749", sum(97, 0, 76, 27, 90, 9, 30, 3, 10, 1, 10, 1)}, // the last two add up to a multiple of 97
	{"BG", `\d{9,10}`, "BG123456786", nil},
	{"CH", `E\d{9}(MWST|TVA|IVA)?`, "CHE-123.456.788 MWST", nil},
	{"CY", `\d{8}[A-Z]`, "CY12345678F", nil},
	{"CZ", `\d{8,10}`, "CZ12345679", nil},
	{"DE", `[1-9]\d{8}`, "DE123456788", iso7064},
	{"DK", `[1-9]\d{7}`, "DK12345674", sum(11, 0, 2, 7, 6, 5, 4, 3, 2, 1)},
	{"EE", `\d{9}`, "EE123456780", sum(10, 0, 3, 7, 1, 3, 7, 1, 3, 7, 1)},
	{"EL", `\d{9}`, "EL123456783", sum(11, 0, 3, 7, 9, 10, 5, 8, 4, 2, -1)},
	{"EL", `\d{8}0`, "", sum(11, 10, 3, 7, 9, 10, 5, 8, 4, 2, -1)}, // 0 in place of 10
	{"ES", `([A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z])`, "ESB12345674", nil},
	{"FI", `\d{8}`, "FI12345671", sum(11, 0, 7, 9, 10, 5, 8, 4, 2, 1)},
	{"FR", `\d{11}`, "FR32123456789", sum(97, 12, 10, 1, 48, 63, 16, 21, 70, 7, 88, 67, 94)}, // the key is (100 × SIREN + 12) mod 97
	{"FR", `([A-HJ-NP-Z]\d|[A-HJ-NP-Z0-9][A-HJ-NP-Z])\d{9}`, "", nil},
	{"GB", `(\d{9}|\d{12}|(GD|HA)\d{3})`, "GB123456789", nil},
	{"HR", `\d{11}`, "HR12345678903", iso7064},
	{"HU", `\d{8}`, "HU12345676", sum(10, 0, 9, 7, 3, 1, 9, 7, 3, 1)},
	{"IE", `\d{7}[A-W][A-IW]?`, "IE1234567FA", sum(23, 0, 8, 7, 6, 5, 4, 3, 2, -1, 9)},
	{"IE", `\d[A-Z+*]\d{5}[A-W]`, "", sum(23, 0, 2, 0, 7, 6, 5, 4, 3, -1)},
	{"IS", `\d{5,6}`, "IS12345", nil},
	{"IT", `\d{11}`, "IT12345678903", crossSum(0, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1)},
	{"LT", `(\d{9}|\d{12})`, "LT123456715", nil},
	{"LU", `\d{8}`, "LU12345613", sum(89, 0, 53, 32, 21, 11, 10, 1, -10, -1)}, // the first six mod 89 are the last two
	{"LV", `\d{11}`, "LV41234567891", nil},
	{"MT", `\d{8}`, "MT12345634", sum(37, 0, 3, 4, 6, 7, 8, 9, 10, 1)},
	{"NL", `\d{9}B\d{2}`, "NL123456782B01", sum(11, 0, 9, 8, 7, 6, 5, 4, 3, 2, -1, 0, 0, 0)},
	{"NL", `\d{9}B\d{2}`, "", sum(97, 73, 50, 5, 49, 34, 81, 76, 27, 90, 9, 0, 10, 1)}, // NL and the rest as of an IBAN; of persons
	{"NO", `\d{9}(MVA)?`, "NO123456785MVA", nil},
	{"PL", `\d{10}`, "PL1234563218", sum(11, 0, 6, 5, 7, 2, 3, 4, 5, 6, 7, -1)},
	{"PT", `\d{9}`, "PT123456789", sum(11, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1)},
	{"PT", `\d{8}0`, "", sum(11, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1)}, // 0 in place of 10
	{"RO", `\d{2,10}`, "RO12345674", nil},
	{"SE", `\d{12}`, "SE123456789701", crossSum(0, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 0, 0)},
	{"SI", `\d{8}`, "SI12345679", sum(11, 0, 8, 7, 6, 5, 4, 3, 2, 1)},
	{"SI", `\d{7}0`, "", sum(11, 1, 8, 7, 6, 5, 4, 3, 2, 1)}, // 0 in place of 10
	{"SK", `\d{10}`, "SK2022749619", sum(11, 0, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1)},
	{"XI", `(\d{9}|\d{12}|(GD|HA)\d{3})`, "XI123456789", nil},
}

// VATNumber returns a tax ID in the form of VAT numbers in e-invoices, in capitals, without separators, and with EL in place of GR. It
// reports whether the tax ID has a country's prefix, and the form and the check digits of that country's numbers.
func VATNumber(taxID string) (number string, is bool) {
	number = strings.NewReplacer(".", "", "-", "").Replace(withoutSpaces(taxID))
	if rest, is := strings.CutPrefix(number, "GR"); is {
		number = "EL" + rest
	}
	return number, slices.ContainsFunc(vatNumbers, func(of vatNumber) bool {
		return of.hasForm(number) && (of.check == nil || of.check(number[len(of.prefix):]))
	})
}

// VATChecked reports whether the check digits of a VAT number were checked, besides its form.
func VATChecked(number string) bool {
	return slices.ContainsFunc(vatNumbers, func(of vatNumber) bool { return of.hasForm(number) && of.check != nil })
}

// hasForm reports whether a number without separators has the prefix and the pattern.
func (v vatNumber) hasForm(number string) bool {
	rest, has := strings.CutPrefix(number, v.prefix)
	return has && regexp.MustCompile(`^`+v.rest+`$`).MatchString(rest)
}

// likeVAT matches a tax ID that is meant as a VAT number of the EU or the United Kingdom: without separators, it has the prefix, a digit
// behind that, and only digits and letters. Before the digit, Austria has its U, Spain a letter, and France none or two. So "HRB 12345",
// "SIRET 123 456 789 00012", "DE 93/815/08152" and "IE" aren't meant as one.
var likeVAT = regexp.MustCompile(`^(ATU?|BE|BG|CY|CZ|DE|DK|EE|EL|ES[A-Z]?|FI|FR([A-Z]{2})?|GB|GR|HR|HU|IE|IT|LT|LU|` +
	`LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[0-9][A-Z0-9]*$`)

// VATMistake returns a sentence about a tax ID that is meant as a VAT number and is none, or "".
func VATMistake(taxID string) string {
	number, is := VATNumber(taxID)
	switch {
	case is && strings.HasPrefix(withoutSpaces(taxID), "GR"):
		return "Greek VAT numbers begin with EL: " + number + "."
	case is, !likeVAT.MatchString(number):
		return ""
	case slices.ContainsFunc(vatNumbers, func(of vatNumber) bool { return of.hasForm(number) }):
		return "The check characters of this VAT number don't fit the others. Look for a typing mistake."
	default:
		return "VAT numbers of this country have a form such as " + VATExample(number[:2]) + ". Check this one for typing mistakes."
	}
}

// VATPlace returns the code of the country in which a party pays VAT: that of its VAT number, with XI for Northern Ireland, or else its
// country; "" if neither is known.
func VATPlace(country, taxID string) string {
	number, is := VATNumber(taxID)
	switch {
	case !is:
		return country
	case strings.HasPrefix(number, "XI"):
		return "XI"
	default:
		return VATCountry(number)
	}
}

// VATCountry returns the code of the country of a VAT number.
func VATCountry(number string) string {
	switch prefix := number[:2]; prefix {
	case "EL":
		return "GR"
	case "XI":
		return "GB"
	default:
		return prefix
	}
}

// VATExample returns an example of the VAT numbers of a country or with a prefix, or of an Irish one for a country whose form is unknown.
func VATExample(country string) string {
	of := slices.IndexFunc(vatNumbers, func(of vatNumber) bool { return of.prefix == country || VATCountry(of.prefix) == country })
	if of < 0 {
		return VATExample("IE")
	}
	return vatNumbers[of].example
}

// sum returns a check that the sum of the products of the weights and the characters has a remainder. The value of a letter is its place
// in the alphabet.
func sum(modulus, remainder int, weights ...int) func(string) bool {
	return func(rest string) bool {
		total := 0
		for i, r := range rest {
			total += weights[i] * valueOf(r)
		}
		return (total-remainder)%modulus == 0
	}
}

// crossSum is sum modulo 10, of the digits of the products.
func crossSum(remainder int, weights ...int) func(string) bool {
	return func(rest string) bool {
		total := 0
		for i, r := range rest {
			product := weights[i] * valueOf(r)
			total += product/10 + product%10
		}
		return total%10 == remainder
	}
}

// iso7064 checks the last digit by MOD 11,10 of ISO 7064.
func iso7064(rest string) bool {
	last := len(rest) - 1
	product := 10
	for _, r := range rest[:last] {
		product = 2 * cmp.Or((product+valueOf(r))%10, 10) % 11
	}
	return (product+valueOf(rune(rest[last])))%10 == 1
}

func valueOf(r rune) int {
	if r >= 'A' {
		return int(r-'A') + 1
	}
	return int(r - '0')
}
