package invoice_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
)

// TestTreatments checks which treatments go with which rates, and with each other.
func TestTreatments(t *testing.T) {
	t.Parallel()
	type line struct{ treatment, rate string }
	reason := "Article 132"
	for _, c := range []struct {
		lines   []line
		reason  string
		pointer string              // of the only problem; "" for none
		want    []invoice.Treatment // of the lines
	}{
		{[]line{{"", "23"}, {"", "0"}}, "", "", []invoice.Treatment{"standard", "zero"}},
		{[]line{{"standard", "23"}, {"zero", "0.000"}}, "", "", []invoice.Treatment{"standard", "zero"}},
		{[]line{{"standard", "0"}}, "", "/lines/0/tax_rate", nil},
		{[]line{{"zero", "0.001"}}, "", "/lines/0/tax_rate", nil},
		{[]line{{"", "5"}, {"reverse_charge", "23"}}, "", "/lines/1/tax_rate", nil},
		{[]line{{"reverse_charge", "none"}}, "", "/lines/0/tax_rate", nil},
		{[]line{{"Reverse charge", "0"}}, "", "/lines/0/tax_treatment", nil},
		{
			[]line{{"reverse_charge", "0"}, {"intra_community", "0"}, {"export", "0"}, {"", "23"}}, "", "",
			[]invoice.Treatment{"reverse_charge", "intra_community", "export", "standard"},
		},
		{[]line{{"exempt", "0"}}, reason, "", []invoice.Treatment{"exempt"}},
		{[]line{{"exempt", "0"}}, " ", "/exemption_reason", nil},
		{[]line{{"", "0"}}, "a\u202eb", "/exemption_reason", nil},
		{[]line{{"outside_scope", "0"}, {"outside_scope", "0"}}, "", "", []invoice.Treatment{"outside_scope", "outside_scope"}},
		{[]line{{"outside_scope", "0"}, {"", "0"}}, "", "/lines/1/tax_treatment", nil},
		{[]line{{"export", "0"}, {"outside_scope", "0"}}, "", "/lines/0/tax_treatment", nil},
	} {
		in := input("")
		in.Lines, in.Exemption = nil, c.reason
		for _, l := range c.lines {
			in.Lines = append(in.Lines, invoice.LineInput{
				Description: "Design", Quantity: "1", UnitPrice: "1", TaxRate: l.rate, Treatment: l.treatment,
			})
		}
		d, err := in.Draft()
		if c.pointer != "" {
			problems, ok := errors.AsType[*invalid.Error](err)
			assert.Thatf(t, ok && len(problems.Fields) == 1 && problems.Fields[0].Pointer == c.pointer,
				"%v: got %v, want one problem at %s", c.lines, err, c.pointer)
			continue
		}
		var got []invoice.Treatment
		for _, l := range d.Lines {
			got = append(got, l.NoTax.At(l.TaxRate))
		}
		assert.Thatf(t, err == nil && slices.Equal(got, c.want) && d.Exemption == c.reason,
			"%v: %v, %q, %v", c.lines, got, d.Exemption, err)
	}
}

// TestDefaultTreatmentsKeepTheFingerprint: keys that were used before there were treatments are still those of the same commands.
func TestDefaultTreatmentsKeepTheFingerprint(t *testing.T) {
	t.Parallel()
	of := func(treatment, rate, reason string) idempotency.Fingerprint {
		in := input("")
		in.Lines[0].Treatment, in.Lines[0].TaxRate, in.Exemption = treatment, rate, reason
		is, err := idempotency.FingerprintOf(draft(t, in))
		must.OK(t, err)
		return is
	}
	const before = "702c6c34" // also without a unit and a discount
	got := of("", "23", "")
	assert.Thatf(t, fmt.Sprintf("%x", got[:4]) == before, "the fingerprint begins with %x, and was %s", got[:4], before)
	for _, c := range []struct {
		one, other [3]string
		same       bool
	}{
		{[3]string{"", "23", ""}, [3]string{"standard", "23", ""}, true},
		{[3]string{"", "0", ""}, [3]string{"zero", "0", "not shown"}, true},
		{[3]string{"", "0", ""}, [3]string{"export", "0", ""}, false},
		{[3]string{"exempt", "0", "one"}, [3]string{"exempt", "0", "other"}, false},
	} {
		assert.Equal(t, of(c.one[0], c.one[1], c.one[2]) == of(c.other[0], c.other[1], c.other[2]), c.same, c.one, c.other)
	}
}

// TestDatabaseHoldsTreatments checks the rules about stored lines.
func TestDatabaseHoldsTreatments(t *testing.T) {
	b := setup(t)
	in := input("")
	in.Exemption = "Article 132"
	in.Lines = append(in.Lines, invoice.LineInput{Description: "Course", Quantity: "1", UnitPrice: "20", TaxRate: "0", Treatment: "exempt"})
	made, err := b.create("k", draft(t, in))
	must.OK(t, err)
	found := b.Find(made.Value)
	assert.Thatf(t, found.Lines[1].NoTax == invoice.Exempt && found.Exemption == "Article 132", "%+v", found)
	const line = `
		INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, net, tax_rate, tax_treatment)
		SELECT tenant_id, id, 9, 'x', 1, 1, 1, `
	b.Refuses(map[string][]string{
		"tax_treatment_check":   {line + `0, 'free' FROM invoices`},
		"invoice_lines_untaxed": {line + `23, 'export' FROM invoices`},
		"invoice_lines_outside_scope": {
			line + `0, 'outside_scope' FROM invoices`,
			`UPDATE invoice_lines SET tax_rate = 0, tax_treatment = 'outside_scope' WHERE position = 1`,
		},
		"invoices_exemption_reason": {
			`UPDATE invoices SET exemption_reason = '', status = 'issued', issued_at = now(), seller = '{}', bill_to = '{}'`,
		},
	})
	b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue", made.Value.ID, 0), invoice.IssueDraft{}))
	b.Refuses(map[string][]string{"invoices_frozen": {
		`UPDATE invoices SET exemption_reason = 'Article 133'`, `UPDATE invoice_lines SET tax_treatment = NULL WHERE position = 2`,
	}})
}

// TestEditOfTreatments: another treatment or reason is another version, and the same ones are none.
func TestEditOfTreatments(t *testing.T) {
	b := setup(t)
	in := input("")
	in.Lines[0].TaxRate = "0"
	made, err := b.create("k", draft(t, in))
	must.OK(t, err)
	for i, c := range []struct {
		treatment, reason string
		version           int
	}{
		{"zero", "", 1}, {"reverse_charge", "", 2}, {"reverse_charge", "", 2}, {"exempt", "Article 132", 3},
		{"exempt", "Article 133", 4}, {"", "", 5},
	} {
		in.Lines[0].Treatment, in.Exemption = c.treatment, c.reason
		key := string(rune('a' + i))
		done, err := invoice.Edit.Do(t.Context(), b.Store, b.Of(key, made.Value.ID, b.Find(made.Value).Version), draft(t, in))
		assert.Thatf(t, err == nil && done.Value.Version == c.version && done.Value.Exemption == c.reason,
			"%+v: %+v, %v", c, done.Value, err)
	}
}

// TestTotalsOfTreatments has totals that were computed by hand.
func TestTotalsOfTreatments(t *testing.T) {
	t.Parallel()
	in := input("")
	in.Exemption, in.Lines = "Article 132", nil
	for _, l := range [][4]string{
		{"3", "33.33", "23", ""},      // 99.99
		{"1.5", "7.99", "6.5", ""},    // 11.985 is 11.99
		{"0.5", "0.01", "23.0", ""},   // 0.005 is 0.01
		{"1", "10.00", "0", ""},       // 10.00
		{"2", "20.00", "0", "export"}, // 40.00
		{"1", "0.10", "0.0", "zero"},  // 0.10
		{"7", "1.00", "0", "exempt"},  // 7.00
		{"1", "2.50", "0", "export"},  // 2.50
		{"4", "0.25", "0", "reverse_charge"},
	} {
		in.Lines = append(in.Lines, invoice.LineInput{Description: "-", Quantity: l[0], UnitPrice: l[1], TaxRate: l[2], Treatment: l[3]})
	}
	got, err := invoice.TotalsOf(draft(t, in).Lines)
	must.OK(t, err)
	want := []struct {
		noTax    invoice.Treatment
		rate     string
		net, tax int64
	}{
		{"", "0", 10_10, 0}, {"exempt", "0", 7_00, 0}, {"export", "0", 42_50, 0}, {"reverse_charge", "0", 1_00, 0},
		{"", "6.5", 11_99, 78},    // 0.77935
		{"", "23", 100_00, 23_00}, // not 22.9977 and 0.0023, rounded one by one
	}
	must.Thatf(t, len(got.Groups) == len(want) && got.Subtotal == 172_59 && got.Tax == 23_78 && got.Total == 196_37, "%+v", got)
	for i, w := range want {
		if g := got.Groups[i]; g.NoTax != w.noTax || !g.Rate.Equal(decimal.RequireFromString(w.rate)) || g.Net != w.net || g.Tax != w.tax {
			t.Errorf("group %d is %+v, want %+v", i, g, w)
		}
	}
}

// TestTotalsAreExact compares the totals of random lines with exact rationals.
func TestTotalsAreExact(t *testing.T) {
	t.Parallel()
	type kind struct {
		noTax invoice.Treatment
		rate  string
	}
	rapid.Check(t, func(t *rapid.T) {
		var lines []invoice.Line
		nets := map[kind]*big.Rat{}
		for range rapid.IntRange(0, 30).Draw(t, "lines") {
			is := kind{rapid.SampledFrom(append(invoice.Untaxed(), "", "", "", "")).Draw(t, "treatment"), "0"}
			if is.noTax == "" {
				is.rate = decimal.New(rapid.Int64Range(0, 100_000).Draw(t, "rate"), -3).String()
			}
			net := rapid.Int64Range(-300_000_000, 1_000_000_000).Draw(t, "net")
			lines = append(lines, invoice.Line{TaxRate: decimal.RequireFromString(is.rate), NoTax: is.noTax, Net: net})
			nets[is] = new(big.Rat).Add(cmp.Or(nets[is], new(big.Rat)), new(big.Rat).SetInt64(net))
		}
		subtotal, tax, taxes := new(big.Rat), new(big.Rat), map[kind]*big.Rat{}
		for is, net := range nets {
			rate, _ := new(big.Rat).SetString(is.rate)
			exact := new(big.Rat).Quo(new(big.Rat).Mul(net, rate), big.NewRat(100, 1))
			taxes[is], _ = new(big.Rat).SetString(exact.FloatString(0)) // half away from zero
			subtotal.Add(subtotal, net)
			tax.Add(tax, taxes[is])
		}
		got, err := invoice.TotalsOf(lines)
		if subtotal.Sign() < 0 || tax.Sign() < 0 {
			must.Thatf(t, errors.Is(err, invoice.ErrNegative), "%+v, %v", got, err)
			return
		}
		must.Thatf(t, err == nil && len(got.Groups) == len(nets), "%d groups, want %d: %v", len(got.Groups), len(nets), err)
		for _, g := range got.Groups {
			is := kind{g.NoTax, g.Rate.String()}
			if nets[is].Cmp(new(big.Rat).SetInt64(g.Net)) != 0 || taxes[is].Cmp(new(big.Rat).SetInt64(g.Tax)) != 0 {
				t.Fatalf("%+v, want %s on %s", g, taxes[is].FloatString(0), nets[is].FloatString(0))
			}
		}
		total := new(big.Rat).Add(subtotal, tax)
		for _, sum := range []struct {
			got  int64
			want *big.Rat
		}{{got.Subtotal, subtotal}, {got.Tax, tax}, {got.Total, total}} {
			if sum.want.Cmp(new(big.Rat).SetInt64(sum.got)) != 0 {
				t.Fatalf("%d, want %s", sum.got, sum.want.FloatString(0))
			}
		}
	})
}
