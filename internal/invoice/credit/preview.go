package credit

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/value/money"
)

// Amounts are the amounts of a credit note, in minor units.
type Amounts struct{ Net, Tax, Total, BecomesCredit int64 }

// rate has the lines of an invoice with the same treatment and rate. Amounts are minor units.
type rate struct {
	percent   decimal.Decimal
	treatment invoice.Treatment
	net, tax  int64 // of the invoice
	left      Left  // Net and Tax
	credited  bool  // whether the credit note has one of the lines
	credit    int64 // the net amount of these lines
}

// Preview returns the amounts that the database would compute for a credit note, and whether it can be created. left has the uncredited
// rest of each line of the invoice.
func (d Draft) Preview(inv invoice.Invoice, left []Left) (Amounts, bool) {
	rates, ok := d.rates(inv, left)
	if !ok {
		return Amounts{}, false
	}
	var a Amounts
	switch {
	case d.Amount > 0:
		if a.Net, ok = share(rates, d.Amount); !ok {
			return Amounts{}, false
		}
		a.Tax = d.Amount - a.Net
	default:
		for _, r := range rates {
			if r.credited || d.All {
				a.Net, a.Tax = a.Net+r.credit, a.Tax+r.creditedTax(d.All)
			}
		}
	}
	a.Total = a.Net + a.Tax
	a.BecomesCredit = max(0, a.Total-inv.Open)
	return a, min(a.Net, a.Tax) >= 0 && a.BecomesCredit <= inv.Paid
}

// rates returns the rates of an invoice with the credited net amounts, in the order of the database, and whether each line has the
// quantity to credit left.
func (d Draft) rates(inv invoice.Invoice, left []Left) (rates []rate, ok bool) {
	for i, line := range inv.Lines {
		quantity := decimal.Zero
		if d.All {
			quantity = left[i].Quantity
		}
		for _, each := range d.Lines {
			if each.Position == i+1 {
				quantity = each.Quantity
			}
		}
		if quantity.Abs().GreaterThan(left[i].Quantity.Abs()) {
			return nil, false
		}
		treatment := line.NoTax.At(line.TaxRate)
		at := slices.IndexFunc(rates, func(r rate) bool { return r.treatment == treatment && r.percent.Equal(line.TaxRate) })
		if at < 0 {
			at = len(rates)
			rates = append(rates, rate{percent: line.TaxRate, treatment: treatment, left: Left{Tax: left[i].Tax}})
		}
		r := &rates[at]
		r.net, r.left.Net = r.net+line.Net, r.left.Net+left[i].Net
		r.credited = r.credited || !quantity.IsZero()
		r.credit += creditedNet(line, left[i], quantity)
	}
	for i := range rates {
		rates[i].tax, _ = money.Percent(rates[i].net, rates[i].percent) // in range: it was issued
	}
	slices.SortFunc(rates, func(a, b rate) int { return cmp.Or(a.percent.Cmp(b.percent), cmp.Compare(a.treatment, b.treatment)) })
	return rates, true
}

// creditedTax returns the tax of the credited lines, as the database function post_credit_note does.
func (r rate) creditedTax(all bool) int64 {
	if all {
		return r.left.Tax
	}
	after, _ := money.Percent(r.net-r.left.Net+r.credit, r.percent)
	tax := after - (r.tax - r.left.Tax)
	if r.credit < 0 {
		return min(0, tax)
	}
	return max(0, tax)
}

// creditedNet returns the net amount of a quantity of a line, as the database function credit_line does.
func creditedNet(line invoice.Line, left Left, quantity decimal.Decimal) int64 {
	usual := func(credited decimal.Decimal) int64 {
		if line.Discount != 0 {
			return decimal.NewFromInt(line.Net).Mul(credited).DivRound(line.Quantity, 0).IntPart()
		}
		net, _ := money.Multiply(line.UnitPrice, credited) // less than that of the whole line, which was in range
		return net
	}
	credited := line.Quantity.Sub(left.Quantity)
	before := usual(credited)
	switch {
	case quantity.Equal(left.Quantity):
		return left.Net
	case before == line.Net:
		return 0
	default:
		return portion(left.Net, usual(credited.Add(quantity))-before, line.Net-before)
	}
}

// share returns the net amount of an amount with tax, as the database function credit_shares does, and whether it can be shared out.
func share(rates []rate, amount int64) (net int64, ok bool) {
	var whole, upto int64
	for _, r := range rates {
		whole += r.left.Net + r.left.Tax
	}
	if amount > whole {
		return 0, false
	}
	for _, r := range rates {
		if amount == whole {
			net += r.left.Net
			continue
		}
		if min(r.left.Net, r.left.Tax) < 0 {
			return 0, false
		}
		gross := r.left.Net + r.left.Tax
		part := portion(amount, upto+gross, whole) - portion(amount, upto, whole)
		upto += gross
		if gross > 0 {
			net += portion(part, r.left.Net, gross)
		}
	}
	return net, true
}

// portion returns amount times part divided by whole, rounded.
func portion(amount, part, whole int64) int64 {
	return decimal.NewFromInt(amount).Mul(decimal.NewFromInt(part)).DivRound(decimal.NewFromInt(whole), 0).IntPart()
}
