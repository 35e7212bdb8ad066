package invoice

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"onlyonce/internal/invalid/text"
	"onlyonce/internal/value/date"
)

// Number is an invoice number as it was typed, with single spaces; empty is the next number of the series.
// Numbers that differ only in capitals, in width or in the kind of hyphen are the same.
type Number string

// MaxNumber is the longest number accepted, in characters.
const MaxNumber = 40

// Folded returns the form in which numbers are compared, as fold_invoice_number does in the database.
func (n Number) Folded() string {
	return strings.Map(small, hyphens.Replace(norm.NFKC.String(string(n))))
}

// SameNumber reports whether two numbers, as they were typed, are the same.
func SameNumber(a, b string) bool { return numberOf(a).Folded() == numberOf(b).Folded() }

// ofSeries reports whether a number may be one of the series of its year.
func (n Number) ofSeries() bool { return seriesNumber.MatchString(n.Folded()) }

func numberOf(typed string) Number {
	return Number(strings.Join(strings.Fields(text.Clean(typed)), " "))
}

// small leaves alone what is not ASCII: such a number is refused.
func small(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r - 'A' + 'a'
	}
	return r
}

// MarshalText returns the folded form, so that a command is the same however its number is written.
func (n Number) MarshalText() ([]byte, error) { return []byte(n.Folded()), nil }

// problem returns what to do about a number of an invoice that is issued on a day, or "" if it is fine.
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
	// asciiNumber is the constraint invoices_number_ascii.
	asciiNumber = regexp.MustCompile(`^[!-~]+( [!-~]+)*$`)
	// seriesNumber is what a year's series looks like, as in the constraint invoices_number_of_its_year.
	seriesNumber = regexp.MustCompile(`^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$`)

	hyphens = strings.NewReplacer("\u2010", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-")
)
