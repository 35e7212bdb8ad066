// Package money has amounts as integer minor units of an ISO 4217 currency, and converts them from and to decimals. It never uses floats.
package money

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bojanz/currency"
	"github.com/shopspring/decimal"
)

// Max is the largest amount in minor units: 2^53-1, the largest integer that JavaScript represents exactly.
const Max = 1<<53 - 1

var (
	// ErrFormat means that the text is not a plain decimal number.
	ErrFormat = errors.New("not a decimal number")
	// ErrScale means that the text has more decimals than the currency.
	ErrScale = errors.New("too many decimals")
	// ErrRange means that the amount is larger than Max, or a typed one negative, or a computed one smaller than -Max.
	ErrRange = errors.New("out of range")
)

// Currency is an ISO 4217 code, listed or not. The zero value is no currency.
type Currency struct{ code string }

// ParseCurrency parses an ISO 4217 code that is listed, such as EUR, or that was withdrawn in 2000 or later, such as BGN. For any other
// code, known is false and c the zero value.
func ParseCurrency(code string) (c Currency, known bool) {
	if _, ended := withdrawn[code]; !ended && (code == "" || !currency.IsValid(code)) {
		return Currency{}, false
	}
	return Currency{code}, true
}

// Currencies returns all codes that are in use today, sorted.
func Currencies() []string {
	codes := slices.DeleteFunc(slices.Clone(currency.GetCurrencyCodes()), func(code string) bool {
		_, ended := withdrawn[code]
		return ended
	})
	slices.Sort(codes)
	return codes
}

// String returns the ISO 4217 code.
func (c Currency) String() string { return c.code }

// Decimals returns the number of decimals of the currency: 0, 2, 3 or 4. It is 2 for an unlisted code.
func (c Currency) Decimals() int32 {
	if digits, listed := currency.GetDigits(c.code); listed {
		return int32(digits)
	}
	if ended, known := withdrawn[c.code]; known {
		return ended.decimals
	}
	return 2
}

// Parse parses an amount such as "50.00" to minor units. It returns [ErrFormat], [ErrScale] or [ErrRange].
func (c Currency) Parse(text string) (int64, error) {
	amount, err := ParseDecimal(text)
	if err != nil {
		return 0, err
	}
	minor := amount.Shift(c.Decimals())
	if !minor.IsInteger() {
		return 0, fmt.Errorf("%w: %s has %d", ErrScale, c, c.Decimals())
	}
	if minor.IsNegative() {
		return 0, ErrRange
	}
	return toMinor(minor)
}

// Format returns minor units as a plain decimal with all decimals of the currency: "50.00". It returns "" for the zero currency.
func (c Currency) Format(minor int64) string {
	if c == (Currency{}) {
		return ""
	}
	return decimal.New(minor, -c.Decimals()).StringFixed(c.Decimals())
}

// Multiply returns quantity times price in minor units, rounded half away from zero: the net amount of a line, which EN 16931 (BR-DEC-23)
// rounds before anything is summed. It returns [ErrRange].
func Multiply(price Price, quantity decimal.Decimal) (int64, error) {
	return toMinor(price.Mul(quantity).Round(0))
}

// ParseRate parses a tax rate in percent, ignoring space around it. It returns [ErrFormat], [ErrScale] for more than three decimals, or
// [ErrRange] unless it is from 0 to 100.
func ParseRate(text string) (decimal.Decimal, error) {
	rate, err := ParseDecimal(strings.TrimSpace(text))
	switch {
	case err != nil:
		return rate, err
	case Scale(rate) > 3:
		return rate, ErrScale
	case rate.IsNegative() || rate.GreaterThan(decimal.NewFromInt(100)):
		return rate, ErrRange
	default:
		return rate, nil
	}
}

// Percent returns rate percent of an amount in minor units, rounded half away from zero. It returns
// [ErrRange].
func Percent(amount int64, rate decimal.Decimal) (int64, error) {
	return toMinor(decimal.NewFromInt(amount).Mul(rate).Shift(-2).Round(0))
}

// Add returns the sum of two amounts, or [ErrRange].
func Add(a, b int64) (int64, error) {
	return toMinor(decimal.NewFromInt(a).Add(decimal.NewFromInt(b)))
}

func toMinor(d decimal.Decimal) (int64, error) {
	if d.Abs().GreaterThan(decimal.NewFromInt(Max)) {
		return 0, ErrRange
	}
	return d.IntPart(), nil
}

// ParseDecimal parses a plain decimal: digits, at most one point, an optional minus sign, at most 32 characters. It refuses exponents, so
// that a short text can't be a huge number. It returns [ErrFormat].
func ParseDecimal(text string) (decimal.Decimal, error) {
	if len(text) > 32 || !isPlain(text) {
		return decimal.Decimal{}, ErrFormat
	}
	d, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.Decimal{}, ErrFormat
	}
	return d, nil
}

// Scale returns the number of significant decimals: 1 for 2.50.
func Scale(d decimal.Decimal) int32 {
	var scale int32
	for !d.IsInteger() && scale < math.MaxInt8 {
		d = d.Shift(1)
		scale++
	}
	return scale
}

func isPlain(text string) bool {
	digits, points := 0, 0
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == '.':
			points++
		case r == '-' && i == 0:
		default:
			return false
		}
	}
	return digits > 0 && points <= 1
}

// MarshalText returns the ISO 4217 code.
func (c Currency) MarshalText() ([]byte, error) { return []byte(c.code), nil }

// UnmarshalText parses a stored code. It accepts codes that are no longer listed, because stored amounts must stay readable.
func (c *Currency) UnmarshalText(text []byte) error {
	if !isCode(text) {
		return fmt.Errorf("not the code of a currency: %.10q", text)
	}
	*c = Currency{string(text)}
	return nil
}

// isCode reports whether a text has the form of a code, as the database checks it.
func isCode(text []byte) bool {
	return len(text) == 3 && !slices.ContainsFunc(text, func(b byte) bool { return b < 'A' || b > 'Z' })
}

// Display returns minor units for users, with grouped thousands and without the currency: "1,234.50".
func (c Currency) Display(minor int64) string { return c.DisplaySum(decimal.NewFromInt(minor)) }

// DisplaySum is Display for a sum, which may be larger than [Max].
func (c Currency) DisplaySum(minor decimal.Decimal) string {
	if c == (Currency{}) {
		return ""
	}
	return Grouped(minor.Shift(-c.Decimals()).StringFixed(c.Decimals()))
}

// Grouped returns a plain decimal for users: with grouped thousands and the minus sign of typography, U+2212.
func Grouped(plain string) string {
	digits, negative := strings.CutPrefix(plain, "-")
	whole, decimals, found := strings.Cut(digits, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if negative {
		whole = "\u2212" + whole
	}
	if found {
		return whole + "." + decimals
	}
	return whole
}

// Value returns the code for an argument of a statement.
func (c Currency) Value() (driver.Value, error) { return c.code, nil }

// Scan reads a code from a database column.
func (c *Currency) Scan(column any) error {
	code, _ := column.(string)
	return c.UnmarshalText([]byte(code))
}
