package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/must"
)

// tab opens another tab of the same person at an address.
func (s *session) tab(address string) *session {
	s.t.Helper()
	page, err := s.newPage()
	s.check(err, "open a tab")
	other := *s
	other.page, other.who = page, "in another tab"
	other.open(address)
	return &other
}

// newPage opens a page. Firefox may fail to while other windows open.
func (s *session) newPage() (page playwright.Page, err error) {
	for end := time.Now().Add(patience); ; {
		if page, err = s.browser.NewPage(); err == nil || inChromium() || time.Now().After(end) {
			return page, err
		}
	}
}

// open goes to a path of the app, or to a complete URL. Firefox may report the page under another navigation than the one that began.
func (s *session) open(address string) {
	s.t.Helper()
	s.tellf(byPerson, "opens %s", s.short(address))
	url := s.origin + strings.TrimPrefix(address, s.origin)
	_, err := s.page.Goto(url)
	if err != nil && !inChromium() && strings.Contains(err.Error(), "is interrupted by another navigation to \""+url+"\"") {
		err = s.page.WaitForLoadState()
	}
	s.check(err, "open "+address)
}

// reopen opens the page again, without its message.
func (s *session) reopen() {
	s.t.Helper()
	s.open(s.page.URL())
}

func (s *session) fill(label, text string) {
	s.t.Helper()
	if slices.Contains([]string{fieldPassword, fieldNewPassword, fieldCurrentPassword, fieldSigningSecret}, label) {
		s.tellf(byPerson, "types a secret")
	} else {
		s.tellf(byPerson, "types %q into %s", text, label)
	}
	s.check(s.field(label).Fill(text), "fill "+label)
}

// choose chooses an option of a select by its place, from 0 for none, or a record from the list of a search field.
func (s *session) choose(label string, place int) {
	s.t.Helper()
	field := s.field(label)
	if role, err := field.GetAttribute("role"); err == nil && role == "combobox" {
		s.check(field.Press("ArrowDown"), "open the list of "+label)
		none := playwright.LocatorFilterOptions{HasNotText: regexp.MustCompile("^None$")}
		records := s.page.GetByRole("listbox").GetByRole("option").Filter(none)
		s.check(records.Nth(place-1).Click(), "choose "+label)
		return
	}
	_, err := field.SelectOption(playwright.SelectOptionValues{Indexes: &[]int{place}})
	s.check(err, "choose "+label)
}

func (s *session) field(label string) playwright.Locator {
	return s.page.GetByLabel(label, playwright.PageGetByLabelOptions{Exact: new(true)})
}

// holds checks the value of a field: no input may be lost.
func (s *session) holds(label, want string) {
	s.t.Helper()
	s.check(expect.Locator(s.field(label)).ToHaveValue(want), label+" keeps what was typed")
}

// button returns a visible button, not the form's hidden default button. If name ends in "…", it is a prefix.
func (s *session) button(name string) playwright.Locator {
	if beginning, open := strings.CutSuffix(name, "…"); open {
		return s.page.GetByRole("button", playwright.PageGetByRoleOptions{Name: regexp.MustCompile("^" + beginning)})
	}
	return s.page.GetByRole("button", playwright.PageGetByRoleOptions{Name: name, Exact: new(true)})
}

// click presses a button and waits for the page that it leads to.
func (s *session) click(button string) {
	s.t.Helper()
	s.tellf(byPerson, "clicks %s", button)
	s.check(s.button(button).Click(), "click "+button)
}

// issue issues the invoice on the page, and emails it to the customer.
func (s *session) issue() {
	s.t.Helper()
	s.follow(linkIssueInvoice)
	s.click(buttonIssueAndEmail)
}

// void voids the invoice on the page, without an email.
func (s *session) void() {
	s.t.Helper()
	s.follow(linkVoid)
	s.click(buttonVoidInvoice)
}

func (s *session) link(name string) playwright.Locator {
	return s.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: name, Exact: new(true)}).First()
}

// follow clicks a link and waits for the page that it leads to.
func (s *session) follow(link string) {
	s.t.Helper()
	s.tellf(byPerson, "follows %s", link)
	s.reveal(link)
	s.check(s.link(link).Click(), "follow "+link)
}

// reveal opens the menu that contains a link, if the link is in one.
func (s *session) reveal(link string) {
	s.t.Helper()
	if seen, _ := s.link(link).IsVisible(); seen { // most are visible, and waiting for either is as slow as the click
		return
	}
	menu := s.page.Locator("details.menu:not([open])").Filter(playwright.LocatorFilterOptions{HasText: link}).Locator("summary")
	s.check(s.link(link).Or(menu).First().WaitFor(), "find "+link)
	if seen, _ := s.link(link).IsVisible(); seen {
		return
	}
	s.check(menu.Click(), "open the menu with "+link)
}

// pointAt moves the mouse over a button. While the browser waits for an answer the page cannot be inspected, but the mouse keeps
// its position.
func (s *session) pointAt(button string) {
	s.t.Helper()
	s.pointAtElement(s.button(button), button)
}

func (s *session) pointAtElement(element playwright.Locator, name string) {
	s.t.Helper()
	s.check(element.ScrollIntoViewIfNeeded(), "scroll to "+name)
	box, err := element.BoundingBox()
	s.check(err, "find "+name)
	s.x, s.y = box.X+box.Width/2, box.Y+box.Height/2
	s.tellf(byPerson, "points at %s", name)
}

// tap presses the mouse a number of times at its position, without waiting, like an impatient hand.
func (s *session) tap(times int) {
	s.t.Helper()
	for range times {
		s.tellf(byPerson, "presses the mouse")
		s.check(s.page.Mouse().Click(s.x, s.y), "press the mouse")
	}
}

// touch is tap with a finger.
func (s *session) touch(times int) {
	s.t.Helper()
	for range times {
		s.tellf(byPerson, "taps with a finger")
		s.check(s.page.Touchscreen().Tap(int(s.x), int(s.y)), "touch the screen")
	}
}

// press presses keys without waiting.
func (s *session) press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.tellf(byPerson, "presses %s", key)
		s.check(s.page.Keyboard().Press(key), "press "+key)
	}
}

// tabTo presses Tab until the element has the focus. It fails if the element is not reachable.
func (s *session) tabTo(target playwright.Locator) {
	s.t.Helper()
	for range 40 {
		s.press("Tab")
		focused, err := target.Evaluate(isActive, nil)
		s.check(err, "look for the focus")
		if focused == true {
			return
		}
	}
	s.t.Fatalf("no Tab leads to %v", target)
}

// isFocused checks that an element has the focus of its page. The window of the page need not have it, see withFocus.
func (s *session) isFocused(target playwright.Locator) {
	s.t.Helper()
	s.until("the focus is where it belongs", func() bool {
		focused, err := target.Evaluate(isActive, nil) // on an error, another page has just loaded
		return err == nil && focused == true
	})
}

const isActive = "element => element === document.activeElement"

func (s *session) typeText(text string) {
	s.t.Helper()
	s.check(s.page.Keyboard().Type(text), "type "+text)
}

// isLoggedIn checks that the page is one for logged-in people.
func (s *session) isLoggedIn() {
	s.t.Helper()
	s.check(expect.Locator(s.button(buttonLogOut)).ToBeAttached(), "be logged in")
}

// loginAs logs in on the current page.
func (s *session) loginAs(email string) {
	s.t.Helper()
	must.Thatf(s.t, deployed() == nil, "only the demo has its people, and the shared login would end: begin the test with onlyHere")
	s.fill(fieldEmail, email)
	s.fill(fieldPassword, demoPassword)
	s.check(s.page.Locator("form.card.stack").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Log in"}).Click(), "log in")
	s.isLoggedIn()
}

// clickSlowlyTwice presses a button, waits for the page that confirms it, and presses the mouse again at the same position. No
// element there may change anything. A link is allowed, since the linked page changes nothing.
func (s *session) clickSlowlyTwice(button, done string) {
	s.t.Helper()
	s.pointAt(button)
	s.tap(1)
	s.sees(done)
	under, err := s.page.Evaluate(`([x, y]) =>
		document.elementFromPoint(x, y)?.closest("a, button, summary, select, input")?.outerHTML ?? ""`,
		[]float64{s.x, s.y})
	s.check(err, "look under the mouse")
	switch said := fmt.Sprint(under); {
	case strings.HasPrefix(said, "<a "):
		return
	case said != "":
		s.t.Errorf("the second click on %s would press %s", button, said)
	}
	s.tap(4)
	s.sees(done)
}
