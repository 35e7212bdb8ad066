package e2e

import "testing"

// Impatient people press F5: while the answer is under way, and again when it has arrived.

func TestRefreshInTheMiddleAndAgain(t *testing.T) {
	onlyInChromium(t, "it presses the Reload button of the browser over its debugger")
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))

	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.waiting(1)
	s.refresh()
	s.isOnForm(form)
	s.fillInvoice(s.number(1))
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.waiting(2)
	release()

	s.seesInvoice(s.number(1), ignoredDuplicate)
	s.refresh()
	s.seesHeading(headingInvoice(s.number(1)))
	s.seesNot(ignoredDuplicate)
	s.hasOneNew(s.number(1))
	s.attempts("created", "replayed")
}

// Only one kind of answer to a POST can be refreshed, a refusal: the browser then posts again, with the same key.
func TestRefreshOfARefusal(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.fill(fieldQuantity, "many")
	s.create()
	s.sees(saysProblem)

	s.refresh()
	s.sees(saysProblem)
	s.isOnForm(form)
	s.hasNew(0)

	s.fill(fieldQuantity, "2")
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.refresh()
	s.hasOneNew(s.number(1))
	s.attempts("rejected", "rejected", "created")
}
