package e2e

import "testing"

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
