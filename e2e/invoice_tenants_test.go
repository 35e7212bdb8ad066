package e2e

import "testing"

// A form belongs to the business that it was opened for, no matter who is logged in when it is sent.

// TestFormOfAnotherTenantGoesBackToIt fills in a form as Acme, logs in as Globex in another tab, and sends it. Then it logs in as Acme
// again.
func TestFormOfAnotherTenantGoesBackToIt(t *testing.T) {
	onlyHere(t, "it needs a login of a second business")
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.fill(fieldNotes, "Thank you.")

	other := s.tab("/invoices")
	other.click(buttonLogOut)
	other.loginAs(demoOtherEmail)

	s.create()
	s.sees(headingOtherBusiness + " " + saysNothingWasSaved)
	s.isTitled("Error: New invoice")
	s.isOnForm(form)
	s.holds(fieldNumber, s.number(1))
	s.holds(fieldCustomerEmail, s.email("ada"))
	s.holds(fieldNotes, "Thank you.")
	s.hasNew(0)
	s.moment()

	page, err := s.browser.ExpectPage(func() error { return s.link(linkLogInAsFirst).Click() })
	s.check(err, "open the login in a new tab")
	again := *s
	again.page = page
	again.loginAs(demoEmail)

	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.hasOneNew(s.number(1))
	s.counts(1, `
		SELECT count(*) FROM invoices JOIN tenants t ON t.id = tenant_id WHERE number = $1 AND t.name = 'Acme Studio'`, s.number(1))
	s.attempts("rejected", "created")
}
