// Package typed parses typed input. Each function adds mistakes at a JSON Pointer. A blank text is no mistake and returns the zero value;
// [Require] refuses it.
package typed

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Require adds message if the text is blank.
func Require(problems *invalid.Error, pointer, text, message string) {
	if strings.TrimSpace(text) == "" {
		problems.Add(pointer, message)
	}
}

// Integer returns a whole number of at most 15 digits in canonical form: "7" for "007".
func Integer(problems *invalid.Error, pointer, text string) string {
	text = strings.TrimSpace(text)
	number, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		return ""
	case err != nil || number > maxInteger || number < -maxInteger:
		problems.Add(pointer, "Enter a whole number of at most 15 digits, like 42.")
		return ""
	default:
		return strconv.FormatInt(number, 10)
	}
}

// maxInteger is a number that any JSON parser represents exactly.
const maxInteger = 999_999_999_999_999

// Decimal returns a decimal number of at most 32 characters in canonical form: "2.5" for "2.50".
func Decimal(problems *invalid.Error, pointer, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	number, err := money.ParseDecimal(text)
	if err != nil {
		problems.Add(pointer, "Enter a number with a point before its decimals, like 2.5.")
		return ""
	}
	return number.String()
}

// Between refuses a number in canonical form that is less than low or greater than high; "" is no bound.
func Between(problems *invalid.Error, pointer, number, low, high string) {
	if beyond(number, low, -1) || beyond(number, high, 1) {
		problems.Add(pointer, "Enter a number "+bounds(low, high)+".")
	}
}

// beyond reports whether the number is on a side of the bound: -1 for less.
func beyond(number, bound string, side int) bool {
	n, err := money.ParseDecimal(number)
	limit, none := money.ParseDecimal(bound)
	return err == nil && none == nil && n.Cmp(limit) == side
}

func bounds(low, high string) string {
	switch {
	case high == "":
		return "of at least " + low
	case low == "":
		return "of at most " + high
	default:
		return "from " + low + " to " + high
	}
}

// Percentage returns a number from 0 to 100 with at most three decimals in canonical form: "12.5" for "12.50".
func Percentage(problems *invalid.Error, pointer, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	rate, err := money.ParseRate(text)
	if err != nil {
		problems.Add(pointer, "Enter a percentage from 0 to 100 with at most three decimals, like 12.5.")
		return ""
	}
	return rate.String()
}

// Amount returns an amount in minor units with its currency, or zero values if the amount is blank.
func Amount(problems *invalid.Error, pointer, text, currencyPointer, code string) (int64, money.Currency) {
	text = strings.TrimSpace(text)
	if text+code == "" {
		return 0, money.Currency{}
	}
	currency := Currency(problems, currencyPointer, code, date.Date{})
	if currency == (money.Currency{}) || text == "" {
		return 0, money.Currency{}
	}
	return AmountIn(problems, pointer, text, currency), currency
}

// AmountIn returns an amount of a currency in minor units, or 0 if it is blank or the currency is unknown.
func AmountIn(problems *invalid.Error, pointer, text string, currency money.Currency) int64 {
	text = strings.TrimSpace(text)
	if text == "" || currency == (money.Currency{}) {
		return 0
	}
	amount, err := currency.Parse(text)
	switch {
	case errors.Is(err, money.ErrScale):
		problems.Add(pointer, fmt.Sprintf("Enter an amount with at most %d decimals for %s.", currency.Decimals(), currency))
	case err != nil:
		problems.Add(pointer, "Enter an amount, like 50.00.")
	}
	return amount
}

// Currency returns a currency that was in use on a day; the zero Date allows any day. It returns the zero value for an unknown code.
func Currency(problems *invalid.Error, pointer, code string, day date.Date) money.Currency {
	currency, known := money.ParseCurrency(code)
	switch last := currency.LastDay(); {
	case !known:
		problems.Add(pointer, "Choose a currency by its three-letter code, like EUR.")
	case last != date.Date{} && last.Before(day):
		problems.Add(pointer, code+" was in use until "+last.Display()+". Choose another currency.")
	}
	return currency
}

// Date returns a calendar day.
func Date(problems *invalid.Error, pointer, text string) date.Date {
	if strings.TrimSpace(text) == "" {
		return date.Date{}
	}
	day, err := date.Parse(strings.TrimSpace(text))
	if err != nil {
		problems.Add(pointer, "Enter a day as year-month-day, like 2026-11-21.")
	}
	return day
}

// Choice checks that a text is one of the choices.
func Choice(problems *invalid.Error, pointer, text string, from []string) string {
	if text != "" && !slices.Contains(from, text) {
		problems.Add(pointer, "Choose one of these: "+strings.Join(from, ", ")+".")
	}
	return text
}

// ID parses the id of a referenced record. message is the error for a text that is no id.
func ID(problems *invalid.Error, pointer, text, message string) uuid.UUID {
	if strings.TrimSpace(text) == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(strings.TrimSpace(text))
	if err != nil || id == uuid.Nil {
		problems.Add(pointer, message)
	}
	return id
}
