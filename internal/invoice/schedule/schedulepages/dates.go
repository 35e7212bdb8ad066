package schedulepages

import (
	"net/http"
	"strconv"
	"strings"

	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/value/date"
)

// shownPast is the maximum number of past days that the question names.
const shownPast = 12

// pastPeriods asks about the invoices that a new schedule makes at once, because its first day has passed. A first day more than a year
// ago is refused anyway.
func (s *pages) pastPeriods(r *http.Request, d schedule.Draft) (invoiceform.Doubt, error) {
	if d.FirstDay.Before(s.site.Today(r).AddDays(-366)) {
		return invoiceform.Doubt{}, nil
	}
	return s.billingAtOnce(r, d, d.FirstDay), nil
}

// morePeriods asks about the additional invoices that an edited schedule makes at once.
func (s *pages) morePeriods(r *http.Request, d schedule.Draft) (invoiceform.Doubt, error) {
	found, err := s.schedules.Find(r)
	if err != nil || found.Stopped() {
		return invoiceform.Doubt{}, err
	}
	if d.Rhythm != found.Rhythm {
		if found.NextDay != found.FirstDay {
			return invoiceform.Doubt{}, nil // it was billed, so its days are fixed
		}
		return s.pastPeriods(r, d)
	}
	was := s.billingAtOnce(r, schedule.Draft{Rhythm: found.Rhythm, LastDay: found.LastDay, Missed: found.Missed}, found.NextDay)
	is := s.billingAtOnce(r, d, found.NextDay)
	if is == was {
		return invoiceform.Doubt{}, nil
	}
	return is, nil
}

// billingAtOnce returns the question about the periods from next to yesterday.
func (s *pages) billingAtOnce(r *http.Request, d schedule.Draft, next date.Date) (is invoiceform.Doubt) {
	past := d.Between(next, s.site.Today(r))
	if len(past) == 0 || !next.Before(s.site.Today(r)) {
		return invoiceform.Doubt{}
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
	return invoiceform.Doubt{
		Answer:  d.FirstDay.String() + " " + d.Often(),
		Problem: "This schedule bills " + invoices + " at once, dated " + strings.Join(days, ", ") + ".",
		Confirm: "Save and bill them",
	}
}
