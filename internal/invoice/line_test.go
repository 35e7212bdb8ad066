package invoice_test

import (
	"errors"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
	"onlyonce/internal/value/money"
)

// TestPriceBelowZero checks that the message about a price below 0 has the way to take something off.
func TestPriceBelowZero(t *testing.T) {
	t.Parallel()
	euro, _ := money.ParseCurrency("EUR")
	for price, want := range map[string]string{
		"-50":            "Enter the price without a minus sign, and the quantity with one, like -1.",
		"99999999999999": "Enter a unit price of 0 or more, like 50.00.",
		"-":              "Enter a unit price of 0 or more, like 50.00.",
	} {
		_, err := invoice.LineInput{Description: "-", Quantity: "1", UnitPrice: price, TaxRate: "23"}.Line(euro)
		problems, _ := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, problems != nil && len(problems.Fields) == 1 && problems.Fields[0].Message == want, "%s: %v", price, err)
	}
}

// TestDiscounts has net amounts that were computed by hand.
func TestDiscounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, quantity, price, discount string
		off, net                            int64
		pointer                             string // of the only problem; "" for none
	}{
		{"EUR", "12", "50.00", "", 0, 600_00, ""},
		{"EUR", "12", "50.00", "10%", 60_00, 540_00, ""},
		{"EUR", "3", "33.33", "10 %", 10_00, 89_99, ""}, // 9.999 of 99.99
		{"EUR", "1", "0.05", "50%", 3, 2, ""},           // 0.025 is 0.03
		{"EUR", "1.5", "0.03", "33.33%", 2, 3, ""},      // 0.045 is 0.05, and a third of that 0.016665
		{"EUR", "0.5", "0.01", "100%", 1, 0, ""},        // of 0.01, not of 0.005
		{"EUR", "1", "10.00", "0.01%", 0, 10_00, ""},    // 0.001
		{"EUR", "1", "10.00", "0%", 0, 10_00, ""},
		{"EUR", "1", "10.00", " 2.50 ", 2_50, 7_50, ""},
		{"EUR", "1", "10.00", "10", 10_00, 0, ""},
		{"JPY", "3", "333", "5%", 50, 949, ""}, // 49.95 of 999
		{"KWD", "1", "1.250", "0.125", 125, 1125, ""},
		{"EUR", "12345", "0.085", "", 0, 1049_33, ""}, // 1049.325
		{"EUR", "1000", "0.000001", "", 0, 0, ""},     // 0.001
		{"EUR", "5000", "0.000001", "", 0, 1, ""},     // 0.005
		{"EUR", "1000", "1.0005", "10%", 100_05, 900_45, ""},
		{"JPY", "3", "333.5", "", 0, 1001, ""}, // 1000.5
		{"EUR", "1", "0.0000001", "", 0, 0, "/unit_price"},
		{"EUR", "1", "10.00", "10.01", 0, 0, "/discount"},
		{"EUR", "0.5", "0.01", "0.02", 0, 0, "/discount"},
		{"EUR", "1", "0", "0.01", 0, 0, "/discount"},
		{"EUR", "1", "10.00", "100.01%", 0, 0, "/discount"},
		{"EUR", "1", "10.00", "33.333%", 0, 0, "/discount"},
		{"EUR", "1", "10.00", "-10%", 0, 0, "/discount"},
		{"EUR", "1", "10.00", "-1", 0, 0, "/discount"},
		{"EUR", "1", "10.00", "%", 0, 0, "/discount"},
		{"EUR", "1", "10.00", "1.005", 0, 0, "/discount"},
		{"JPY", "1", "10", "0.5", 0, 0, "/discount"},
		{"EUR", "-2", "50.00", "", 0, -100_00, ""},
		{"EUR", "-1.5", "7.99", "", 0, -11_99, ""}, // -11.985, away from zero
		{"EUR", "-1", "0.05", "50%", -3, -2, ""},
		{"EUR", "-1", "10.00", "2", 0, 0, "/discount"},
		{"EUR", "1", "-10.00", "", 0, 0, "/unit_price"},
		{"EUR", "-1000000001", "1.00", "", 0, 0, "/quantity"},
		{"EUR", "1", "much", "5", 0, 0, "/unit_price"},
		{"EUR", "none", "10.00", "5", 0, 0, "/quantity"},
	} {
		in := invoice.LineInput{Description: "-", Quantity: c.quantity, UnitPrice: c.price, Discount: c.discount, TaxRate: "23"}
		currency, known := money.ParseCurrency(c.currency)
		must.Thatf(t, known, "%s", c.currency)
		got, err := in.Line(currency)
		if problems, ok := errors.AsType[*invalid.Error](err); ok {
			assert.Thatf(t, len(problems.Fields) == 1 && problems.Fields[0].Pointer == c.pointer, "%+v: %v", c, problems.Fields)
			continue
		}
		assert.Thatf(t, c.pointer == "" && got.Discount == c.off && got.Net == c.net, "%+v: %+v, %v", c, got, err)
	}
}

// TestDatabaseHoldsLines checks the rules about stored lines, and that each unit can be stored.
func TestDatabaseHoldsLines(t *testing.T) {
	b := setup(t)
	in := input("")
	in.Lines = nil
	for _, u := range invoice.Units() {
		in.Lines = append(in.Lines, invoice.LineInput{
			Description: u.Name(), Quantity: "1", Unit: string(u), UnitPrice: "20", Discount: "12.5%", TaxRate: "0",
		})
	}
	made, err := b.create("k", draft(t, in))
	must.OK(t, err)
	found := b.Find(made.Value)
	for i, l := range found.Lines {
		want := fmt.Sprint(in.Lines[i].Unit, " 12.5 250 1750")
		assert.Equal(t, fmt.Sprint(l.Unit, " ", l.DiscountRate, " ", l.Discount, " ", l.Net), want)
	}
	const line = `
		INSERT INTO invoice_lines (
			tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, discount, net, discount_rate)
		SELECT tenant_id, id, 99, 'x', 2, 50, 0, `
	b.Refuses(map[string][]string{
		"line_unit_check":             {`UPDATE invoice_lines SET unit = 'HOURS'`},
		"invoice_lines_net":           {line + `0, 99, NULL FROM invoices`, line + `10, 100, 10 FROM invoices`},
		"invoice_lines_in_range":      {`UPDATE invoice_lines SET quantity = 0, discount = 0, net = 0, discount_rate = NULL`},
		"invoice_lines_discount":      {line + `101, -1, NULL FROM invoices`, line + `-1, 101, NULL FROM invoices`},
		"invoice_lines_discount_rate": {line + `10, 90, 11 FROM invoices`, line + `0, 100, 0 FROM invoices`},
		"invoice_lines_price_fraction": {
			`UPDATE invoice_lines SET unit_price = unit_price - 1, price_fraction = 1`,
			`UPDATE invoice_lines SET unit_price = unit_price + 1, price_fraction = -1`,
			`UPDATE invoice_lines SET price_fraction = 0.0000001`,
		},
	})
	b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue", made.Value.ID, 0), invoice.IssueDraft{}))
	b.Refuses(map[string][]string{"invoices_frozen": {`UPDATE invoice_lines SET unit = NULL WHERE position = 1`}})
}

// TestEditOfLines: another unit, price or discount is another version, and the same ones are none.
func TestEditOfLines(t *testing.T) {
	b := setup(t)
	in := input("")
	made, err := b.create("k", draft(t, in))
	must.OK(t, err)
	for i, c := range []struct {
		unit, price, discount string
		version               int
	}{
		{"", "50", "0", 1},
		{"HUR", "50", "", 2},
		{"HUR", "50", "10%", 3},
		{"HUR", "50", "10.0%", 3},
		{"DAY", "50", "10%", 4},
		{"DAY", "50", "10.00", 5},
		{"", "50.005", "", 6},
		{"", "50.0050", "", 6},
		{"", "50.0051", "", 7},
	} {
		in.Lines[0].Unit, in.Lines[0].UnitPrice, in.Lines[0].Discount = c.unit, c.price, c.discount
		key := string(rune('a' + i))
		done, err := invoice.Edit.Do(t.Context(), b.Store, b.Of(key, made.Value.ID, b.Find(made.Value).Version), draft(t, in))
		assert.Thatf(t, err == nil && done.Value.Version == c.version, "%+v: %+v, %v", c, done.Value, err)
	}
}
