package e2e

import "testing"

// The worst moment for the network to fail: the invoice is committed, the answer
// is lost, and the person is looking at the browser's error page.

func TestAnswerLostAfterCommitThenBackAndCreate(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.loseNextAnswer()
	s.pointAt("Create invoice")
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()

	s.back()
	s.isOnForm(form)
	s.holds("Number", "2026-7001")
	s.create()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}
