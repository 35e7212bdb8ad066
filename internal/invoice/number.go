package invoice

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"onlyonce/internal/invalid/text"
	"onlyonce/internal/value/date"
)

// Number is a typed invoice number with single spaces; "" is the next number of the series. Case, width and the kind of hyphen don't
// distinguish numbers.
type Number string

// MaxNumber is the longest number accepted, in characters.
const MaxNumber = 40

// Folded returns the form in which numbers are compared, like fold_invoice_number in the database.
func (n Number) Folded() string {
	return strings.Map(small, hyphens.Replace(norm.NFKC.String(string(n))))
}

// SameNumber reports whether two typed numbers are the same.
func SameNumber(a, b string) bool { return numberOf(a).Folded() == numberOf(b).Folded() }

// ofSeries reports whether a number has the form of a series.
func (n Number) ofSeries() bool { return seriesNumber.MatchString(n.Folded()) }

func numberOf(typed string) Number {
	return Number(strings.Join(strings.Fields(text.Clean(typed)), " "))
}

// small converts ASCII letters to lower case. Other letters are refused anyway.
func small(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r - 'A' + 'a'
	}
	return r
}

// MarshalText returns the folded form, so that the spelling of a number does not make another command.
func (n Number) MarshalText() ([]byte, error) { return []byte(n.Folded()), nil }

// problem returns the message for an invalid number of an invoice with an issue date, or "".
func (n Number) problem(issued date.Date) string {
	folded := n.Folded()
	switch {
	case n == "":
		return ""
	case len(folded) > MaxNumber || !asciiNumber.MatchString(folded):
		return "Use at most 40 characters: letters A to Z, digits, spaces and signs like - / . or leave it blank for the next number."
	case issued != (date.Date{}) && n.ofSeries() && folded[:4] != issued.String()[:4]:
		year := folded[:4]
		return string(n) + " is a number of " + year + ", and this invoice is issued in " + issued.String()[:4] +
			". Change the issue date, choose another number, or leave it blank for the next one."
	default:
		return ""
	}
}

var (
	// asciiNumber is the pattern of the constraint invoices_number_ascii.
	asciiNumber = regexp.MustCompile(`^[!-~]+( [!-~]+)*$`)
	// seriesNumber matches the numbers of a series, like the constraint invoices_number_of_its_year.
	seriesNumber = regexp.MustCompile(`^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$`)

	hyphens = strings.NewReplacer("\u2010", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-")
)
