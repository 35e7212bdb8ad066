package e2e

import "testing"

// The worst moment for the network to fail: the invoice is committed, the answer is lost, and the person sees the browser's error
// page.

func TestAnswerLostAfterCommitThenBackAndCreate(t *testing.T) {
	onlyInChromium(t, "it looks at the browser's own error page")
	t.Parallel()
	s := startIn(t, withPageCache)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.loseNextAnswer()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()

	s.back()
	s.isOnForm(form)
	s.holds(fieldNumber, s.number(1))
	s.create()

	s.seesInvoice(s.number(1), ignoredDuplicate)
	s.hasOneNew(s.number(1))
	s.attempts("created", "replayed")
}
