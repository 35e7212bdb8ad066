package typed_test

import (
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/value/typed"
)

// TestNumber checks that typed numbers have at most one reading, or are ambiguous.
func TestNumber(t *testing.T) {
	t.Parallel()
	const asks = "ambiguous"
	for _, c := range []struct {
		text     string
		decimals int32
		want     string
	}{
		{"1250", 2, "1250"}, {" 50.00 ", 2, "50.00"}, {"-3", 2, "-3"}, {"", 2, ""}, {"1250,00", 2, "1250.00"}, {"1,5", 2, "1.5"},
		{"1.250,00", 2, "1250.00"}, {"1,250.00", 2, "1250.00"}, {"1.250.000", 2, "1250000"}, {"1,250,000.5", 2, "1250000.5"},
		{"1 250,00", 2, "1250.00"}, {"1\u00a0250", 2, "1250"}, {"1'250.00", 2, "1250.00"}, {"1\u202f250,5", 2, "1250.5"},
		{"1.250", 2, asks}, {"1,250", 2, asks}, {"12,500", 2, asks}, {"-1.250", 2, asks}, {"1250.125", 2, "1250.125"},
		{"0.125", 2, "0.125"}, {"0,125", 2, "0.125"}, {"1.1250", 2, "1.1250"}, {"1.250", 0, "1250"}, {"1,250", 0, "1250"},
		{"1.250", 3, "1.250"}, {"1,250", 3, asks}, {"1.250.5", 2, "1.250.5"}, {"1.250,000.5", 2, "1.250,000.5"},
		{"1,250.000.5", 2, "1,250.000.5"}, {"1.25,00", 2, "1.25,00"}, {"much", 2, "much"}, {"1e9", 2, "1e9"}, {",5", 2, ".5"},
		{"1 250 5", 2, "1 250 5"}, {"1.250 000", 2, "1.250 000"}, {"\u200e1,5\u200b", 2, "1.5"},
	} {
		got, ambiguous := typed.Number(c.text, c.decimals)
		if ambiguous {
			got = asks
		}
		assert.Thatf(t, got == c.want, "%q with %d decimals is %q, want %q", c.text, c.decimals, got, c.want)
	}
}

// TestPercent checks that three decimals are not read as thousands.
func TestPercent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" 23 ": "23", "23%": "23", "23 % ": "23", "9,975": "9.975", "9.975": "9.975", "7,5": "7.5", ",5": ".5",
		"1.000,5": "1.000,5", "much": "much", "": "",
	} {
		assert.Equal(t, typed.Percent(text), want, text)
	}
}

// TestReadings checks that neither reading of an ambiguous number is ambiguous itself.
func TestReadings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"1.250": {"1250", "1.25"}, "1,000": {"1000", "1"}, "-1.125": {"-1125", "-1.1250"}, "12.100": {"12100", "12.1"},
	} {
		whole, decimal := typed.Readings(text)
		assert.Equal(t, [2]string{whole, decimal}, want, text, "can be")
		for _, reading := range want {
			plain, ambiguous := typed.Number(reading, 2)
			assert.Thatf(t, !ambiguous && plain == reading, "%q is %q, ambiguous: %t", reading, plain, ambiguous)
		}
	}
}
