package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// A form stays with the business that it was opened for, whoever is logged in when
// it is sent.

// otherTenant fills in a form as Acme, logs in as Globex in another tab, and sends it.
func otherTenant(t *testing.T, javaScript option) *session {
	t.Helper()
	s := start(t, javaScript)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.fill("Notes", "Thank you.")

	other := s.tab("/invoices")
	other.click("Log out")
	other.loginAs("globex@onlyonce.test")

	s.create()
	s.sees("This form belongs to Acme Studio, and you are now logged in as Globex Works. Nothing was saved.")
	s.isTitled("Error: New invoice")
	s.isOnForm(form)
	s.holds("Number", "2026-7001")
	s.holds("Customer email", "ada@example.test")
	s.holds("Notes", "Thank you.")
	s.hasNew(0)
	return s
}

func TestFormOfAnotherTenantGoesBackToIt(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := otherTenant(t, javaScript)
			page, err := s.browser.ExpectPage(func() error { return s.link("Log in as Acme Studio").Click() })
			s.check(err, "open the login in a new tab")
			again := *s
			again.page = page
			again.loginAs("acme@onlyonce.test")

			s.create()
			s.seesInvoice("2026-7001", created("2026-7001"))
			s.hasOneNew("2026-7001")
			s.belongsTo("2026-7001", "Acme Studio")
			s.attempts("rejected", "created")
		})
	}
}

func TestFormOfAnotherTenantIsUsedDeliberately(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := otherTenant(t, javaScript)
			s.pointAt("Create it for Globex Works")
			s.tap(2)
			s.seesHeading("Invoice 2026-7001")
			s.hasOneNew("2026-7001")
			s.belongsTo("2026-7001", "Globex Works")
		})
	}
}

// loginAs logs in on the page that is there.
func (s *session) loginAs(email string) {
	s.t.Helper()
	s.fill("Email", email)
	s.fill("Password", "only-once-demo")
	s.check(s.page.Locator("form.card.stack").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Log in"}).Click(), "log in")
	s.seesHeading("Invoices")
}

// belongsTo holds whose an invoice is.
func (s *session) belongsTo(number, tenant string) {
	s.t.Helper()
	n := s.count(`SELECT count(*) FROM invoices JOIN tenants t ON t.id = tenant_id WHERE number = $1 AND t.name = $2`, number, tenant)
	if n != 1 {
		s.t.Errorf("%d invoices %s belong to %s", n, number, tenant)
	}
}
