package e2e

import (
	"strings"

	"github.com/playwright-community/playwright-go"
)

// expect retries until it holds: a page may still be on its way.
var expect = playwright.NewPlaywrightAssertions(float64(patience.Milliseconds()))

// What the pages say after a create.
const (
	ignoredDuplicate = "Invoice created. We ignored the duplicate submission and kept your first request."
	keptOriginal     = "We kept the original and did not create a second one."
	changesNotSaved  = "Your changes were not saved."
)

func created(number string) string { return "Invoice " + number + " created" }

// sees holds that a text stands on the page.
func (s *session) sees(text string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("main")).ToContainText(text), "see: "+text)
}

func (s *session) seesNot(text string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("main")).Not().ToContainText(text), "no longer see: "+text)
}

func (s *session) seesHeading(text string) {
	s.t.Helper()
	name := playwright.PageGetByRoleOptions{Name: text, Level: new(1)}
	s.check(expect.Locator(s.page.GetByRole("heading", name)).ToBeVisible(), "see the heading: "+text)
}

// seesInvoice holds that the page is that of the invoice, with a message above it.
func (s *session) seesInvoice(number, message string) {
	s.t.Helper()
	s.seesHeading("Invoice " + number)
	s.sees(message)
	s.sees("123.00")
}

// isOnForm holds that the page is a form, still with the key it had at an address.
func (s *session) isOnForm(address string) {
	s.t.Helper()
	_, key, _ := strings.Cut(address, "key=")
	field := s.page.Locator("input[name=idempotency_key]")
	s.check(expect.Locator(field).ToHaveValue(key), "keep the key of the form")
}

// seesSaving holds that the form says it is busy, on the button and to a screen
// reader, and that it says so on the button that was pressed.
func (s *session) seesSaving() {
	s.t.Helper()
	s.check(expect.Locator(s.button("Saving…")).ToHaveAttribute("aria-disabled", "true"), "see the button say Saving…")
	s.check(expect.Locator(s.page.GetByRole("status").Filter(playwright.LocatorFilterOptions{HasText: "Saving…"})).ToBeAttached(), "hear: Saving…")
}
