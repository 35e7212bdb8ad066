package e2e

import "testing"

// Refusals: their message, the kept input, and the one click that leads on.

func TestRefusalRefreshCorrectionSuccess(t *testing.T) {
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.fill(fieldCustomerEmail, "not an email")
	s.fill(fieldUnitPrice, "fifty")
	s.fill(fieldNotes, "Thank you.")
	s.create()

	s.sees(saysProblem)
	s.isTitled("Error: New invoice")
	s.isOnForm(form)
	s.holds(fieldCustomerEmail, "not an email")
	s.holds(fieldUnitPrice, "fifty")
	s.holds(fieldNotes, "Thank you.")
	s.isWrong(fieldCustomerEmail)
	s.isWrong(fieldUnitPrice)
	s.moment()
	s.refresh() // the browser posts again, with the same key
	s.sees(saysProblem)
	s.isOnForm(form)
	s.hasNew(0)

	s.fill(fieldCustomerEmail, s.email("ada"))
	s.fill(fieldUnitPrice, "50.00")
	s.create()

	s.seesInvoice(s.number(1), created(s.number(1)))
	s.refresh()
	s.hasOneNew(s.number(1))
	s.attempts("rejected", "rejected", "created")
}

func TestErrorSummaryTakesTheFocusAndLeadsToTheField(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.fill(fieldQuantity, "")
	s.create()

	summary := s.page.GetByRole("alert")
	s.isFocused(summary)
	s.check(summary.GetByRole("link").First().Click(), "follow the summary's link")
	s.isFocused(s.field(fieldQuantity))
	s.hasNew(0)
}

func TestLooksLikeARepeatThenCreateAnyway(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))

	s.newInvoice()
	s.fillInvoice(s.number(2))
	s.fill(fieldDescription, "Design of "+s.number(1))
	s.create()
	s.sees("Looks like " + s.number(1) + ", created")
	s.holds(fieldNumber, s.number(2))
	s.isFocused(s.page.GetByRole("alert"))
	s.isAccessibleNow("looks like a repeat")
	s.moment()
	s.hasOneNew(s.number(1))

	s.click(buttonCreateAnyway)
	s.seesInvoice(s.number(2), created(s.number(2)))
	s.hasNew(2)
	s.attempts("created", "conflict", "created")
}

func TestBlankNumberIsAllocated(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	next := s.suggestion()
	s.fillInvoice("")
	s.create()
	s.seesInvoice(next, created(next))
	s.hasOneNew(next)
}
