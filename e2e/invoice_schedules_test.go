package e2e

import (
	"testing"
	"time"

	"onlyonce/internal/assert"
)

// A schedule creates invoices for a long time, so a duplicate schedule costs more than a duplicate invoice. It is created once, and
// each of its periods is billed once.

const wouldBill = "a schedule would stay, and bill"

// One tab pauses the schedule, and then the other one bills it.
func TestPauseInOneTabAndBillInTheOther(t *testing.T) {
	onlyHere(t, wouldBill)
	t.Parallel()
	s := loggedIn(t)
	s.openSchedule()
	s.log.forget()
	other := s.tab(s.page.URL())
	other.follow(linkBillNow)
	s.click(buttonPause)
	s.sees("Paused since")
	other.click(buttonBillPeriod)
	other.sees("This schedule is paused or archived. Nothing was billed. Resume or restore it first.")
	other.moment()
	s.hasBilled(0)

	s.click(buttonResume)
	s.seesNot("Paused since")
	other.click(buttonBillPeriod)
	other.sees("Period billed.")
	s.hasBilled(1)
	s.attempts("changed", "conflict", "changed", "created")
}

// openSchedule opens the page of a schedule whose first period is in half a year, so that the clock does not bill it.
func (s *session) openSchedule() {
	s.t.Helper()
	s.openIssued()
	var customer string
	s.query(&customer, `SELECT id::text FROM customers WHERE email = $1`, s.email("ada"))
	s.open(s.post("/schedules", "schedule", map[string]any{
		"customer_id": customer, "currency": "EUR", "every": "1", "unit": "month", "bill_as": "issued", "missed": "each",
		"first_day": time.Now().AddDate(0, 6, 0).Format(time.DateOnly),
		"lines":     []map[string]string{{"description": "Support", "quantity": "1", "unit_price": "90.00", "tax_rate": "23"}},
	}))
	s.seesHeading(s.named("Ada Byron") + ", every month")
}

// hasSchedules checks the number of schedules of this session's customer.
func (s *session) hasSchedules(want int) {
	s.t.Helper()
	n := s.count(`SELECT count(*) FROM schedules s JOIN customers c ON c.id = s.customer_id WHERE c.email = $1`, s.email("ada"))
	s.tellf(byRecords, "schedules: %d", n)
	assert.Thatf(s.t, n == want, "%d schedules, want %d", n, want)
}

// hasBilled checks the number of billed periods of that schedule, and that there is an invoice for each, beside the existing one.
func (s *session) hasBilled(want int) {
	s.t.Helper()
	n := s.count(`
		SELECT count(*) FROM schedule_periods p JOIN schedules s ON s.id = p.schedule_id JOIN customers c ON c.id = s.customer_id
		WHERE c.email = $1`, s.email("ada"))
	s.tellf(byRecords, "periods that were billed: %d", n)
	assert.Thatf(s.t, n == want, "%d periods were billed, want %d", n, want)
	s.hasNew(1 + want)
}
