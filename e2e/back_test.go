package e2e

import "testing"

// Back after a success brings the form back as it was left, from the browser's
// back/forward cache: filled in, and locked unless the page unlocks itself.

func TestBackAfterSuccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.leaveMark()
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.hasMark()
	s.isOnForm(form)
	s.holds("Number", "2026-7001")
	s.create()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}

func TestBackAfterSuccessThenOtherText(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.fill("Notes", "Thank you.")
	s.create()

	s.sees("This form already created 2026-7001. " + changesNotSaved)
	s.holds("Notes", "Thank you.")
	s.hasOneNew("2026-7001")
	s.attempts("created", "mismatch")
}

// A browser without the cache asks the server for the form again.
func TestBackAfterSuccessWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.refresh()
	s.sees("This form already created 2026-7001.")
	s.hasOneNew("2026-7001")
	s.attempts("created")
}
