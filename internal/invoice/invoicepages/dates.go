package invoicepages

import (
	"net/http"
	"strconv"
	"strings"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
)

// askingAbout lets the form of a command ask, once, about a date that is probably mistyped. unusual returns the date with a sentence about
// it, and what the button says that confirms it; "" for nothing to ask.
func askingAbout[C any](
	command web.Command[C], pointer string, unusual func(C) (day date.Date, problem, confirm string),
) web.Command[C] {
	read := command.Form
	command.Form = func(r *http.Request) (C, error) {
		draft, err := read(r)
		if err != nil {
			return draft, err
		}
		day, problem, confirm := unusual(draft)
		if problem == "" || r.PostForm.Get("answer_date") == day.String() {
			return draft, nil
		}
		return draft, &conflict.Error{
			Kind: &invoice.UnusualDate, Title: problem, Text: "Nothing was saved yet. Change the date, or confirm it.",
			Field: pointer, Blame: "Check this date.",
			Ways: []conflict.Way{{Text: confirm, Field: "answer_date", Value: day.String()}},
		}
	}
	return command
}

func unusualIssue(d invoice.Draft) (day date.Date, problem, confirm string) {
	if date.Today().AddMonths(12).Before(d.IssueDate) {
		problem = "The issue date, " + d.IssueDate.Display() + ", is more than a year from now."
	}
	return d.IssueDate, problem, "Save with this date"
}

func unusualPayment(d payment.Draft) (day date.Date, problem, confirm string) {
	if date.Today().Before(d.Date) {
		problem = "The payment is dated " + d.Date.Display() + ", which is in the future."
	}
	return d.Date, problem, "Record with this date"
}

func unusualRefund(d refund.Draft) (day date.Date, problem, confirm string) {
	switch {
	case date.Today().Before(d.Date):
		problem = "The refund is dated " + d.Date.Display() + ", which is in the future."
	case d.Date.Before(d.Paid):
		problem = "The refund is dated " + d.Date.Display() + ", before its payment on " + d.Paid.Display() + "."
	}
	return d.Date, problem, "Record with this date"
}

// shownPast is how many of the past days of a schedule are named.
const shownPast = 12

// pastPeriods is what a schedule bills at once because its first day has passed. One of more than a year ago is refused anyway.
func pastPeriods(d schedule.Draft) (day date.Date, problem, confirm string) {
	today := date.Today()
	if !d.FirstDay.Before(today) || d.FirstDay.Before(today.AddDays(-366)) {
		return d.FirstDay, "", ""
	}
	past := d.Until(today)
	var days []string
	for _, day := range past[max(0, len(past)-shownPast):] {
		days = append(days, day.Display())
	}
	if len(past) > shownPast {
		days[0] = past[0].Display() + " and so on to " + days[0]
	}
	invoices := "an invoice"
	if len(past) > 1 {
		invoices = strconv.Itoa(len(past)) + " invoices"
	}
	return d.FirstDay, "This schedule bills " + invoices + " at once, dated " + strings.Join(days, ", ") + ".", "Save and bill them"
}
