package importing

import (
	"regexp"
	"strings"

	"onlyonce/internal/value/money"
)

// signs are signs of currencies, each with the codes of the currencies that use it.
var signs = [][2]string{
	{"€", "EUR"}, {"₹", "INR"}, {"Rs", "INR PKR LKR NPR MUR"}, {"¥", "JPY CNY"}, {"£", "GBP EGP FKP GIP LBP SDG SHP SSP SYP"},
	{"kr", "SEK NOK DKK ISK"}, {"Kč", "CZK"}, {"zł", "PLN"}, {"Ft", "HUF"}, {"Fr", "CHF"},
	{"$", "USD AUD CAD NZD SGD HKD TWD MXN ARS BRL CLP COP UYU DOP BBD BMD BND BSD BZD CUP CVE FJD GYD JMD KYD LRD MOP NAD NIO SBD " +
		"SRD SVC TOP TTD WST XCD"},
}

var (
	words = regexp.MustCompile(`\p{L}+`)
	// dollars matches letters before the sign of dollars, such as US$.
	dollars = regexp.MustCompile(`\p{L}{1,2}\$`)
)

// OfCurrency reports whether an amount in a file has neither a sign nor a code of another currency.
func OfCurrency(text string, c money.Currency) bool {
	for _, sign := range signs {
		if strings.Contains(text, sign[0]) && !strings.Contains(sign[1], c.String()) {
			return false
		}
	}
	for _, word := range words.FindAllString(text, -1) {
		if code, known := money.ParseCurrency(strings.ToUpper(word)); known && code != c {
			return false
		}
	}
	return true
}

// isAmount reports whether the letters of a text are signs or codes of currencies, unlike those of "100.00 CR", a credit.
func isAmount(text string) bool {
	for _, word := range words.FindAllString(dollars.ReplaceAllString(text, "$"), -1) {
		known := false
		for _, sign := range signs {
			known = known || word == sign[0]
		}
		if _, code := money.ParseCurrency(strings.ToUpper(word)); !known && !code {
			return false
		}
	}
	return true
}
