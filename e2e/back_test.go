package e2e

import (
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// Back after a success brings the form back as it was left, from the browser's
// back/forward cache: filled in, and locked unless the page unlocks itself.
// Without that cache it comes from the HTTP cache, as it was before anybody
// typed. Either way it says that it has been used.

func TestBackAfterSuccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.leaveMark()
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.hasMark()
	s.isOnForm(form)
	s.holds("Number", "2026-7001")
	s.saysUsed("2026-7001")
	s.create()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}

func TestBackAfterSuccessWithoutPageCache(t *testing.T) {
	t.Parallel()
	s := startIn(t, withoutPageCache)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.leaveMark()
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.hasNoMark()
	s.saysUsed("2026-7001")
	s.follow("Open 2026-7001")
	s.seesHeading("Invoice 2026-7001")
	s.hasOneNew("2026-7001")
	s.attempts("created")
}

func TestBackToACustomerForm(t *testing.T) {
	t.Parallel()
	for name, launch := range map[string]func() (playwright.Browser, error){"page cache": chromium, "no page cache": withoutPageCache} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, launch)
			s.login()
			s.open("/customers/new")
			s.fill("Email", "ada@example.test")
			s.fill("Name", "Ada Byron")
			s.click("Create customer")
			s.seesHeading("Ada Byron")

			s.back()
			s.saysUsed("Ada Byron")
			s.follow("Open Ada Byron")
			s.seesHeading("Ada Byron")
		})
	}
}

// A refused form comes back with what was typed. If it says that it is used, it
// does not say it twice.
func TestBackToARefusedForm(t *testing.T) {
	t.Parallel()
	s := startIn(t, withoutPageCache)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))
	s.back()
	s.saysUsed("2026-7001")
	s.fillInvoice("2026-7002")
	s.create()
	s.sees("This form already created 2026-7001. " + changesNotSaved)
	s.follow("API")
	s.seesHeading("API")

	checked := s.awaitCheck()
	s.back()
	checked()
	s.holds("Number", "2026-7002")
	s.check(expect.Locator(s.page.Locator(".notice")).ToHaveCount(1), "be told once")

	s.click("Create as a new invoice")
	s.seesInvoice("2026-7002", created("2026-7002"))
}

// A form that was not used yet is left alone.
func TestBackToAnUnusedForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.follow("Customers")
	s.seesHeading("Customers")

	checked := s.awaitCheck()
	s.back()
	checked()
	s.holds("Number", "2026-7001")
	s.holds("Customer name", "Ada Byron")
	s.check(expect.Locator(s.page.Locator(".notice")).ToHaveCount(0), "see no notice")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))
}

// saysUsed holds that the form on the page says what it has created.
func (s *session) saysUsed(name string) {
	s.t.Helper()
	notice := s.page.GetByRole("alert")
	s.check(expect.Locator(notice).ToContainText("This form already created "+name+"."), "see that the form is used")
	s.check(expect.Locator(notice).ToBeFocused(), "find the focus on it")
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

func TestBackAfterSuccessThenOtherText(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.fill("Notes", "Thank you.")
	s.create()

	s.sees("This form already created 2026-7001. " + changesNotSaved)
	s.holds("Notes", "Thank you.")
	s.hasOneNew("2026-7001")
	s.attempts("created", "mismatch")
}

// Nothing tells then, until the form is sent again: safe and clear all the same.
func TestBackAndCreateAgainWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := startIn(t, withoutPageCache, withoutJavaScript)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.isOnForm(form)
	s.fillInvoice("2026-7001")
	s.fill("Description", "Something else")
	s.create()
	s.sees("This form already created 2026-7001. " + changesNotSaved)
	s.holds("Description", "Something else")
	s.hasOneNew("2026-7001")
	s.attempts("created", "mismatch")
}

func TestBackAfterSuccessWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))

	s.back()
	s.refresh()
	s.sees("This form already created 2026-7001.")
	s.hasOneNew("2026-7001")
	s.attempts("created")
}
