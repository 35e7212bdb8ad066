package invoicepages

import (
	"net/http"
	"strconv"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/value/date"
)

// aYearOff returns the difference if a day is more than a year from today, or "".
func (s *Pages) aYearOff(day date.Date) string {
	switch today := s.Today(); {
	case today.AddMonths(12).Before(day):
		return "more than a year from now"
	case day.Before(today.AddMonths(-12)):
		return "more than a year ago"
	default:
		return ""
	}
}

func (s *Pages) unusualIssue(_ *http.Request, d invoice.Draft) (is doubt, _ error) {
	if off := s.aYearOff(d.IssueDate); off != "" {
		is.problem = "The issue date, " + d.IssueDate.Display() + ", is " + off + "."
	}
	is.answer, is.confirm = d.IssueDate.String(), "Save with this date"
	return is, nil
}

// movedIssue asks about a changed issue date.
func (s *Pages) movedIssue(r *http.Request, d invoice.Draft) (doubt, error) {
	found, err := s.invoices.Find(r)
	if err != nil || found.IssueDate == d.IssueDate {
		return doubt{}, err
	}
	return s.unusualIssue(r, d)
}

func (s *Pages) unusualPayment(_ *http.Request, d payment.Draft) (doubt, error) {
	return s.unusualMoney("payment", d.Date), nil
}

func (s *Pages) unusualWriteOff(_ *http.Request, d writeoff.Draft) (doubt, error) {
	return s.unusualMoney("write-off", d.Date), nil
}

func (s *Pages) unusualRefund(_ *http.Request, d refund.Draft) (doubt, error) {
	is := s.unusualMoney("refund", d.Date)
	if is.problem == "" && d.Date.Before(d.Paid) {
		is.problem = "The refund is dated " + d.Date.Display() + ", before its payment on " + d.Paid.Display() + "."
	}
	return is, nil
}

func (s *Pages) unusualMoney(what string, day date.Date) doubt {
	is := doubt{answer: day.String(), confirm: "Record with this date"}
	when := s.aYearOff(day)
	if s.Today().Before(day) {
		when = "in the future"
	}
	if when != "" {
		is.problem = "The " + what + " is dated " + day.Display() + ", which is " + when + "."
	}
	return is
}

// shownPast is the maximum number of past days that the question names.
const shownPast = 12

// pastPeriods asks about the invoices that a new schedule makes at once, because its first day has passed. A first day more than a year
// ago is refused anyway.
func (s *Pages) pastPeriods(_ *http.Request, d schedule.Draft) (doubt, error) {
	if d.FirstDay.Before(s.Today().AddDays(-366)) {
		return doubt{}, nil
	}
	return s.billingAtOnce(d, d.FirstDay), nil
}

// morePeriods asks about the additional invoices that an edited schedule makes at once.
func (s *Pages) morePeriods(r *http.Request, d schedule.Draft) (doubt, error) {
	found, err := s.schedules.Find(r)
	if err != nil || found.Stopped() {
		return doubt{}, err
	}
	if d.Rhythm != found.Rhythm {
		if found.NextDay != found.FirstDay {
			return doubt{}, nil // it was billed, so its days are fixed
		}
		return s.pastPeriods(r, d)
	}
	was := s.billingAtOnce(schedule.Draft{Rhythm: found.Rhythm, LastDay: found.LastDay, Missed: found.Missed}, found.NextDay)
	is := s.billingAtOnce(d, found.NextDay)
	if is == was {
		return doubt{}, nil
	}
	return is, nil
}

// billingAtOnce returns the question about the periods from next to yesterday.
func (s *Pages) billingAtOnce(d schedule.Draft, next date.Date) (is doubt) {
	past := d.Between(next, s.Today())
	if len(past) == 0 || !next.Before(s.Today()) {
		return doubt{}
	}
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
	return doubt{
		d.FirstDay.String() + " " + d.Often(),
		"This schedule bills " + invoices + " at once, dated " + strings.Join(days, ", ") + ".", "Save and bill them",
	}
}
