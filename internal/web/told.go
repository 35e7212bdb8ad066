package web

import (
	"encoding/json"
	"strings"

	"onlyonce/internal/value/money"
	"onlyonce/templates"
)

// DescribeChanges says which of some fields have changed that are stored in another form than people type them.
type DescribeChanges func(Changed) []templates.HistoryChange

// InTurn asks each of them.
func InTurn(all ...DescribeChanges) DescribeChanges {
	return func(fields Changed) (changes []templates.HistoryChange) {
		for _, each := range all {
			changes = append(changes, each(fields)...)
		}
		return changes
	}
}

// AmountChanges tells how an amount has changed, by the names of its field and of that of its currency. Amounts are in the
// currency of their time, so it goes back from the newest change, when the currency is the one that is.
func AmountChanges(label, amount, code string, currency money.Currency) DescribeChanges {
	return func(fields Changed) []templates.HistoryChange {
		is, was := currency, currency
		if values, ok := fields[code]; ok {
			was = Decoded[money.Currency](values[0])
		}
		currency = was
		values, ok := fields[amount]
		if !ok {
			return nil
		}
		return []templates.HistoryChange{{
			Label: label, Was: AmountText(was, Decoded[int64](values[0])), Is: AmountText(is, Decoded[int64](values[1])),
		}}
	}
}

// AmountText is an amount of minor units with its currency: "1,234.50 EUR". It is "" without a currency.
func AmountText(c money.Currency, amount int64) string {
	return strings.TrimSpace(c.Display(amount) + " " + c.String())
}

// Decoded is what JSON of the database says. What cannot be read, such as a value from before a release that
// changed its type, is the zero value.
func Decoded[T any](value json.RawMessage) (v T) {
	_ = json.Unmarshal(value, &v)
	return v
}
