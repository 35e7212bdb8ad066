package e2e

import "testing"

// Impatient people press F5: while the answer is on its way, and again when it
// is there.

func TestRefreshInTheMiddleAndAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")

	release := s.lockInvoices()
	s.pointAt("Create invoice")
	s.tap(1)
	s.waiting(1)
	s.refresh()
	s.isOnForm(form)
	s.fillInvoice("2026-7001")
	s.pointAt("Create invoice")
	s.tap(1)
	s.waiting(2)
	release()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.refresh()
	s.seesHeading("Invoice 2026-7001")
	s.seesNot(ignoredDuplicate)
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}

// The one answer to a POST that can be refreshed is a refusal: the browser then
// posts again, with the same key.
func TestRefreshOfARefusal(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.fill("Quantity", "many")
	s.create()
	s.sees("There is a problem")

	s.refresh()
	s.sees("There is a problem")
	s.isOnForm(form)
	s.hasNew(0)

	s.fill("Quantity", "2")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))
	s.refresh()
	s.hasOneNew("2026-7001")
	s.attempts("rejected", "rejected", "created")
}
