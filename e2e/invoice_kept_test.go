package e2e

import (
	"fmt"
	"slices"

	"github.com/playwright-community/playwright-go"
)

// The unsaved forms that a browser keeps.

// kept returns the kept forms as text.
func (s *session) kept() (forms []string) {
	s.t.Helper()
	found, err := s.page.Evaluate(`() => Object.keys(localStorage).filter((name) => /^onlyonce\S* form /.test(name))
		.map((name) => localStorage.getItem(name))`)
	s.check(err, "look into the browser's storage")
	for _, form := range found.([]any) {
		forms = append(forms, form.(string))
	}
	slices.Sort(forms)
	return forms
}

// keeps waits until the browser keeps a number of forms.
func (s *session) keeps(want int) {
	s.t.Helper()
	s.until(fmt.Sprintf("the browser keeps %d forms", want), func() bool { return len(s.kept()) == want })
}

// isOffered checks that a form offers earlier input.
func (s *session) isOffered(text string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("[data-kept-for]")).ToContainText(text), "be offered: "+text)
}

func (s *session) isOfferedNothing() {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("[data-kept-for] .notice")).ToHaveCount(0), "be offered nothing")
}

// closeTab closes the tab, and opens an empty one.
func (s *session) closeTab() {
	s.t.Helper()
	s.check(s.page.Close(), "close the tab")
	s.newTab()
}

// crash makes the tab crash, and opens an empty one.
func (s *session) crash() {
	s.t.Helper()
	onlyInChromium(s.t, "its debugger makes the tab crash")
	_, err := s.page.ExpectEvent("crash", func() error {
		go func() { _ = s.command("Page.crash") }() // the crashed page does not answer
		return nil
	})
	s.check(err, "crash the tab")
	s.newTab()
}

func (s *session) newTab() {
	s.t.Helper()
	page, err := s.newPage()
	s.check(err, "open a tab")
	s.page = page
}

func (s *session) storage(script string, args ...any) {
	s.t.Helper()
	_, err := s.page.Evaluate(script, args...)
	s.check(err, "change the browser's storage")
}

// fillTwoLines types an invoice with a line of 123.00 and a line of 12.30.
func (s *session) fillTwoLines() {
	s.t.Helper()
	s.fillInvoice(s.number(1))
	s.fill(fieldNotes, "Thank you.\nAda")
	s.click(buttonAddALine)
	s.fillLine(2, "Hosting", "1", "10.00", "23")
	s.total("135.30")
}

// holdsTwoLines checks that the form has the content of fillTwoLines.
func (s *session) holdsTwoLines() {
	s.t.Helper()
	s.holds(fieldCustomerEmail, s.email("ada"))
	s.holds(fieldCustomerName, s.named("Ada Byron"))
	s.holds(fieldNumber, s.number(1))
	s.holds(fieldNotes, "Thank you.\nAda")
	for i, description := range []string{"Design of " + s.number(1), "Hosting"} {
		s.check(expect.Locator(s.line(i+1).GetByLabel("Description")).ToHaveValue(description), "have the line "+description)
	}
	s.check(expect.Locator(s.line(3)).ToBeHidden(), "have two lines")
	s.total("135.30")
}

// seesTwoLines checks that the page shows the invoice, which exists once.
func (s *session) seesTwoLines() {
	s.t.Helper()
	s.seesHeading(headingInvoice(s.number(1)))
	s.sees(created(s.number(1)))
	s.sees("135.30")
	s.hasOneNew(s.number(1))
	s.keeps(0)
}

// playwrightScript returns a script that runs in each page before the page's own.
func playwrightScript(content string) playwright.Script { return playwright.Script{Content: &content} }
