package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// A person types an invoice for so long that their login has expired when they send it. They log in, and go on.

func TestLoginIsOverWhenAFormIsSent(t *testing.T) {
	onlyHere(t, "it ends all logins in the database")
	t.Parallel()
	s := atForm(t)
	form := s.page.URL()
	s.fillTwoLines()
	s.endSessions()
	s.create()

	s.seesHeading(headingLogIn)
	s.sees("What you typed is kept.")
	s.fill(fieldEmail, s.person().email)
	s.fill(fieldPassword, s.person().password)
	s.press("Enter")
	s.seesHeading(headingNewInvoice)
	s.isOnForm(form)
	s.click(buttonRestore)
	s.holdsTwoLines()
	s.create()
	s.seesTwoLines()
	s.attempts("created")
}

// Not all fields are kept, because the storage is full. The page that has all fields stays, as without JavaScript.
func TestLoginIsOverAndTheFormIsNotKept(t *testing.T) {
	onlyHere(t, "it ends all logins in the database")
	t.Parallel()
	inEach(t, withAndWithoutJavaScript, func(v variant) {
		s := atFilledForm(v.T, v.in)
		if v.name == "with JavaScript" {
			s.storage(`() => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") } }`)
		}
		s.fill(fieldNotes, "Thank you.")
		s.endSessions()
		s.create()
		s.seesHeading(headingLoggedOut)
		s.sees("What you typed is kept.")
		s.sees("Thank you.")

		page, err := s.browser.ExpectPage(func() error {
			return s.page.Locator("main").GetByRole("link", playwright.LocatorGetByRoleOptions{Name: "Log in"}).Click()
		})
		s.check(err, "open the login in a new tab")
		again := *s
		again.page = page
		again.loginAs(s.person().email)
		s.click(buttonTryAgain)
		s.isDoneOnce(created(s.number(1)), "created")
		s.sees("Thank you.")
	})
}

// endSessions ends every login, like its expiry.
func (s *session) endSessions() {
	s.t.Helper()
	_, err := s.db.Exec(s.t.Context(), `DELETE FROM sessions`)
	s.check(err, "end the sessions")
}
