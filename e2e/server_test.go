package e2e

import (
	"strings"
	"testing"
)

// The database restarts in the middle of a create: its connections end, and nobody can tell whether the invoice was
// saved. The form that is sent again finds out.
func TestDatabaseRestartsDuringACreate(t *testing.T) {
	onlyHere(t, "it takes the database away")
	t.Parallel()
	s := startIn(t, withPageCache, withoutJavaScript)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.waiting(1)
	back := s.loseDatabase()
	s.sees(saysCouldNotConfirm)
	s.moment()
	s.sees(s.named("Ada Byron"))
	release()
	back()

	s.click(buttonTryAgain)
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.hasOneNew(s.number(1))
}

// A form that is larger than the app takes is refused before it is read. What was typed is still in the page behind, and
// can be sent under the same key once it is shorter.
func TestFormThatIsTooLarge(t *testing.T) {
	t.Parallel()
	s := startIn(t, withPageCache, withJavaScript)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.fill(fieldNotes, strings.Repeat("€", 130_000)) // nine bytes each, as browsers send them
	s.create()
	s.sees("too large")
	s.moment()
	s.hasNew(0)

	s.back()
	s.isOnForm(form)
	s.holds(fieldCustomerEmail, s.email("ada"))
	s.fill(fieldNotes, "Thank you.")
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.hasOneNew(s.number(1))
}
