package credit

import (
	"slices"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/value/money"
)

// Amounts are the amounts of a credit note, in minor units.
type Amounts struct{ Net, Tax, Total, BecomesCredit int64 }

// Preview returns the amounts that the database would compute for a credit note, and whether it can be created. left has the uncredited
// rest of each line of the invoice.
func (d Draft) Preview(inv invoice.Invoice, left []Left) (Amounts, bool) {
	before, after := slices.Clone(inv.Lines), slices.Clone(inv.Lines)
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
			return Amounts{}, false
		}
		credited := line.Quantity.Sub(left[i].Quantity)
		before[i].Net, after[i].Net = creditedNet(line, credited), creditedNet(line, credited.Add(quantity))
	}
	was, err := invoice.TotalsOf(before)
	if err != nil {
		return Amounts{}, false
	}
	is, err := invoice.TotalsOf(after)
	a := Amounts{Net: is.Subtotal - was.Subtotal, Tax: is.Tax - was.Tax, Total: is.Total - was.Total}
	a.BecomesCredit = max(0, a.Total-inv.Open)
	return a, err == nil && min(a.Net, a.Tax) >= 0 && a.BecomesCredit <= inv.Paid
}

// creditedNet returns the net amount of a credited quantity of a line, as the database function credited_net does.
func creditedNet(line invoice.Line, credited decimal.Decimal) int64 {
	if line.Discount != 0 {
		return decimal.NewFromInt(line.Net).Mul(credited).DivRound(line.Quantity, 0).IntPart()
	}
	net, _ := money.Multiply(line.UnitPrice, credited) // less than that of the whole line, which was in range
	return net
}
