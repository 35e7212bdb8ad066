package web

import (
	"encoding/json"
	"strings"

	"onlyonce/internal/money"
	"onlyonce/templates"
)

// told says which of some fields have changed that are stored in another form than people type them.
type told func(changed) []templates.HistoryChange

// inTurn asks each of them.
func inTurn(all ...told) told {
	return func(fields changed) (changes []templates.HistoryChange) {
		for _, each := range all {
			changes = append(changes, each(fields)...)
		}
		return changes
	}
}

// amountChanges tells how an amount has changed, by the names of its field and of that of its currency. Amounts are in the
// currency of their time, so it goes back from the newest change, when the currency is the one that is.
func amountChanges(label, amount, code string, currency money.Currency) told {
	return func(fields changed) []templates.HistoryChange {
		is, was := currency, currency
		if values, ok := fields[code]; ok {
			was = decoded[money.Currency](values[0])
		}
		currency = was
		values, ok := fields[amount]
		if !ok {
			return nil
		}
		return []templates.HistoryChange{{
			Label: label, Was: shownAmount(was, decoded[int64](values[0])), Is: shownAmount(is, decoded[int64](values[1])),
		}}
	}
}

// shownAmount is an amount of minor units with its currency: "1,234.50 EUR". It is "" without a currency.
func shownAmount(c money.Currency, amount int64) string {
	return strings.TrimSpace(c.Display(amount) + " " + c.String())
}

// decoded is what JSON of the database says. What cannot be read, such as a value from before a release that
// changed its type, is the zero value.
func decoded[T any](value json.RawMessage) (v T) {
	_ = json.Unmarshal(value, &v)
	return v
}
