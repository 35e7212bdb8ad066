package money_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

func currency(t *testing.T, code string) money.Currency {
	t.Helper()
	c, known := money.ParseCurrency(code)
	must.Thatf(t, known, "%s is unknown", code)
	return c
}

// TestNegativeAmountsAreShown checks negative amounts, which can't be typed: the sign does not count as a digit of a group.
func TestNegativeAmountsAreShown(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"EUR": "−1,234.56", "JPY": "−123,456", "KWD": "−123.456"} {
		assert.Equal(t, currency(t, code).Display(-123456), want, code)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, text   string
		minor            int64
		written, display string
	}{
		{"EUR", "50.00", 5000, "50.00", "50.00"},
		{"EUR", "50", 5000, "50.00", "50.00"},
		{"EUR", "50.", 5000, "50.00", "50.00"},
		{"EUR", ".5", 50, "0.50", "0.50"},
		{"EUR", "0.1", 10, "0.10", "0.10"},
		{"EUR", "0", 0, "0.00", "0.00"},
		{"EUR", "-0", 0, "0.00", "0.00"},
		{"EUR", "007.50", 750, "7.50", "7.50"},
		{"EUR", "1.100", 110, "1.10", "1.10"},
		{"EUR", "1234.5", 123450, "1234.50", "1,234.50"},
		{"EUR", "1234567.89", 123456789, "1234567.89", "1,234,567.89"},
		{"EUR", "90071992547409.91", money.Max, "90071992547409.91", "90,071,992,547,409.91"},
		{"JPY", "1500", 1500, "1500", "1,500"},
		{"JPY", "1500.00", 1500, "1500", "1,500"},
		{"JPY", "9007199254740991", money.Max, "9007199254740991", "9,007,199,254,740,991"},
		{"BHD", "1.234", 1234, "1.234", "1.234"},
		{"BHD", "12345.6", 12345600, "12345.600", "12,345.600"},
		{"CLF", "1.2345", 12345, "1.2345", "1.2345"},
	} {
		in := currency(t, c.currency)
		minor, err := in.Parse(c.text)
		assert.Thatf(t, err == nil && minor == c.minor, "%s %s: %d, %v, want %d", c.currency, c.text, minor, err, c.minor)
		assert.Equal(t, in.Format(c.minor), c.written, c.currency, c.minor, "written")
		assert.Equal(t, in.Display(c.minor), c.display, c.currency, c.minor, "shown")
	}
}

func TestNotAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, text string
		want           error
	}{
		{"EUR", "", money.ErrFormat},
		{"EUR", ".", money.ErrFormat},
		{"EUR", "-", money.ErrFormat},
		{"EUR", "1e3", money.ErrFormat},
		{"EUR", "1,5", money.ErrFormat},
		{"EUR", "1.000,50", money.ErrFormat},
		{"EUR", "1.2.3", money.ErrFormat},
		{"EUR", " 1", money.ErrFormat},
		{"EUR", "+1", money.ErrFormat},
		{"EUR", "1-", money.ErrFormat},
		{"EUR", "0x10", money.ErrFormat},
		{"EUR", "١", money.ErrFormat},
		{"EUR", "NaN", money.ErrFormat},
		{"EUR", "€5", money.ErrFormat},
		{"EUR", strings.Repeat("1", 33), money.ErrFormat},
		{"EUR", "0.001", money.ErrScale},
		{"EUR", "1.005", money.ErrScale},
		{"JPY", "0.5", money.ErrScale},
		{"BHD", "0.0001", money.ErrScale},
		{"EUR", "-0.01", money.ErrRange},
		{"EUR", "90071992547409.92", money.ErrRange},
		{"JPY", "9007199254740992", money.ErrRange},
		{"EUR", strings.Repeat("9", 32), money.ErrRange},
	} {
		minor, err := currency(t, c.currency).Parse(c.text)
		assert.Thatf(t, errors.Is(err, c.want), "%s %q: %d, %v, want %v", c.currency, c.text, minor, err, c.want)
	}
}

// TestPrices checks unit prices, which may have more decimals than their currency.
func TestPrices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, text, minor, written, display string
		want                                    error
	}{
		{"EUR", "50", "5000", "50.00", "50.00", nil},
		{"EUR", "0.085", "8.5", "0.085", "0.085", nil},
		{"EUR", "1234.500001", "123450.0001", "1234.500001", "1,234.500001", nil},
		{"EUR", "0.0850000000", "8.5", "0.085", "0.085", nil},
		{"JPY", "0.000001", "0.000001", "0.000001", "0.000001", nil},
		{"KWD", "1.25", "1250", "1.250", "1.250", nil},
		{"EUR", "90071992547409.91", "9007199254740991", "90071992547409.91", "90,071,992,547,409.91", nil},
		{"EUR", "0.0000001", "", "", "", money.ErrScale},
		{"EUR", "90071992547409.911", "", "", "", money.ErrRange},
		{"EUR", "-0.001", "", "", "", money.ErrRange},
		{"EUR", "1e3", "", "", "", money.ErrFormat},
	} {
		in := currency(t, c.currency)
		price, err := in.ParsePrice(c.text)
		if c.want != nil {
			assert.Thatf(t, errors.Is(err, c.want), "%s %q: %s, %v, want %v", c.currency, c.text, price, err, c.want)
			continue
		}
		written, encoding := json.Marshal(price)
		assert.Thatf(t, err == nil && encoding == nil && string(written) == c.minor, "%s %q: %s, %v", c.currency, c.text, written, err)
		assert.Equal(t, in.FormatPrice(price), c.written, c.currency, c.text, "written")
		assert.Equal(t, in.DisplayPrice(price), c.display, c.currency, c.text, "shown")
	}
}

// TestRounding checks that each line is rounded half away from zero.
func TestRounding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price, quantity string
		want            int64
	}{
		{"799", "1.5", 1199}, // 1198.5
		{"1", "0.5", 1},
		{"1", "0.499999", 0},
		{"3", "0.5", 2},   // 1.5
		{"5", "0.5", 3},   // 2.5, not rounded to even
		{"333", "3", 999}, // exact
		{"100", "0.333333", 33},
		{"0", "1000000000", 0},
		{"8.5", "12345", 104933}, // 104932.5
		{"0.333333", "1.5", 0},   // 0.4999995
		{"0.0001", "-5000", -1},  // -0.5
		{"5", "-0.5", -3},        // -2.5, away from zero
		{"1", "-0.499999", 0},
		{fmt.Sprint(money.Max), "1", money.Max},
		{fmt.Sprint(money.Max), "-1", -money.Max},
	} {
		got, err := money.Multiply(money.Price{Decimal: decimal.RequireFromString(c.price)}, decimal.RequireFromString(c.quantity))
		assert.Thatf(t, err == nil && got == c.want, "%s times %s: %d, %v, want %d", c.quantity, c.price, got, err, c.want)
	}
	for _, c := range []struct {
		amount int64
		rate   string
		want   int64
	}{
		{10000, "23", 2300},
		{50, "1", 1},  // 0.5
		{250, "1", 3}, // 2.5
		{-50, "1", -1},
		{1199, "6.5", 78},
		{999, "0", 0},
		{money.Max, "100", money.Max},
	} {
		got, err := money.Percent(c.amount, decimal.RequireFromString(c.rate))
		assert.Thatf(t, err == nil && got == c.want, "%s %% of %d: %d, %v, want %d", c.rate, c.amount, got, err, c.want)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	two, most := decimal.NewFromInt(2), money.Price{Decimal: decimal.NewFromInt(money.Max)}
	for name, err := range map[string]error{
		"a product":            second(money.Multiply(most, two)),
		"a huge product":       second(money.Multiply(most, decimal.New(1, 30))),
		"a negative product":   second(money.Multiply(most, two.Neg())),
		"a percentage":         second(money.Percent(money.Max, decimal.NewFromInt(101))),
		"a sum":                second(money.Add(money.Max, 1)),
		"a sum beyond 64 bits": second(money.Add(money.Max, 1<<62)),
		"a negative sum":       second(money.Add(-money.Max, -1)),
	} {
		assert.Thatf(t, errors.Is(err, money.ErrRange), "%s: %v", name, err)
	}
	if sum, err := money.Add(money.Max-1, 1); err != nil || sum != money.Max {
		t.Errorf("%d, %v", sum, err)
	}
}

func second(_ int64, err error) error { return err }

func TestScale(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int32{"2": 0, "2.50": 1, "2.000": 0, "0.000001": 6, "-1.25": 2} {
		assert.Equal(t, money.Scale(decimal.RequireFromString(text)), want, text)
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	codes := money.Currencies()
	assert.Thatf(t, slices.IsSorted(codes) && len(codes) >= 150, "%d codes: %v", len(codes), codes)
	decimals := map[string]int32{"EUR": 2, "USD": 2, "JPY": 0, "KRW": 0, "BHD": 3, "KWD": 3, "CLF": 4}
	for code, want := range decimals {
		got := currency(t, code).Decimals()
		assert.Thatf(t, got == want && slices.Contains(codes, code), "%s has %d decimals, want %d", code, got, want)
	}
	for _, code := range []string{"", "eur", "EU", "EURO", "XQZ", "E R", "€"} {
		_, known := money.ParseCurrency(code)
		assert.Thatf(t, !known, "%q is known", code)
		var c money.Currency
		err := c.UnmarshalText([]byte(code))
		assert.Thatf(t, (err == nil) == (code == "XQZ"), "%q was read as %s, %v", code, c, err)
	}
	codes[0] = "changed"
	assert.Thatf(t, money.Currencies()[0] != "changed", "the list is shared")
}

// TestStoredCurrencies checks that an amount in a withdrawn or unlisted currency is read and shown unchanged.
func TestStoredCurrencies(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"BGN": "1,234,567.89 until 2026-01-31", "ITL": "123,456,789 until 2002-02-28", "XQZ": "1,234,567.89", "EUR": "1,234,567.89",
	} {
		var c money.Currency
		err := c.UnmarshalText([]byte(code))
		got := c.Display(123456789)
		if last := c.LastDay(); last.Year() > 1 {
			got += " until " + last.String()
		}
		assert.Thatf(t, err == nil && got == want, "%s: %s, %v, want %s", code, got, err, want)
	}
}

// TestNoCurrencyIsForgotten checks that a currency that could once be entered can still be entered for its time, even if the library
// drops it. If this fails after an update, add the code to the table of withdrawn currencies, with its last day.
func TestNoCurrencyIsForgotten(t *testing.T) {
	t.Parallel()
	for code, decimals := range entered() {
		c, known := money.ParseCurrency(code)
		assert.Thatf(t, known && c.Decimals() == decimals,
			"%s: known is %t, with %d decimals, want %d", code, known, c.Decimals(), decimals)
	}
	for _, code := range money.Withdrawn() {
		c, known := money.ParseCurrency(code)
		if last := c.LastDay(); !known || last.Year() < date.FirstEntryYear || slices.Contains(money.Currencies(), code) {
			t.Errorf("%s: known is %t, last day %s", code, known, last)
		}
	}
}

// entered returns the decimals of all currencies that some version of this program accepted.
func entered() map[string]int32 {
	all := map[string]int32{}
	for decimals, codes := range map[int32]string{
		0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
		2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
			COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD
			KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK
			NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT
			TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
		3: `BHD IQD JOD KWD LYD OMR TND`,
		4: `CLF UYW`,
	} {
		for code := range strings.FieldsSeq(codes) {
			all[code] = decimals
		}
	}
	return all
}
