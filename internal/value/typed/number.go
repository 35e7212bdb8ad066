package typed

import (
	"regexp"
	"strings"

	"onlyonce/internal/invalid/text"
)

// Number converts a typed number to a plain decimal: "1250.00" for "1.250,00", "1,250.00", "1 250,00" or "1250,00". A number whose only
// separator is before the last three digits is ambiguous, such as "1.250", unless the decimals of a currency rule out one reading. A text
// that is no number is returned unchanged. static/invoice-totals.js does the same.
func Number(entered string, decimals int32) (plain string, ambiguous bool) {
	number := strings.TrimSpace(text.Clean(entered))
	separators := notDigits.FindAllString(strings.TrimPrefix(number, "-"), -1)
	if len(separators) == 0 {
		return number, false
	}
	last := separators[len(separators)-1]
	switch {
	case len(separators) == 1 && maybeGrouped.MatchString(number):
		switch {
		case decimals >= 3 && last == ".": // an amount in the display form of such a currency
			return number, false
		case decimals > 0:
			return number, true
		}
	case len(separators) == 1 && oneDecimal.MatchString(number):
		return strings.Replace(number, ",", ".", 1), false
	}
	parts := grouped.FindStringSubmatch(number)
	if parts == nil {
		return number, false
	}
	whole, fraction := parts[1], strings.Replace(parts[2], ",", ".", 1)
	if between := notDigits.FindAllString(strings.TrimPrefix(whole, "-"), -1); strings.Count(strings.Join(between, ""), between[0]) !=
		len(between) || fraction != "" && between[0] == last {
		return number, false // "1.250,000.5"
	}
	return strings.Join(strings.FieldsFunc(whole, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }), "") + fraction, false
}

var (
	notDigits    = regexp.MustCompile(`[^0-9]`)
	maybeGrouped = regexp.MustCompile(`^-?[1-9]\d{0,2}[.,]\d{3}$`)
	oneDecimal   = regexp.MustCompile(`^-?\d*[.,]\d+$`)
	grouped      = regexp.MustCompile(`^(-?\d{1,3}(?:[., '’\x{a0}\x{202f}]\d{3})+)([.,]\d+)?$`)
)

// Percent converts a typed number up to 100, with or without a trailing percent sign, to a plain decimal. Its only separator is a decimal
// point, so "9,975" is "9.975". A text that is no number is returned unchanged.
func Percent(entered string) string {
	number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text.Clean(entered)), "%"))
	if oneDecimal.MatchString(number) {
		return strings.Replace(number, ",", ".", 1)
	}
	return number
}

// Unambiguous returns a plain decimal in a form that [Number] reads as the same value: "1.1250" for "1.125".
func Unambiguous(plain string) string {
	if maybeGrouped.MatchString(plain) {
		return plain + "0"
	}
	return plain
}

// Readings returns the two numbers that an ambiguous text can mean.
func Readings(ambiguous string) (whole, decimal string) {
	head, tail, _ := strings.Cut(strings.Replace(ambiguous, ",", ".", 1), ".")
	decimal = strings.TrimRight(head+"."+tail, "0")
	return head + tail, Unambiguous(strings.TrimSuffix(decimal, "."))
}
