package web

import (
	"onlyonce/internal/invoice"
	"onlyonce/templates"
)

// invoiceChanges says what was changed of an invoice besides the fields of its form: customer, lines and total. Its
// state is said by what was done.
func invoiceChanges(inv invoice.Invoice) func(changed) []templates.HistoryChange {
	total := amountChanges("Total", "total", "currency", inv.Currency)
	return func(fields changed) (changes []templates.HistoryChange) {
		if values, ok := fields["customer"]; ok {
			changes = append(changes, customerChange(decoded[invoice.Customer](values[0]), decoded[invoice.Customer](values[1])))
		}
		if _, ok := fields["lines"]; ok {
			changes = append(changes, templates.HistoryChange{Label: "Lines"})
		}
		return append(changes, total(fields)...)
	}
}

// customerChange tells two customers apart by what differs.
func customerChange(was, is invoice.Customer) templates.HistoryChange {
	if was.Name == is.Name {
		return templates.HistoryChange{Label: "Customer", Was: was.Email, Is: is.Email}
	}
	return templates.HistoryChange{Label: "Customer", Was: was.Name, Is: is.Name}
}
