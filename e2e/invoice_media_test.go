package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// In forced colours (Windows' contrast themes) there are no backgrounds and no shadows, and all borders have one colour. Lines must
// show the same differences.
func TestForcedColours(t *testing.T) {
	onlyInChromium(t, "forced colours are emulated there only")
	t.Parallel()
	s := loggedIn(t, inForcedColors)
	s.draftByAPI(s.number(2), nextYear())
	s.open("/invoices")
	s.differ("an invoice's state", ".badge", ".invoices .name", "border-inline-start-style")
	s.open("/customers?archived=1")
	s.differ("the current filter", ".filter a[aria-current]", ".filter a:not([aria-current])", "text-decoration-line")
	s.newInvoice()
	s.differ("the current page", "nav a[aria-current]", "nav a:not([aria-current])", "text-decoration-line")
	s.differ("the main button", "main .primary", "main .button:not(.primary, .quiet)", "background-color")

	s.fillInvoice(s.number(1))
	s.fill(fieldUnitPrice, "many")
	s.create()
	s.sees(saysProblem)
	s.differ("a wrong field", "#line_unit_price-0", "#line_quantity-0", "border-top-width")
	s.differ("a message", ".field .error", ".hint", "font-weight")
	s.check(s.field(fieldQuantity).Focus(), "put the cursor into the quantity")
	s.differ("the focus", "#line_quantity-0", "#line_unit_price-0", "outline-style")

	_, err := s.page.Evaluate(`() => document.querySelector("main .primary").setAttribute("aria-disabled", "true")`)
	s.check(err, "make the main button busy")
	s.differ("a busy button", "main .primary", "main .button:not(.primary, .quiet)", "color")

	s.newInvoice()
	s.isOffered(saysUnsavedInvoice)
	s.isOutlined("an offer", ".kept .notice")
	s.fillInvoice(s.number(1))
	s.offline(true)
	s.click(buttonCreateInvoice)
	s.isTold(saysOfflineAndKept)
	s.isOutlined("what is said beside the form", ".submit-panel")
	s.click(buttonDoNotSend)
	s.offline(false)
}

// isOutlined checks that an element has a border, since it has neither background nor shadow.
func (s *session) isOutlined(what, selector string) {
	s.t.Helper()
	style, width := s.style(selector, "border-top-style"), s.style(selector, "border-top-width")
	assert.Thatf(s.t, style != "none" && width != "0px", "%s looks like the page around: its border is %v, %v", what, style, width)
}

// differ checks that two elements look different.
func (s *session) differ(what, one, other, property string) {
	s.t.Helper()
	a, b := s.style(one, property), s.style(other, property)
	assert.Thatf(s.t, a != b, "%s cannot be seen: %s of %s and %s is %s", what, property, one, other, a)
}

// style returns a computed style of the first element that matches a selector.
func (s *session) style(selector, property string) any {
	s.t.Helper()
	value, err := s.page.Locator(selector).First().Evaluate("(element, property) => getComputedStyle(element)[property]", property)
	s.check(err, "look at "+selector)
	return value
}

// A draft on paper must not be mistaken for an invoice, on any of its pages: fixed elements are printed on each.
func TestPaper(t *testing.T) {
	onlyInChromium(t, "paper is emulated there only")
	t.Parallel()
	s := atFilledForm(t)
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.check(expect.Locator(s.page.Locator(".stamp")).ToBeHidden(), "have no stamp on the screen")

	s.check(s.page.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}), "print")
	s.takePicture("on paper")
	stamp := s.page.Locator(".stamp")
	s.check(expect.Locator(stamp).ToBeVisible(), "see the stamp")
	s.check(expect.Locator(stamp).ToHaveText("Draft"), "read the stamp")
	position := s.style(".stamp", "position")
	assert.Thatf(t, position == "fixed", "the stamp is %v, and so on one page only", position)
	s.check(expect.Locator(s.page.Locator("h1")).ToContainText("Draft"), "read it in the heading")
	for _, other := range []string{".site", ".flash", ".history", ".submit-panel", ".skip"} {
		s.check(expect.Locator(s.page.Locator(other)).ToBeHidden(), "not print "+other)
	}
	buttons, err := s.page.Locator(".button:visible").Count()
	s.check(err, "count the buttons")
	assert.Thatf(t, buttons == 0, "%d buttons are printed", buttons)
}
