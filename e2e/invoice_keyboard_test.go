package e2e

import "testing"

// From the first page to the invoice without a mouse.
func TestKeyboardOnly(t *testing.T) {
	withFocus(t)
	s := start(t)
	s.open("/")
	s.tabTo(s.field(fieldEmail)) // the demo's logins come first
	s.typeText(s.person().email)
	s.tabTo(s.field(fieldPassword))
	s.typeText(s.person().password)
	s.press("Enter")
	s.seesHeading(headingHome)

	s.press("Tab")
	s.isFocused(s.link(linkSkipToContent))
	s.press("Enter")
	s.tabTo(s.link(linkNewInvoice))
	s.press("Enter")
	s.seesHeading(headingNewInvoice)

	s.tabTo(s.field(fieldCustomerEmail))
	s.typeText(s.email("ada"))
	s.press("Tab")
	s.typeText(s.named("Ada Byron"))
	s.tabTo(s.field(fieldNumber))
	s.typeText(s.number(1))
	s.tabTo(s.line(1).GetByLabel(fieldDescription))
	s.typeText("Design")
	s.press("Tab")
	s.typeText("1")
	s.press("Tab")
	s.typeText("50.00")
	s.press("Tab")
	s.typeText("23")
	s.press("Enter")
	s.isFocused(s.line(2).GetByLabel(fieldDescription))
	s.typeText("More design")
	s.press("Tab")
	s.typeText("1")
	s.press("Tab")
	s.typeText("50.00")
	s.press("Tab")
	s.typeText("23")
	s.tabTo(s.button(buttonCreateInvoice))
	s.press("Enter")

	s.isDoneOnce(created(s.number(1)), "created")
}
