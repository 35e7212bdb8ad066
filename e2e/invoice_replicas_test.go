package e2e

import (
	"testing"
	"time"
)

// TestStillSaving sends a second tab to another replica, which waits for a shorter time than the first submission takes. The page
// explains this, keeps all input, and leads to the same invoice.
func TestStillSaving(t *testing.T) {
	onlyHere(t, "it starts a second replica, which waits less")
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atForm(t, width)
			form := s.page.URL()
			other := s.atReplica(200*time.Millisecond, form)
			s.fillInvoice(s.number(1))
			other.fillInvoice(s.number(1))

			release := s.lockInvoices()
			s.pointAt(buttonCreateInvoice)
			s.tap(1)
			s.waiting(1)
			other.create()
			other.sees(saysStillSaving)
			other.isAccessible("still saving")
			other.isOnForm(form)
			other.holds(fieldNumber, s.number(1))
			other.moment()
			release()
			s.seesInvoice(s.number(1), created(s.number(1)))
			other.click(buttonTryAgain)
			other.seesInvoice(s.number(1), ignoredDuplicate)
			s.hasOneNew(s.number(1))
			s.attempts("created", "in_progress", "replayed")
		})
	}
}

// atReplica opens the address of a form in a new tab, at another replica of the app. Cookies ignore ports, so the person is logged
// in there as well.
func (s *session) atReplica(wait time.Duration, address string) *session {
	s.t.Helper()
	replica := *s
	replica.origin = s.startApp(wait).URL()
	return replica.tab(address[len(s.origin):])
}
