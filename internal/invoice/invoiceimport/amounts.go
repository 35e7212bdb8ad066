package invoiceimport

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"onlyonce/internal/importing"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// amounts are the amounts of an invoice in a file, in minor units.
type amounts struct {
	total, paid, open          int64
	hasTotal, hasPaid, hasOpen bool
}

// foreign returns the first amount of another currency by its sign or code, or "".
func (r reader) foreign(e *importing.Entry, currency money.Currency) string {
	for _, row := range e.Rows {
		for at, text := range row.Cells[:min(len(row.Cells), len(r.columns))] {
			if !slices.Contains([]string{"unit_price", "net_amount", "tax_amount", "total", "paid", "open"}, r.columns[at]) {
				continue
			}
			if !importing.OfCurrency(text, currency) {
				return text
			}
		}
	}
	return ""
}

// amountsOf reads the amounts of an invoice, or returns a sentence about one that can't be read.
func amountsOf(head map[string]string, currency money.Currency) (a amounts, problem string) {
	for _, of := range []struct {
		name   string
		amount *int64
		has    *bool
	}{{"total", &a.total, &a.hasTotal}, {"paid", &a.paid, &a.hasPaid}, {"open", &a.open, &a.hasOpen}} {
		if *of.has = head[of.name] != ""; !*of.has {
			continue
		}
		var err error
		*of.amount, err = currency.Parse(head[of.name])
		switch {
		case of.name != "paid" && errors.Is(err, money.ErrRange) && strings.HasPrefix(head[of.name], "-"):
			return a, head[of.name] + " is a credit of the customer, which isn't imported. Record it as a receipt or a credit note."
		case err != nil:
			return a, fmt.Sprintf("%s in the file isn't an amount of %s.", head[of.name], currency)
		}
	}
	return a, ""
}

// settle completes the amounts, or returns a sentence about amounts or a status that contradict each other. Stripe's amount due stays the
// total after a payment.
func (a *amounts) settle(status string, currency money.Currency) (problem string) {
	if !a.hasTotal {
		a.total = a.paid + a.open
	}
	stays := !a.hasOpen || a.open == a.total
	switch {
	case a.hasPaid:
	case stays && is(status, paidThere):
		a.paid = a.total
	case a.hasOpen:
		a.paid = a.total - a.open
	}
	if stays {
		a.open = a.total - a.paid
	}
	switch {
	case a.paid < 0, a.open < 0, a.total-a.paid != a.open:
		return fmt.Sprintf("The amounts in the file don't fit together: %s %s in total, %s paid, %s open.",
			currency.Display(a.total), currency, currency.Display(a.paid), currency.Display(a.open))
	case is(status, paidThere) && a.open > 0:
		return fmt.Sprintf("The status is “%s”, and the amounts leave %s %s open. Correct one of them in the file.",
			status, currency.Display(a.open), currency)
	case is(status, partlyThere) && (a.paid == 0 || a.open == 0):
		return "The status is “" + status + "”, and the file doesn't have its amounts. Choose the columns of those paid and due."
	}
	return ""
}

// pay sets what was paid by the amounts in the file, and returns a sentence about amounts that differ, or "".
func (b *bill) pay(head map[string]string, a amounts) (problem string) {
	currency := b.invoice.Currency
	if a.hasTotal && a.total != b.total {
		return fmt.Sprintf("The total in the file is %s %s, and its lines make %s %[2]s.",
			currency.Display(a.total), currency, currency.Display(b.total))
	}
	if !b.issue {
		return ""
	}
	a.total, a.hasTotal = b.total, true
	if problem = a.settle(head["status"], currency); problem != "" {
		return problem
	}
	b.paid, b.paidOn = a.paid, b.invoice.IssueDate
	if head["paid_on"] != "" {
		day, err := date.ParseEntry(head["paid_on"])
		if err != nil {
			return "The date of the payment isn't from 2000 to 2099."
		}
		b.paidOn = day
	}
	return ""
}
