package e2e

import "testing"

// A duplicated tab has the key of the original in its address: it is the same
// intent. A new form in a new tab is another one.

func TestTwoTabsOfOneFormFilledInDifferently(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	other := s.tab(form)
	s.fillInvoice("2026-7001")
	other.fillInvoice("2026-7002")

	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))
	other.create()
	other.sees("This form already created 2026-7001. " + changesNotSaved)
	other.holds("Number", "2026-7002")
	s.hasOneNew("2026-7001")

	other.click("Create as a new invoice")
	other.seesInvoice("2026-7002", created("2026-7002"))
	s.hasNew(2)
	s.attempts("created", "mismatch", "created")
}

func TestTwoTabsWithTwoKeysAndOneNumber(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	other := s.tab("/invoices/new")
	s.fillInvoice("2026-7001")
	other.fillInvoice("2026-7001")
	other.fill("Customer email", "grace@example.test")
	form := other.page.URL()

	// One after the other: which of two keys wins a race is open. internal/web races them.
	s.pointAt("Create invoice")
	s.tap(1)
	s.seesInvoice("2026-7001", created("2026-7001"))
	other.pointAt("Create invoice")
	other.tap(1)
	other.sees("Invoice number 2026-7001 already exists. " + keptOriginal)
	other.isOnForm(form)
	other.holds("Customer email", "grace@example.test")
	s.hasOneNew("2026-7001")
	s.attempts("created", "conflict")

	other.follow("Open 2026-7001")
	other.seesHeading("Invoice 2026-7001")
}

func TestOpeningASpentForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.open(form)
	s.sees("This form already created 2026-7001.")
	s.follow("Open 2026-7001")
	s.seesHeading("Invoice 2026-7001")
	s.hasOneNew("2026-7001")
}
