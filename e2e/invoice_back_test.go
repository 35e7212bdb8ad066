package e2e

import (
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// Back after a success shows the form as it was left, from the browser's back/forward cache: filled in, and locked unless the page
// unlocks itself. Without that cache the form comes from the HTTP cache, as it was before any input. In both cases it shows that it
// has been used.

// A refused form is shown again with its input. If it already shows that it was used, it does not show it twice.
func TestBackToARefusedForm(t *testing.T) {
	onlyInChromium(t, "Back to an answer that isn't cached shows the browser's error page")
	t.Parallel()
	s := atFilledForm(t)
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.back()
	s.saysUsed(s.number(1))
	s.isAccessibleNow("a form that was used, on Back")
	s.fillInvoice(s.number(2))
	s.create()
	s.sees(alreadyCreated(s.number(1)) + " " + changesNotSaved)
	s.isAccessibleNow("another wish with the same form")
	s.follow(linkCustomers)
	s.seesHeading(headingCustomers)

	checked := s.awaitCheck()
	s.back()
	checked()
	s.holds(fieldNumber, s.number(2))
	s.check(expect.Locator(s.page.Locator(".notice")).ToHaveCount(1), "be told once")
	s.moment()

	s.click(buttonCreateAsANewInvoice)
	s.seesInvoice(s.number(2), created(s.number(2)))
}

// An unused form stays unchanged.
func TestBackToAnUnusedForm(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t, keepingPages)
	s.follow(linkCustomers)
	s.seesHeading(headingCustomers)

	checked := s.awaitCheck()
	s.back()
	checked()
	s.holds(fieldNumber, s.number(1))
	s.holds(fieldCustomerName, s.named("Ada Byron"))
	s.check(expect.Locator(s.page.Locator(".notice")).ToHaveCount(0), "see no notice")
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
}

// saysUsed checks that the form on the page shows the record that it created.
func (s *session) saysUsed(name string) {
	s.t.Helper()
	notice := s.page.GetByRole("alert")
	s.check(expect.Locator(notice).ToContainText("This form already created "+name+"."), "see that the form is used")
	s.isFocused(notice)
}

// awaitCheck prepares to wait until the page has asked the server about its form.
func (s *session) awaitCheck() (wait func()) {
	checked := make(chan struct{}, 1)
	s.page.OnRequestFinished(func(r playwright.Request) {
		if r.ResourceType() == "fetch" {
			select {
			case checked <- struct{}{}:
			default:
			}
		}
	})
	return func() {
		s.t.Helper()
		select {
		case <-checked:
		case <-time.After(patience):
			s.t.Fatal("the page does not ask the server about its form")
		}
	}
}
