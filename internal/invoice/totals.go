package invoice

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/money"
)

// TaxGroup is the tax of all lines with the same treatment and rate (BG-23). Amounts are minor units.
type TaxGroup struct {
	NoTax Treatment       // "" if the rate decides
	Rate  decimal.Decimal // percent
	Net   int64
	Tax   int64
}

// Totals are the sums of an invoice, in minor units.
type Totals struct {
	Subtotal, Tax, Total int64
	Groups               []TaxGroup // by rate, lowest first, and by treatment
}

// ErrNegative means that the net amount or the tax of an invoice is below zero.
var ErrNegative = errors.New("an amount below zero")

// TotalsOf sums lines as EN 16931 does: each line's net amount is rounded, the net amounts with the same treatment and rate are summed and
// taxed together (BT-116, BT-117), and the rounded taxes are summed. A group may be below zero. It returns [money.ErrRange] if a sum is too
// large, and [ErrNegative] if the net amount or the tax of all lines is below zero.
func TotalsOf(lines []Line) (Totals, error) {
	var t Totals
	var err error
	for _, line := range lines {
		i := slices.IndexFunc(t.Groups, func(g TaxGroup) bool { return g.NoTax == line.NoTax && g.Rate.Equal(line.TaxRate) })
		if i < 0 {
			i = len(t.Groups)
			t.Groups = append(t.Groups, TaxGroup{NoTax: line.NoTax, Rate: line.TaxRate})
		}
		if t.Groups[i].Net, err = money.Add(t.Groups[i].Net, line.Net); err != nil {
			return Totals{}, err
		}
	}
	slices.SortFunc(t.Groups, func(a, b TaxGroup) int { return cmp.Or(a.Rate.Cmp(b.Rate), cmp.Compare(a.NoTax, b.NoTax)) })
	for i, g := range t.Groups {
		if t.Groups[i].Tax, err = money.Percent(g.Net, g.Rate); err != nil {
			return Totals{}, err
		}
		if t.Subtotal, err = money.Add(t.Subtotal, g.Net); err != nil {
			return Totals{}, err
		}
		if t.Tax, err = money.Add(t.Tax, t.Groups[i].Tax); err != nil {
			return Totals{}, err
		}
	}
	if min(t.Subtotal, t.Tax) < 0 {
		return Totals{}, ErrNegative
	}
	t.Total, err = money.Add(t.Subtotal, t.Tax)
	return t, err
}

// CheckAmount parses the typed amount of a payment or a refund, which must be positive, to minor units.
func CheckAmount(typed string, currency money.Currency, problems *invalid.Error) int64 {
	amount, err := currency.Parse(strings.TrimSpace(typed))
	switch {
	case errors.Is(err, money.ErrScale):
		problems.Add("/amount", fmt.Sprintf("Enter an amount with at most %d decimals for %s.", currency.Decimals(), currency))
	case err != nil || amount == 0:
		problems.Add("/amount", "Enter an amount above 0, like 50.00.")
	}
	return amount
}

// SeenAmount returns the amount that a form showed, in minor units, or -1 if it showed no amount.
func SeenAmount(shown string, currency money.Currency) int64 {
	amount, err := currency.Parse(shown)
	if err != nil {
		return -1
	}
	return amount
}
