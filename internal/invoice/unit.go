package invoice

import (
	"github.com/shopspring/decimal"

	"onlyonce/internal/value/money"
)

// Unit is the unit of a line's quantity, as a code of UN/ECE Recommendation 20 (BT-130). It is "" for none.
type Unit string

// unitNames has the name of each unit for a quantity of one, and for any other, in the order of a form.
func unitNames() [][3]string {
	return [][3]string{
		{"H87", "piece", "pieces"}, {"HUR", "hour", "hours"}, {"DAY", "day", "days"}, {"WEE", "week", "weeks"}, {"MON", "month", "months"},
		{"ANN", "year", "years"}, {"KGM", "kg", "kg"}, {"KMT", "km", "km"}, {"MTR", "m", "m"}, {"MTK", "m²", "m²"}, {"MTQ", "m³", "m³"},
		{"LTR", "l", "l"}, {"KWH", "kWh", "kWh"}, {"D68", "word", "words"},
	}
}

// Units returns the units in the order of a form.
func Units() (all []Unit) {
	for _, names := range unitNames() {
		all = append(all, Unit(names[0]))
	}
	return all
}

// Name returns the name of a unit for many: "hours". It returns "" for no unit, and for one that is unknown.
func (u Unit) Name() string { return u.name(2) }

func (u Unit) name(column int) string {
	for _, names := range unitNames() {
		if names[0] == string(u) {
			return names[column]
		}
	}
	return ""
}

// Of returns a quantity with its unit for users: "1,200 hours", or "−12" without a unit.
func (u Unit) Of(quantity decimal.Decimal) string {
	column := 2
	if quantity.Equal(decimal.NewFromInt(1)) {
		column = 1
	}
	text := money.Grouped(quantity.String())
	if name := u.name(column); name != "" {
		return text + " " + name
	}
	return text
}
