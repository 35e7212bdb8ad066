package e2e

import "testing"

// A duplicated tab has the key of the original in its address: it is the same intent. A new form in a new tab is another intent.

func TestTwoTabsOfOneFormFilledInDifferently(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	other := s.tab(form)
	s.fillInvoice(s.number(1))
	other.fillInvoice(s.number(2))

	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	other.create()
	other.sees(alreadyCreated(s.number(1)) + " " + changesNotSaved)
	other.holds(fieldNumber, s.number(2))
	other.moment()
	s.hasOneNew(s.number(1))

	other.click(buttonCreateAsANewInvoice)
	other.seesInvoice(s.number(2), created(s.number(2)))
	s.hasNew(2)
	s.attempts("created", "mismatch", "created")
}

func TestTwoTabsWithTwoKeysAndOneNumber(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	other := s.tab("/invoices/new")
	s.fillInvoice(s.number(1))
	other.fillInvoice(s.number(1))
	other.fill(fieldCustomerEmail, s.email("grace"))
	form := other.page.URL()

	// One after the other, because a race of two keys may end either way. internal/site tests the race.
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.seesInvoice(s.number(1), created(s.number(1)))
	other.pointAt(buttonCreateInvoice)
	other.tap(1)
	other.sees(numberTaken(s.number(1)) + " " + keptOriginal)
	other.isOnForm(form)
	other.holds(fieldCustomerEmail, s.email("grace"))
	other.moment()
	s.hasOneNew(s.number(1))
	s.attempts("created", "conflict")

	other.follow(linkOpen(s.number(1)))
	other.seesHeading(headingInvoice(s.number(1)))
}
