package invoice

import (
	"errors"
	"fmt"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/money"
)

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
