package invalid

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/date"
	"onlyonce/internal/money"
)

// What was typed is checked by one of the methods below, which note what is wrong with it at its JSON Pointer. A blank text
// is none of their business: it gives the zero value, and Require says that there must be something.

// Require notes message if nothing was typed.
func (e *Error) Require(pointer, typed, message string) {
	if strings.TrimSpace(typed) == "" {
		e.Add(pointer, message)
	}
}

// Integer gives a whole number of at most 15 digits in its one form: "7" for "007".
func (e *Error) Integer(pointer, typed string) string {
	typed = strings.TrimSpace(typed)
	number, err := strconv.ParseInt(typed, 10, 64)
	switch {
	case typed == "":
		return ""
	case err != nil || number > maxInteger || number < -maxInteger:
		e.Add(pointer, "Enter a whole number of at most 15 digits, like 42.")
		return ""
	default:
		return strconv.FormatInt(number, 10)
	}
}

// maxInteger is what any program that reads JSON can hold exactly.
const maxInteger = 999_999_999_999_999

// Decimal gives a decimal number of at most 32 characters in its one form: "2.5" for "2.50".
func (e *Error) Decimal(pointer, typed string) string {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return ""
	}
	number, err := money.ParseDecimal(typed)
	if err != nil {
		e.Add(pointer, "Enter a number with a point before its decimals, like 2.5.")
		return ""
	}
	return number.String()
}

// Amount gives an amount in minor units with its currency. Without an amount there is no currency either.
func (e *Error) Amount(pointer, typed, currencyPointer, code string) (int64, money.Currency) {
	typed = strings.TrimSpace(typed)
	currency, known := money.ParseCurrency(code)
	if !known && typed+code != "" {
		e.Add(currencyPointer, "Choose a currency by its three-letter code, like EUR.")
	}
	if !known || typed == "" {
		return 0, money.Currency{}
	}
	amount, err := currency.Parse(typed)
	switch {
	case errors.Is(err, money.ErrScale):
		e.Add(pointer, fmt.Sprintf("Enter an amount with at most %d decimals for %s.", currency.Decimals(), currency))
	case err != nil:
		e.Add(pointer, "Enter an amount, like 50.00.")
	}
	return amount, currency
}

// Date gives a calendar day.
func (e *Error) Date(pointer, typed string) date.Date {
	if strings.TrimSpace(typed) == "" {
		return date.Date{}
	}
	day, err := date.Parse(strings.TrimSpace(typed))
	if err != nil {
		e.Add(pointer, "Enter a day as year-month-day, like 2026-11-21.")
	}
	return day
}

// Choice gives a text that is one of those to choose from.
func (e *Error) Choice(pointer, typed string, from []string) string {
	if typed != "" && !slices.Contains(from, typed) {
		e.Add(pointer, "Choose one of these: "+strings.Join(from, ", ")+".")
	}
	return typed
}

// ID gives the id of another record. message says what to choose if it is none.
func (e *Error) ID(pointer, typed, message string) uuid.UUID {
	if strings.TrimSpace(typed) == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(strings.TrimSpace(typed))
	if err != nil || id == uuid.Nil {
		e.Add(pointer, message)
	}
	return id
}
