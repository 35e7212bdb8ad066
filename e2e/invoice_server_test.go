package e2e

import (
	"testing"
)

// The database restarts in the middle of a create: its connections end, and the app cannot know whether the invoice was saved. The
// repeated form finds out.
func TestDatabaseRestartsDuringACreate(t *testing.T) {
	onlyHere(t, "it takes the database away")
	t.Parallel()
	s := atFilledForm(t, keepingPages, withoutJavaScript)
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
	s.isDoneOnce(created(s.number(1)))
}
