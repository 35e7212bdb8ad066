package e2e

import "testing"

// A slow answer, and people who do not wait for it.

func TestSlowAnswerIsExplained(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.listenToForm()

	release := s.lockInvoices()
	s.pointAt("Create invoice")
	s.tap(1)
	s.waiting(1)
	s.formSaid("status: Still saving. Trying again is safe.")
	s.tap(1) // the words unlock nothing
	s.formSaid("kept back")
	release()

	s.seesInvoice("2026-7001", created("2026-7001"))
	s.hasOneNew("2026-7001")
	s.attempts("created")
}
