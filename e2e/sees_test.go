package e2e

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// expect retries until it holds, because a page may still be loading.
var expect = playwright.NewPlaywrightAssertions(float64(patience.Milliseconds()))

// sees checks that the page contains a text. The text is in a list because for a single text Playwright describes the whole page at
// each try, for a message that is only printed at the end.
func (s *session) sees(text string) {
	s.t.Helper()
	if inWebKit() {
		s.until("see: "+text, func() bool {
			found, err := s.page.Evaluate("() => document.querySelector('main').textContent.replace(/\\s+/g, ' ')")
			return err == nil && strings.Contains(fmt.Sprint(found), text)
		})
		return
	}
	s.check(expect.Locator(s.page.Locator("main")).ToContainText([]string{text}), "see: "+text)
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

// isOnForm checks that the page is a form with the same key as the address.
func (s *session) isOnForm(address string) {
	s.t.Helper()
	field := s.page.Locator("input[name=idempotency_key]")
	_, key, _ := strings.Cut(address, "key=")
	s.check(expect.Locator(field).ToHaveValue(key), "keep the key of the form")
}

func (s *session) isTitled(want string) {
	s.t.Helper()
	title, err := s.page.Title()
	s.check(err, "read the title")
	assert.Thatf(s.t, strings.HasPrefix(title, want), "the page is titled %q, want %q", title, want)
}

// isWrong checks that a field is marked as wrong, with an error message.
func (s *session) isWrong(label string) {
	s.t.Helper()
	s.check(expect.Locator(s.field(label)).ToHaveAttribute("aria-invalid", "true"), label+" is marked")
	s.check(expect.Locator(s.field(label)).ToHaveAccessibleDescription(regexp.MustCompile("^Error: .+")), label+" has its message")
}

// total checks the total that the form shows.
func (s *session) total(want string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("[data-total=total]")).ToHaveText(want), "see the total "+want)
}
