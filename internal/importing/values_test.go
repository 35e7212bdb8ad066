package importing_test

import (
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/importing"
)

// TestReadings reads days and numbers in each order and with each sign.
func TestReadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		as                 importing.Type
		text, one, another string // day first or with a point; month first or with a comma
	}{
		{importing.Day, "2026-11-29", "2026-11-29", "2026-11-29"},
		{importing.Day, "2026-11-29T10:00:00Z", "2026-11-29", "2026-11-29"},
		{importing.Day, "2026/1/2 10:00", "2026-01-02", "2026-01-02"},
		{importing.Day, "3/4/2026", "2026-04-03", "2026-03-04"},
		{importing.Day, "03/04/26, 9:15 AM", "2026-04-03", "2026-03-04"},
		{importing.Day, "31/12/2026", "2026-12-31", ""},
		{importing.Day, "12-31-2026", "", "2026-12-31"},
		{importing.Day, "5/5/2026", "2026-05-05", "2026-05-05"},
		{importing.Day, "3.4.2026", "2026-04-03", "2026-04-03"},
		{importing.Day, "12.31.2026", "", ""},
		{importing.Day, "29 Nov 2026", "2026-11-29", "2026-11-29"},
		{importing.Day, "Nov 29, 2026", "2026-11-29", "2026-11-29"},
		{importing.Day, "30/02/2026", "", ""},
		{importing.Day, "soon", "", ""},
		{importing.Number, "1234", "1234", "1234"},
		{importing.Number, "1,234.50", "1234.50", ""},
		{importing.Number, "1.234,50 €", "", "1234.50"},
		{importing.Number, "1.234", "1.234", "1234"},
		{importing.Number, "1,234", "1234", "1.234"},
		{importing.Number, "1.234.567", "", "1234567"},
		{importing.Number, "1 234,5", "", "1234.5"},
		{importing.Number, "1'234.50 CHF", "1234.50", ""},
		{importing.Number, "$-12.5", "-12.5", ""},
		{importing.Number, "(12.50)", "-12.50", ""},
		{importing.Number, "12,50-", "", "-12.50"},
		{importing.Number, "−3", "-3", "-3"},
		{importing.Number, "1,23,456.00", "123456.00", ""},
		{importing.Number, "12,34", "", "12.34"},
		{importing.Number, "free", "", ""},
		{importing.Number, "US$1.50", "1.50", ""},
		{importing.Number, "kr 1.50", "1.50", ""},
		{importing.Number, "1.50 CR", "", ""},
		{importing.Number, "1.50 H", "", ""},
		{importing.Number, "1.2.3", "", ""},
		{importing.Rate, "20% (VAT on Income)", "20", "20"},
		{importing.Rate, "VAT 5,5 %", "", "5.5"},
		{importing.Rate, "19", "19", "19"},
		{importing.Rate, "Exempt", "Exempt", "Exempt"},
		{importing.Text, "1.234", "1.234", "1.234"},
	} {
		one, _ := importing.Settings{DateOrder: importing.DayFirst, DecimalSign: importing.Point}.Read(c.text, c.as)
		another, _ := importing.Settings{DateOrder: importing.MonthFirst, DecimalSign: importing.Comma}.Read(c.text, c.as)
		assert.Equal(t, fmt.Sprint(one, " ", another), c.one+" "+c.another, c.text)
		_, known := importing.Settings{}.Read(c.text, c.as)
		assert.Thatf(t, known == (one == another && one != ""), "%s without settings is known: %v", c.text, known)
	}
}
