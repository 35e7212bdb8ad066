package party

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invalid/text"
)

// BankAccount is the account to which invoices are paid. Unknown fields are "".
type BankAccount struct {
	AccountHolder string `json:"account_holder,omitzero"`
	AccountNumber string `json:"account_number,omitzero" doc:"An IBAN in capitals without spaces, or any other account number as typed."`
	BIC           string `json:"bic,omitzero" doc:"ISO 9362, in capitals."`
}

// Check returns the account in its stored form, and adds mistakes to problems. A number that begins like an IBAN must be one.
func (a BankAccount) Check(problems *invalid.Error) BankAccount {
	checked := BankAccount{
		AccountHolder: problems.Line("/account_holder", "the account holder", a.AccountHolder, MaxName),
		AccountNumber: problems.Line("/account_number", "the account number", a.AccountNumber, maxAccountNumber),
		BIC:           withoutSpaces(a.BIC),
	}
	if iban := withoutSpaces(checked.AccountNumber); likeIBAN.MatchString(iban) {
		if checked.AccountNumber = iban; !IsIBAN(iban) {
			problems.Add("/account_number", "Check this IBAN for typing mistakes.")
		}
	}
	if checked.BIC != "" && !bic.MatchString(checked.BIC) {
		problems.Add("/bic", "Enter a BIC of 8 or 11 characters, like AIBKIE2D, or leave it blank.")
	}
	return checked
}

const maxAccountNumber = 60 // characters

var (
	likeIBAN = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}`)
	iban     = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)
	bic      = regexp.MustCompile(`^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$`)
)

func withoutSpaces(typed string) string {
	return strings.ToUpper(strings.Join(strings.Fields(text.Clean(typed)), ""))
}

// IsIBAN checks the form and the check digits of an IBAN without spaces and in capitals (ISO 13616): with its first four characters moved
// to the end, and each letter read as a number from 10 to 35, the remainder of dividing by 97 is 1. It does not check the length for each
// country.
func IsIBAN(number string) bool {
	if !iban.MatchString(number) {
		return false
	}
	var digits strings.Builder
	for _, r := range number[4:] + number[:4] {
		if r >= 'A' {
			digits.WriteString(strconv.Itoa(int(r-'A') + 10))
		} else {
			digits.WriteRune(r)
		}
	}
	value, _ := new(big.Int).SetString(digits.String(), 10)
	return value.Mod(value, big.NewInt(97)).Int64() == 1
}

// SpacedAccount returns an IBAN in groups of four characters. Any other number is returned unchanged.
func SpacedAccount(number string) string {
	if !IsIBAN(number) {
		return number
	}
	var groups []string
	for ; len(number) > 4; number = number[4:] {
		groups = append(groups, number[:4])
	}
	return strings.Join(append(groups, number), " ")
}
