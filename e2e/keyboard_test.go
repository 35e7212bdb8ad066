package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// From the first page to the invoice without a mouse.
func TestKeyboardOnly(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open("/")
	s.typeText("acme@onlyonce.test") // the cursor is there
	s.tabTo(s.field("Password"))
	s.typeText("only-once-demo")
	s.press("Enter")
	s.seesHeading("Invoices")

	s.press("Tab")
	s.isFocused(s.link("Skip to content"))
	s.press("Enter")
	s.tabTo(s.link("New invoice"))
	s.press("Enter")
	s.seesHeading("New invoice")

	s.tabTo(s.field("Customer email"))
	s.typeText("ada@example.test")
	s.press("Tab")
	s.typeText("Ada Byron")
	s.tabTo(s.field("Number"))
	s.typeText("2026-7001")
	s.tabTo(s.line(1).GetByLabel("Description"))
	s.typeText("Design")
	s.press("Tab")
	s.typeText("1")
	s.press("Tab")
	s.typeText("50.00")
	s.press("Tab")
	s.typeText("23")
	s.press("Enter")
	s.isFocused(s.line(2).GetByLabel("Description"))
	s.typeText("More design")
	s.press("Tab")
	s.typeText("1")
	s.press("Tab")
	s.typeText("50.00")
	s.press("Tab")
	s.typeText("23")
	s.tabTo(s.button("Create invoice"))
	s.press("Enter")

	s.seesInvoice("2026-7001", created("2026-7001"))
	s.hasOneNew("2026-7001")
	s.attempts("created")
}

// tabTo presses Tab until something has the focus: it must be reachable.
func (s *session) tabTo(target playwright.Locator) {
	s.t.Helper()
	for range 40 {
		s.press("Tab")
		focused, err := target.Evaluate("element => element === document.activeElement", nil)
		s.check(err, "look for the focus")
		if focused == true {
			return
		}
	}
	s.t.Fatalf("no Tab leads to %v", target)
}

func (s *session) isFocused(target playwright.Locator) {
	s.t.Helper()
	s.check(expect.Locator(target).ToBeFocused(), "find the focus where it belongs")
}

func (s *session) typeText(text string) {
	s.t.Helper()
	s.check(s.page.Keyboard().Type(text), "type "+text)
}
