package e2e

import (
	"testing"
)

// The database restarts in the middle of a create: its connections end, and the app cannot know whether the invoice was saved. The
// repeated form finds out.
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
