package credit_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/must"
	"onlyonce/internal/value/money"
)

// TestByAmount checks that an amount with tax is shared out over the rates and lines, and that a later quantity has its part of the rest.
func TestByAmount(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i",
		invoice.LineInput{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23", Discount: "10%"},
		invoice.LineInput{Description: "Printing", Quantity: "1", UnitPrice: "10.00", TaxRate: "0"})
	must.Thatf(t, inv.Total == 120_70, "%+v", inv)
	for i, step := range []struct {
		amount     string
		quantities []string
		net, tax   int64
		lines      string
	}{
		{"60.35", nil, 50_00, 10_35, "[1×4500-0=4500 1×500-0=500]"},
		{"", []string{"1"}, 22_50, 5_18, "[1×5000-2750=2250]"},
		{"0.01", nil, 1, 0, "[1×1-0=1]"},
		{"", nil, 27_49, 5_17, "[1×5000-2751=2249 1×1000-500=500]"},
	} {
		in := inputOf(step.quantities)
		in.Amount = step.amount
		done, err := b.creditInput(fmt.Sprint(i), inv, in)
		must.OK(t, err)
		var lines []string
		for _, l := range done.Value.Lines {
			lines = append(lines, fmt.Sprintf("%v×%v-%d=%d", l.Quantity, l.UnitPrice, l.Discount, l.Net))
		}
		assert.Thatf(t, done.Value.Subtotal == step.net && done.Value.TaxTotal == step.tax && fmt.Sprint(lines) == step.lines,
			"%v: %v, %+v", step, lines, done.Value)
	}
	assert.Thatf(t, b.Find(inv).Status == invoice.StatusCredited, "%+v", b.Find(inv))

	more := b.taxed("more")
	_, err := b.creditInput("more", more, credit.Input{Amount: more.Currency.Format(more.Total + 1)})
	assert.Thatf(t, storetest.IsConflict(err, &credit.ExceedsInvoice), "credited more than is open: %v", err)
	signs := b.Issued("signs",
		invoice.LineInput{Description: "Design", Quantity: "1", UnitPrice: "50.00", TaxRate: "23"},
		invoice.LineInput{Description: "Deposit", Quantity: "-1", UnitPrice: "10.00", TaxRate: "0"})
	_, err = b.creditInput("signs", signs, credit.Input{Amount: "5"})
	problems, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && problems.Fields[0].Pointer == "/amount", "credited an amount of less than nothing: %v", err)
	b.OK(b.creditInput("all", signs, credit.Input{Amount: signs.Currency.Format(signs.Total)}))
}

// TestAnyStepsEndAtZero checks, for any credit notes by quantity and by amount and their reversals, that each has its amount and is as
// previewed, that no rate exceeds the invoice's, and that the last one leaves exactly nothing.
func TestAnyStepsEndAtZero(t *testing.T) {
	b := setup(t)
	tried := 0
	rapid.Check(t, func(r *rapid.T) {
		tried++
		b.creditAnyhow(r, fmt.Sprint(tried))
	})
}

func (b *bundle) creditAnyhow(r *rapid.T, name string) {
	lines := rapid.SliceOfN(rapid.Custom(anyLine), 1, 4).Draw(r, "lines")
	if (invoice.Input{Currency: "EUR", Lines: lines}).Preview().Total == "" {
		r.Skip("below zero")
	}
	inv := b.Issued(name, lines...)
	whole, err := invoice.TotalsOf(inv.Lines)
	must.OK(r, err)
	if paid := rapid.Int64Range(0, inv.Total).Draw(r, "paid"); paid > 0 {
		b.OK(b.Pay(name+" paid", inv, inv.Currency.Format(paid)))
	}
	credited := map[string]invoice.TaxGroup{}
	var notes []credit.Note // that can be reversed
	for step := range rapid.IntRange(1, 8).Draw(r, "steps") {
		if len(notes) > 0 && rapid.IntRange(0, 2).Draw(r, "reverse") == 0 {
			i := rapid.IntRange(0, len(notes)-1).Draw(r, "which")
			before := b.Find(inv)
			done, err := b.reverse(fmt.Sprint(name, " ", step), notes[i])
			must.OK(r, err)
			after := b.Find(inv)
			must.Thatf(r, done.Value.Total == -notes[i].Total && after.Credited == before.Credited-notes[i].Total &&
				after.Paid == before.Paid+notes[i].BecameCredit, "%+v of %+v, %+v", done.Value, notes[i], after)
			count(r, done.Value, credited)
			notes = slices.Delete(notes, i, i+1)
			continue
		}
		left, err := credit.LeftOf(b.Context(), b.Store.Pool, b.Tenant, inv.ID)
		must.OK(b, err)
		in := credit.Input{Amount: inv.Currency.Format(rapid.Int64Range(1, max(1, inv.Total-b.Find(inv).Credited)).Draw(r, "amount"))}
		if rapid.Bool().Draw(r, "by quantity") {
			in = credit.Input{Lines: []credit.LineInput{}}
			for i, l := range left {
				part := l.Quantity.Mul(decimal.New(rapid.Int64Range(0, 100).Draw(r, "percent"), -2)).Truncate(6)
				in.Lines = append(in.Lines, credit.LineInput{Position: i + 1, Quantity: part.String()})
			}
		}
		if made, ok := b.creditStep(r, fmt.Sprint(name, " ", step), inv, in, left); ok {
			count(r, made, credited)
			notes = append(notes, made)
		}
	}
	positive := !slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool { return l.Net < 0 })
	for _, g := range whole.Groups {
		sum := credited[g.Rate.String()+string(g.NoTax)]
		must.Thatf(r, !positive || min(sum.Net, sum.Tax) >= 0 && sum.Net <= g.Net && sum.Tax <= g.Tax, "%+v of %+v", sum, g)
	}
	left, err := credit.LeftOf(b.Context(), b.Store.Pool, b.Tenant, inv.ID)
	must.OK(b, err)
	rest, ok := b.creditStep(r, name+" rest", inv, credit.Input{}, left)
	if !ok {
		must.Thatf(r, !positive || b.Find(inv).Credited == inv.Total, "the rest can't be credited: %+v", b.Find(inv))
		return // nothing was left, or less than nothing of the net amounts or of the taxes
	}
	count(r, rest, credited)
	for _, g := range whole.Groups {
		sum := credited[g.Rate.String()+string(g.NoTax)]
		must.Thatf(r, sum.Net == g.Net && sum.Tax == g.Tax, "credited %+v of %+v", sum, g)
	}
	found := b.Find(inv)
	must.Thatf(r, found.Open == 0 && found.Paid == 0 && found.Credited == inv.Total, "%+v", found)
}

// creditStep credits, and reports whether it was possible.
func (b *bundle) creditStep(r *rapid.T, key string, inv invoice.Invoice, in credit.Input, left []credit.Left) (credit.Note, bool) {
	d, err := in.Draft(inv)
	if err != nil {
		return credit.Note{}, false // no quantity
	}
	shown, possible := d.Preview(b.Find(inv), left)
	done, err := credit.Create.Do(b.Context(), b.Store, b.Intent(key), d)
	if err != nil {
		_, refused := errors.AsType[*invalid.Error](err)
		nothing := storetest.IsConflict(err, &credit.ExceedsInvoice) && (!possible || shown.Total == 0)
		must.Thatf(r, refused && !possible || nothing, "%v, previewed %+v", err, shown)
		return credit.Note{}, false
	}
	n := done.Value
	want := credit.Amounts{Net: n.Subtotal, Tax: n.TaxTotal, Total: n.Total, BecomesCredit: n.BecameCredit}
	must.Thatf(r, possible && shown == want, "%+v, previewed %+v", n, shown)
	must.Thatf(r, d.Amount == 0 || n.Total == d.Amount, "%+v, not of %d", n, d.Amount)
	return n, true
}

// count adds a credit note to the sums of the rates. Its lines add up.
func count(r *rapid.T, n credit.Note, credited map[string]invoice.TaxGroup) {
	for _, l := range n.Lines {
		gross, err := money.Multiply(l.UnitPrice, l.Quantity)
		must.Thatf(r, err == nil && max(gross-l.Discount-l.Net, l.Net-gross+l.Discount) <= 1, "%+v", l)
		n.Subtotal -= l.Net
	}
	must.Thatf(r, n.Subtotal == 0, "lines do not add up: %+v", n)
	for _, tax := range n.Taxes {
		sum := credited[tax.Rate.String()+string(tax.NoTax)]
		sum.Net, sum.Tax = sum.Net+tax.Net, sum.Tax+tax.Tax
		credited[tax.Rate.String()+string(tax.NoTax)] = sum
	}
}

func (b *bundle) creditInput(k string, inv invoice.Invoice, in credit.Input) (idempotency.Done[credit.Note], error) {
	b.Helper()
	d, err := in.Draft(inv)
	must.OK(b, err)
	return credit.Create.Do(b.Context(), b.Store, b.Intent(k), d)
}
