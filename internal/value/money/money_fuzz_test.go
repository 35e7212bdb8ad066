package money_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/shopspring/decimal"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/money"
)

// FuzzCurrencyParse checks that an accepted amount is exact, and stays the same when it is formatted and parsed again.
func FuzzCurrencyParse(f *testing.F) {
	for _, code := range []string{"EUR", "JPY", "KWD", "CLF"} {
		for _, text := range []string{
			"", "0", "50.00", "0.001", "-1", "1e9", ".5", "5.", "+1", "00.10", "90071992547409.91", "90071992547409.92",
		} {
			f.Add(code, text)
		}
	}
	f.Fuzz(func(t *testing.T, code, text string) {
		currency, known := money.ParseCurrency(code)
		if !known {
			return
		}
		minor, err := currency.Parse(text)
		if err != nil {
			must.Thatf(t, errors.Is(err, money.ErrFormat) || errors.Is(err, money.ErrScale) || errors.Is(err, money.ErrRange),
				"%s %q: %v", code, text, err)
			return
		}
		exact := shift(rational(t, text), currency.Decimals())
		assert.Thatf(t, exact.Cmp(new(big.Rat).SetInt64(minor)) == 0, "%s %q is %s minor units, got %d", code, text, exact, minor)
		assert.Thatf(t, minor >= 0 && minor <= money.Max, "%s %q: %d is out of range", code, text, minor)
		if again, err := currency.Parse(currency.Format(minor)); again != minor || err != nil {
			t.Errorf("%s %q: %d was written as %q and read as %d, %v", code, text, minor, currency.Format(minor), again, err)
		}
	})
}

// FuzzArithmetic checks that products and percentages are rounded half away from zero, from the exact value.
func FuzzArithmetic(f *testing.F) {
	for _, factor := range []string{"0", "1", "0.5", "1.005", "-1", "33.333", "0.000001", "1000000000"} {
		for _, amount := range []int64{0, 1, 5, 49, 50, 51, 12345, money.Max, -50, -money.Max} {
			f.Add(amount, factor)
		}
	}
	f.Fuzz(func(t *testing.T, amount int64, text string) {
		factor, err := money.ParseDecimal(text)
		if err != nil || amount > money.Max || amount < -money.Max {
			return
		}
		exact := new(big.Rat).Mul(new(big.Rat).SetInt64(amount), rational(t, text))
		product, err := money.Multiply(money.Price{Decimal: decimal.NewFromInt(amount)}, factor)
		expect(t, "times", exact, product, err)
		share, err := money.Percent(amount, factor)
		expect(t, "percent", shift(exact, -2), share, err)
	})
}

// FuzzAdd checks that a sum is exact or refused.
func FuzzAdd(f *testing.F) {
	f.Add(int64(1), int64(2))
	f.Add(int64(money.Max), int64(1))
	f.Add(int64(-1), int64(1))
	f.Add(int64(-money.Max), int64(-1))
	f.Fuzz(func(t *testing.T, a, b int64) {
		sum, err := money.Add(a, b)
		fits := new(big.Int).Add(big.NewInt(a), big.NewInt(b)).CmpAbs(big.NewInt(money.Max)) <= 0
		assert.Thatf(t, fits == (err == nil) && (!fits || sum == a+b) && (fits || errors.Is(err, money.ErrRange)),
			"%d + %d: %d, %v", a, b, sum, err)
	})
}

// expect compares a result with the exact one, rounded.
func expect(t *testing.T, operation string, exact *big.Rat, got int64, err error) {
	t.Helper()
	want, ok := new(big.Int).SetString(exact.FloatString(0), 10) // rounds half away from zero
	must.Thatf(t, ok, "%s does not round", exact)
	fits := want.CmpAbs(big.NewInt(money.Max)) <= 0
	switch {
	case fits && (err != nil || got != want.Int64()):
		t.Errorf("%s: exactly %s, got %d, %v, want %s", operation, exact.FloatString(6), got, err, want)
	case !fits && !errors.Is(err, money.ErrRange):
		t.Errorf("%s: exactly %s does not fit, got %d, %v", operation, exact.FloatString(6), got, err)
	}
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	exact, ok := new(big.Rat).SetString(text)
	must.Thatf(t, ok, "%q was taken for a number", text)
	return exact
}

// shift multiplies by a power of ten.
func shift(x *big.Rat, places int32) *big.Rat {
	power, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", places))
	return power.Mul(power, x)
}
