package e2e

import "testing"

// Refusals: their message, the kept input, and the one click that leads on.

func TestErrorSummaryTakesTheFocusAndLeadsToTheField(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	s.fill(fieldQuantity, "")
	s.create()

	summary := s.page.GetByRole("alert")
	s.isFocused(summary)
	s.check(summary.GetByRole("link").First().Click(), "follow the summary's link")
	s.isFocused(s.field(fieldQuantity))
	s.hasNew(0)
}

func TestBlankNumberIsAllocated(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	next := s.suggestion()
	s.fillInvoice("")
	s.create()
	s.seesInvoice(next, created(next))
	s.hasOneNew(next)
}
