package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// A double click in the console of the API and a click after the answer start one event feed. Another content starts another one.
func TestConsole(t *testing.T) {
	onlyHere(t, "it starts event feeds, which stay")
	t.Parallel()
	s := start(t)
	s.open("/docs/api/console")
	s.check(s.page.GetByText("event-feeds", playwright.PageGetByTextOptions{Exact: new(true)}).Click(), "open the feeds")
	s.check(s.page.Locator(".opblock-post .opblock-summary-control").Click(), "open the request")
	s.click("Authorize")
	s.check(s.page.Locator(".auth-container input").Fill(s.token), "enter the token")
	s.check(s.page.Locator(".modal-btn.authorize").Click(), "authorize")
	s.check(s.page.Locator(".btn-done").Click(), "close the dialog")
	s.click("Try it out")
	execute, answer := s.button("Execute"), s.page.Locator(".live-responses-table")
	feeds := func(want int) {
		t.Helper()
		s.counts(want, `SELECT count(*) FROM event_feeds WHERE name LIKE $1 || '%'`, s.mark)
	}
	s.check(s.page.Locator(".body-param__text").Fill(`{"name": "`+s.named("Shop")+`"}`), "enter the name")
	s.check(execute.Dblclick(), "click twice")
	s.check(expect.Locator(answer).ToContainText("201"), "see the answer")
	s.check(execute.Click(), "click again")
	s.check(expect.Locator(answer).ToContainText("idempotent-replayed: true"), "see the answer again")
	feeds(1)
	s.check(s.page.Locator(".body-param__text").Fill(`{"name": "`+s.named("Warehouse")+`"}`), "enter another name")
	s.check(execute.Click(), "click")
	s.check(expect.Locator(answer).ToContainText(s.named("Warehouse")), "see another answer")
	feeds(2)
	s.seesProblems("the console", script("outside_the_page"), nil)
}
