package money

import (
	"fmt"

	"github.com/shopspring/decimal"
)

// PriceDecimals is the largest number of decimals of a [Price] in units of its currency.
const PriceDecimals = 6

// Price is a price per unit in minor units, with a fraction: 8.5 for 0.085 EUR. Its JSON is a number.
type Price struct{ decimal.Decimal }

// MarshalJSON returns the price as a number.
func (p Price) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// ParsePrice parses a price such as "0.085". It returns [ErrFormat], [ErrScale] for more than [PriceDecimals] decimals, or [ErrRange].
func (c Currency) ParsePrice(text string) (Price, error) {
	price, err := ParseDecimal(text)
	switch minor := price.Shift(c.Decimals()); {
	case err != nil:
		return Price{}, err
	case Scale(price) > PriceDecimals:
		return Price{}, fmt.Errorf("%w: more than %d", ErrScale, PriceDecimals)
	case minor.IsNegative() || minor.GreaterThan(decimal.NewFromInt(Max)):
		return Price{}, ErrRange
	default:
		return Price{minor}, nil
	}
}

// FormatPrice returns the price as a plain decimal with all decimals of the currency, and more where the price has more: "0.085".
func (c Currency) FormatPrice(p Price) string {
	price := p.Shift(-c.Decimals())
	return price.StringFixed(max(c.Decimals(), Scale(price)))
}

// DisplayPrice returns the price for users, with grouped thousands and without the currency: "1,234.50".
func (c Currency) DisplayPrice(p Price) string { return Grouped(c.FormatPrice(p)) }
