package web

import (
	"encoding/json"

	"onlyonce/internal/invoice"
	"onlyonce/internal/money"
	"onlyonce/templates"
)

// invoiceChanges says what was changed of an invoice besides the fields of its form: customer, lines and total. Its
// state is said by what was done. Totals are in the currency of their time, so it goes back from the newest change.
func invoiceChanges(inv invoice.Invoice) func(changed) []templates.HistoryChange {
	currency := inv.Currency
	return func(fields changed) (changes []templates.HistoryChange) {
		is, was := currency, currency
		if values, ok := fields["currency"]; ok {
			was = decoded[money.Currency](values[0])
		}
		currency = was
		if values, ok := fields["customer"]; ok {
			changes = append(changes, customerChange(decoded[invoice.Customer](values[0]), decoded[invoice.Customer](values[1])))
		}
		if _, ok := fields["lines"]; ok {
			changes = append(changes, templates.HistoryChange{Label: "Lines"})
		}
		if values, ok := fields["total"]; ok {
			changes = append(changes, templates.HistoryChange{
				Label: "Total", Was: shownAmount(was, decoded[int64](values[0])), Is: shownAmount(is, decoded[int64](values[1])),
			})
		}
		return changes
	}
}

// customerChange tells two customers apart by what differs.
func customerChange(was, is invoice.Customer) templates.HistoryChange {
	if was.Name == is.Name {
		return templates.HistoryChange{Label: "Customer", Was: was.Email, Is: is.Email}
	}
	return templates.HistoryChange{Label: "Customer", Was: was.Name, Is: is.Name}
}

// shownAmount is an amount of minor units with its currency: "1,234.50 EUR".
func shownAmount(c money.Currency, amount int64) string { return c.Display(amount) + " " + c.String() }

// decoded is what JSON of the database says. What cannot be read, such as a value from before a release that
// changed its type, is the zero value.
func decoded[T any](value json.RawMessage) (v T) {
	_ = json.Unmarshal(value, &v)
	return v
}
