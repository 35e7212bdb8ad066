package invoiceimport

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"onlyonce/internal/importing"
	"onlyonce/internal/invoice"
	"onlyonce/internal/value/money"
)

// linesOf returns the lines of an invoice, or the only one of a balance, or a sentence about why there is none.
func (r reader) linesOf(e *importing.Entry, a amounts, currency money.Currency) (lines []invoice.LineInput, problem string) {
	if r.lines {
		for _, row := range e.Rows {
			of, problem := line(row.Values, currency)
			if problem != "" {
				return nil, problem
			}
			lines = append(lines, of)
		}
		return lines, ""
	}
	amount := a.total
	if a.hasOpen {
		amount = a.open
	}
	switch {
	case len(e.Rows) > 1:
		return nil, "Several rows have this number, and the file has no lines. Choose the columns of the description and the unit price."
	case !a.hasTotal && !a.hasOpen:
		return nil, "The invoice has no total."
	case amount == 0:
		return nil, "Nothing is open on this invoice."
	}
	return []invoice.LineInput{{
		Description: "Balance brought forward", Quantity: "1", UnitPrice: currency.Format(amount), TaxRate: "0",
		Treatment: string(invoice.OutsideScope),
	}}, ""
}

// line returns the line of a row, or a sentence about what is wrong with it. A negative price becomes a negative quantity.
func line(values map[string]string, currency money.Currency) (in invoice.LineInput, problem string) {
	in = invoice.LineInput{
		Description: values["description"], Quantity: cmp.Or(values["quantity"], "1"), Unit: unitOf(values["unit"]),
		UnitPrice: cmp.Or(values["unit_price"], "0"), TaxRate: cmp.Or(values["tax_rate"], "0"),
	}
	if price, negative := strings.CutPrefix(in.UnitPrice, "-"); negative {
		in.UnitPrice = price
		if quantity, twice := strings.CutPrefix(in.Quantity, "-"); twice {
			in.Quantity = quantity
		} else {
			in.Quantity = "-" + in.Quantity
		}
	}
	if values["discount"] != "" {
		in.Discount = values["discount"] + "%"
	}
	rate, err := money.ParseDecimal(values["tax_rate"])
	switch {
	case err == nil && rate.IsPositive() && rate.LessThan(decimal.New(1, 0)):
		return in, "The tax rate " + values["tax_rate"] + " is less than one percent. Write 20 for 20 percent."
	case err == nil, values["tax_amount"] == "":
		return in, ""
	}
	computed, found := rateOf(values["tax_amount"], values["net_amount"], currency)
	if !found {
		return in, fmt.Sprintf("A tax of %s on the net amount %s is no rate such as 20 or 5.5 percent. Write the tax rate as a number.",
			values["tax_amount"], cmp.Or(values["net_amount"], "(none)"))
	}
	in.TaxRate = computed
	return in, ""
}

// rateOf returns the tax rate in percent with which a net amount makes a tax amount: a multiple of 0.5.
func rateOf(tax, net string, currency money.Currency) (rate string, found bool) {
	t, errTax := money.ParseDecimal(tax)
	n, errNet := money.ParseDecimal(net)
	switch {
	case errTax == nil && t.IsZero():
		return "0", true
	case errTax != nil, errNet != nil, n.IsZero():
		return "", false
	}
	percent := t.Mul(decimal.NewFromInt(200)).Div(n).Round(0).Div(decimal.NewFromInt(2))
	return percent.String(), n.Mul(percent).Shift(-2).Round(currency.Decimals()).Equal(t)
}

// unitOf returns the code of a unit by its code or name. Any other text is returned unchanged.
func unitOf(text string) string {
	for _, unit := range invoice.Units() {
		if text != "" && (strings.EqualFold(text, string(unit)) || strings.EqualFold(strings.TrimSuffix(text, "s"),
			strings.TrimSuffix(unit.Name(), "s"))) {
			return string(unit)
		}
	}
	return text
}
