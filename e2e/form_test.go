package e2e

import "testing"

// What a refusal says and keeps, and the one click that leads on.

func TestValidationErrorCorrectionSuccess(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.newInvoice()
			form := s.page.URL()
			s.fillInvoice("2026-7001")
			s.fill("Customer email", "not an email")
			s.fill("Unit price", "fifty")
			s.fill("Notes", "Thank you.")
			s.create()

			s.sees("There is a problem")
			s.isTitled("Error: New invoice")
			s.isOnForm(form)
			s.holds("Customer email", "not an email")
			s.holds("Unit price", "fifty")
			s.holds("Notes", "Thank you.")
			s.isWrong("Customer email")
			s.isWrong("Unit price")
			s.hasNew(0)

			s.fill("Customer email", "ada@example.test")
			s.fill("Unit price", "50.00")
			s.create()

			s.seesInvoice("2026-7001", created("2026-7001"))
			s.hasOneNew("2026-7001")
			s.attempts("rejected", "created")
		})
	}
}

func TestErrorSummaryTakesTheFocusAndLeadsToTheField(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.fill("Quantity", "")
	s.create()

	summary := s.page.GetByRole("alert")
	s.check(expect.Locator(summary).ToBeFocused(), "find the focus on the summary")
	s.check(summary.GetByRole("link").First().Click(), "follow the summary's link")
	s.check(expect.Locator(s.field("Quantity")).ToBeFocused(), "find the focus on the field")
	s.hasNew(0)
}

func TestUseTheNextNumberWithOneClick(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.newInvoice()
			next := s.suggestion()
			s.fillInvoice("2026-7001")
			s.create()
			s.seesInvoice("2026-7001", created("2026-7001"))

			s.newInvoice()
			s.fillInvoice("2026-7001")
			s.fill("Description", "Something else")
			s.create()
			s.sees("Invoice number 2026-7001 already exists. " + keptOriginal)
			s.holds("Description", "Something else")
			s.hasOneNew("2026-7001")

			s.click("Use the next number, " + next)
			s.seesInvoice(next, created(next))
			s.hasNew(2)
			s.attempts("created", "conflict", "created")
		})
	}
}

func TestLooksLikeARepeatThenCreateAnyway(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.newInvoice()
	s.fillInvoice("2026-7002")
	s.fill("Description", "Design of 2026-7001")
	s.create()
	s.sees("Looks like 2026-7001, created")
	s.holds("Number", "2026-7002")
	s.hasOneNew("2026-7001")

	s.click("Create anyway")
	s.seesInvoice("2026-7002", created("2026-7002"))
	s.hasNew(2)
	s.attempts("created", "conflict", "created")
}

// A wanted repeat must go through without a question.
func TestCopyAsNew(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	first := s.page.URL()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.follow("Copy as new")
	s.seesHeading("Copy of 2026-7001")
	s.holds("Description", "Design of 2026-7001")
	s.holds("Unit price", "50.00")
	if s.key() == keyIn(first) {
		t.Error("the copy has the key of the original")
	}
	number := s.suggestion()
	s.create()

	s.seesInvoice(number, created(number))
	s.hasNew(2)
	s.attempts("created", "created")
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
