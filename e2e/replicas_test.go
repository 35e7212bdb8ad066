package e2e

import (
	"testing"
	"time"
)

// TestStillSaving: the second tab meets another replica, which does not wait as long as the first submission
// takes. It says so, keeps everything, and leads to the same invoice.
func TestStillSaving(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, width)
			s.login()
			s.newInvoice()
			form := s.page.URL()
			other := s.atReplica(200*time.Millisecond, form)
			s.fillInvoice("2026-7001")
			other.fillInvoice("2026-7001")

			release := s.lockInvoices()
			s.pointAt("Create invoice")
			s.tap(1)
			s.waiting(1)
			other.create()
			other.sees("Your first submission has not finished. Trying again is safe.")
			other.isAccessible("still saving")
			other.isOnForm(form)
			other.holds("Number", "2026-7001")
			release()
			s.seesInvoice("2026-7001", created("2026-7001"))
			other.click("Try again")
			other.seesInvoice("2026-7001", ignoredDuplicate)
			s.hasOneNew("2026-7001")
			s.attempts("created", "in_progress", "replayed")
		})
	}
}

// atReplica opens the address of a form in a new tab, at another replica of the app. Cookies know no ports, so
// the person is logged in there as well.
func (s *session) atReplica(wait time.Duration, address string) *session {
	s.t.Helper()
	replica := *s
	replica.origin = s.startApp(wait).URL()
	return replica.tab(address[len(s.origin):])
}
