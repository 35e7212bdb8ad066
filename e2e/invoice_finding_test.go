package e2e

import (
	"fmt"
	"regexp"
	"testing"
)

// Searching without a mouse: / to search, a filter, the pages, and Back keeps the place. The keys do nothing while the user types.
func TestFindingByKeyboard(t *testing.T) {
	withFocus(t)
	s := loggedIn(t, keepingPages)
	for i := range 30 {
		number := s.number(100 + i)
		s.post("/invoices", number, map[string]any{
			"number":     number,
			"customer":   map[string]string{"email": s.email("ada"), "name": s.named("Ada Byron")},
			"currency":   "EUR",
			"issue_date": "2026-11-21", "due_date": "2026-12-21",
			"lines": []map[string]string{
				{"description": s.named("Findable thing"), "quantity": "1", "unit_price": "10.00", "tax_rate": "0"},
			},
		})
	}
	s.open("/invoices")
	s.press("?")
	s.check(expect.Locator(s.page.GetByRole("dialog")).ToBeVisible(), "see the help")
	s.press("n") // no effect below a dialog
	s.press("Escape")
	s.check(expect.Locator(s.page.GetByRole("dialog")).ToBeHidden(), "close the help")

	s.press("/")
	s.isFocused(s.field(fieldSearchInvoices))
	s.typeText("find n/a?")
	s.holds(fieldSearchInvoices, "find n/a?")
	s.press("Control+a")
	s.typeText(s.mark + " find thing")
	s.press("Enter")
	s.check(expect.Page(s.page).ToHaveURL(regexp.MustCompile(`\?q=`)), "have the search in the address")
	s.lists(25)
	s.tabTo(s.link(linkDraft))
	s.press("Enter")
	s.lists(25)
	s.check(expect.Page(s.page).ToHaveURL(regexp.MustCompile(`status=draft`)), "have the filter in the address")
	s.holds(fieldSearchInvoices, s.mark+" find thing")
	s.follow(linkNext)
	s.lists(5)
	place := s.page.URL()
	s.check(s.page.Locator("tbody a").First().Click(), "open the first one")
	s.seesHeading(s.mark)
	s.back()
	s.check(expect.Page(s.page).ToHaveURL(place), "be back at the place")
	s.lists(5)
	s.follow(linkPrevious)
	s.lists(25)

	s.fill(fieldSearchInvoices, "nothing like it")
	s.click(buttonSearch)
	s.sees(saysNoInvoicesFound)
	s.sees("“nothing like it”, draft")
	s.follow(linkShowAllInvoices)
	s.seesNot(saysNoInvoicesFound)
	s.check(s.page.WaitForLoadState(), "have the keys of the page")
	s.press("n")
	s.seesHeading(headingNewInvoice)
}

// lists checks the number of rows in the list.
func (s *session) lists(rows int) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("table.list tbody tr")).ToHaveCount(rows), fmt.Sprintf("see %d rows", rows))
}
