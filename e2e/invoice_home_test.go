package e2e

import "testing"

// TestHome: after the login people see what is open, what was paid and what needs doing, with the numbers of each chart in a table.
// Lists say what is open. TestAccessibility runs axe on these pages.
func TestHome(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string][]option{"wide": nil, "narrow, without JavaScript": {onPhone, withoutJavaScript}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, circumstances...)
			s.payByAPI(s.page.URL()[len(s.origin):], "23.00", "")
			s.open("/")
			s.seesHeading(headingHome)
			s.sees("Open by age, EUR")
			s.sees("Billed and paid by month, EUR")
			s.check(s.page.GetByText("As a table").First().Click(), "ask for the numbers")
			s.sees("Not due")
			s.takePicture("/home")
			s.open("/invoices?q=" + s.number(1))
			s.check(expect.Locator(s.page.Locator(".invoices tbody tr").First()).ToContainText("100.00 EUR"), "see what is open")
			s.takePicture("/invoices")
			s.follow("Payments")
			s.fill("Search payments", s.number(1))
			s.click("Search")
			s.sees("23.00 EUR")
			s.takePicture("/payments")
			s.follow("Credit notes")
			s.seesHeading("Credit notes")
			s.takePicture("/credit-notes")
			s.follow(linkOutbox)
			s.seesHeading(headingOutbox)
			s.open("/settings")
			s.follow("API")
			s.seesHeading("API")
		})
	}
}
