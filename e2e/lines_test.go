package e2e

import "testing"

// Lines are added and removed in the page or, without JavaScript, by the server.
// Either way the form stays the same form, and nothing is saved by it.

func TestAddAndRemoveLines(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.newInvoice()
			form := s.page.URL()
			s.fillInvoice("2026-7001")
			s.fillLine(1, "A line too many", "1", "999.00", "7")

			s.click("Add a line")
			s.check(expect.Locator(s.line(2).GetByLabel("Description")).ToBeFocused(), "start in the new line")
			s.check(expect.Locator(s.line(2).GetByLabel("Quantity")).ToHaveValue("1"), "start with one")
			s.check(expect.Locator(s.line(2).GetByLabel("Tax %")).ToHaveValue("7"), "take the rate of the line above")
			s.fillLine(2, "Design", "2", "50.00", "23")
			s.holds("Number", "2026-7001")
			s.click("Remove line 1")
			s.check(expect.Locator(s.line(2)).ToBeHidden(), "see one line only")
			s.check(expect.Locator(s.line(1).GetByLabel("Description")).ToHaveValue("Design"), "keep the other line")
			s.isOnForm(form)
			s.hasNew(0)
			s.attempts()

			s.create()
			s.seesInvoice("2026-7001", created("2026-7001"))
			s.seesNot("A line too many")
			s.hasOneNew("2026-7001")
			s.attempts("created")
		})
	}
}

func TestTotalsFollowTheLines(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.total("–")
	s.check(expect.Locator(s.field("Tax %")).ToHaveValue("23"), "take the rate of the settings")
	s.fillLine(1, "Third of a cent, away from zero", "0.1", "0.05", "0")
	s.total("0.01")
	s.click("Add a line")
	s.total("0.01") // a blank line does not count
	s.fillLine(2, "Design", "2", "50.00", "23")
	s.total("123.01")
	s.click("Remove line 1")
	s.total("123.00")
	s.check(s.field("Unit price").Fill("no number"), "type no number")
	s.total("–")
}

// Enter in a field means Create, not the first button on the page.
func TestEnterInALineCreates(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.newInvoice()
			s.fillInvoice("2026-7001")
			s.check(s.field("Unit price").Focus(), "put the cursor into the price")
			s.press("Enter")
			s.seesInvoice("2026-7001", created("2026-7001"))
			s.hasOneNew("2026-7001")
		})
	}
}
