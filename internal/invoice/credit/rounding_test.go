package credit_test

import (
	"fmt"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/must"
	"onlyonce/internal/value/money"
)

// TestStepsAddUpToTheWhole checks that for any steps, each credit note is the amount that EN 16931 computes for everything credited so
// far, less the amount credited before. So the last one leaves nothing open. What exceeds the open amount becomes credit, as
// previewed.
func TestStepsAddUpToTheWhole(t *testing.T) {
	b := setup(t)
	tried := 0
	rapid.Check(t, func(r *rapid.T) {
		tried++
		b.creditInSteps(r, fmt.Sprint(tried))
	})
}

func (b *bundle) creditInSteps(r *rapid.T, name string) {
	lines := rapid.SliceOfN(rapid.Custom(anyLine), 1, 4).Draw(r, "lines")
	if (invoice.Input{Currency: "EUR", Lines: lines}).Preview().Total == "" {
		r.Skip("below zero")
	}
	inv := b.Issued(name, lines...)
	credited := make([]decimal.Decimal, len(inv.Lines))
	before, left := invoice.Totals{}, inv.Total
	paid := rapid.Int64Range(0, inv.Total).Draw(r, "paid")
	if paid > 0 {
		_, err := b.Pay(name+" paid", inv, inv.Currency.Format(paid))
		must.OK(r, err)
	}
	for step := 0; ; step++ {
		var quantities []string
		some := false
		last := step == 5 || rapid.IntRange(0, 3).Draw(r, "last") == 0
		for i, l := range inv.Lines {
			left := l.Quantity.Sub(credited[i])
			part := left
			if !last {
				part = left.Mul(decimal.New(rapid.Int64Range(0, 100).Draw(r, "percent"), -2)).Truncate(6)
			}
			credited[i] = credited[i].Add(part)
			quantities, some = append(quantities, part.String()), some || !part.IsZero()
		}
		if !some && !last {
			continue
		}
		if last {
			quantities = nil
		}
		if !some {
			break // everything was credited before
		}
		shown, possible := b.preview(inv, quantities...)
		done, err := b.credit(fmt.Sprint(name, " ", step), inv, quantities...)
		after, impossible := invoice.TotalsOf(creditedLines(inv, credited))
		if impossible != nil || min(after.Subtotal-before.Subtotal, after.Tax-before.Tax) < 0 || after.Total-before.Total > left {
			must.Thatf(r, err != nil && !possible, "%+v after %+v, %v", done.Value, before, impossible)
			return // only lines below zero lead here
		}
		must.OK(r, err)
		checkNote(r, done.Value, before, after)
		became := max(0, done.Value.Total-(left-paid))
		want := credit.Amounts{Net: done.Value.Subtotal, Tax: done.Value.TaxTotal, Total: done.Value.Total, BecomesCredit: became}
		must.Thatf(r, done.Value.BecameCredit == became && possible && shown == want, "%+v, previewed %+v", done.Value, shown)
		before, left, paid = after, left-done.Value.Total, paid-became
		if last {
			break
		}
	}
	if found := b.Find(inv); found.Open != 0 || found.Paid != 0 || left != 0 || found.Credited != inv.Total {
		r.Fatalf("%d credited, %d paid and %d open of %d", found.Credited, found.Paid, found.Open, inv.Total)
	}
}

// preview returns what crediting quantities of the current lines would come to.
func (b *bundle) preview(inv invoice.Invoice, quantities ...string) (credit.Amounts, bool) {
	left, err := credit.LeftOf(b.Context(), b.Store.Pool, b.Tenant, inv.ID)
	must.OK(b, err)
	d, err := inputOf(quantities).Draft(inv)
	must.OK(b, err)
	return d.Preview(b.Find(inv), left)
}

// anyLine draws a line with few decimals and a small amount, where rounding matters.
func anyLine(r *rapid.T) invoice.LineInput {
	line := invoice.LineInput{
		Description: "Design",
		Quantity: rapid.SampledFrom([]string{"", "", "", "-"}).Draw(r, "sign") +
			decimal.New(rapid.Int64Range(1, 100000).Draw(r, "quantity"), -rapid.Int32Range(0, 6).Draw(r, "decimals")).String(),
		UnitPrice: decimal.New(rapid.Int64Range(0, 500).Draw(r, "price"), -rapid.Int32Range(2, 6).Draw(r, "price's decimals")).String(),
		TaxRate:   rapid.SampledFrom([]string{"0", "6.5", "7", "7.0", "23", "33.333", "100"}).Draw(r, "rate"),
		Discount:  rapid.SampledFrom([]string{"", "", "10%", "33.33%", "100%", "amount"}).Draw(r, "discount"),
	}
	if line.Discount == "amount" {
		line.Discount = ""
		eur, _ := money.ParseCurrency("EUR")
		whole, err := line.Line(eur)
		must.OK(r, err)
		line.Discount = eur.Format(rapid.Int64Range(0, max(0, whole.Net)).Draw(r, "amount"))
	}
	if line.TaxRate == "0" {
		line.Treatment = rapid.SampledFrom([]string{"", "reverse_charge", "export"}).Draw(r, "treatment")
	}
	return line
}

// creditedLines returns the lines of an invoice with the credited quantities.
func creditedLines(inv invoice.Invoice, credited []decimal.Decimal) []invoice.Line {
	lines := make([]invoice.Line, len(credited))
	for i, l := range inv.Lines {
		net, err := money.Multiply(l.UnitPrice, credited[i])
		if err != nil {
			panic(err)
		}
		if l.Discount != 0 {
			net = decimal.NewFromInt(l.Net).Mul(credited[i]).DivRound(l.Quantity, 0).IntPart()
		}
		lines[i] = invoice.Line{Quantity: credited[i], UnitPrice: l.UnitPrice, TaxRate: l.TaxRate, NoTax: l.NoTax, Net: net}
	}
	return lines
}

// checkNote compares a credit note with the totals before and after it, and its own parts with each other.
func checkNote(r *rapid.T, note credit.Note, before, after invoice.Totals) {
	if note.Subtotal != after.Subtotal-before.Subtotal || note.TaxTotal != after.Tax-before.Tax || note.Total != after.Total-before.Total {
		r.Fatalf("%+v\nbefore %+v\nafter %+v", note, before, after)
	}
	for _, l := range note.Lines {
		note.Subtotal -= l.Net
	}
	for _, tax := range note.Taxes {
		note.TaxTotal -= tax.Tax
		note.Total -= tax.Net + tax.Tax
		for _, g := range after.Groups {
			if g.NoTax == tax.NoTax && g.Rate.Equal(tax.Rate) {
				for _, was := range before.Groups {
					if was.NoTax == g.NoTax && was.Rate.Equal(g.Rate) {
						g.Net, g.Tax = g.Net-was.Net, g.Tax-was.Tax
					}
				}
				must.Thatf(r, tax.Net == g.Net && tax.Tax == g.Tax, "tax %+v, want %+v", tax, g)
			}
		}
	}
	must.Thatf(r, note.Subtotal == 0 && note.TaxTotal == 0 && note.Total == 0, "lines and taxes do not add up: %+v", note)
}
