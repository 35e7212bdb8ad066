package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Existing records are edited, archived and restored. Each change makes one version of the record and one intent, however often it
// is asked for.

// The form is open in two tabs. One is saved, and then the other one is sent.
func TestTwoPeopleEditAndBothAreKept(t *testing.T) {
	t.Parallel()
	s := withAda(t, withoutJavaScript)
	other := s.tab(s.page.URL())
	s.edit()
	other.edit()
	form := other.page.URL()
	s.fill(fieldName, s.named("Ada King"))
	s.click(buttonSaveChanges)
	s.seesHeading(s.named("Ada King"))

	other.fill(fieldEmail, s.email("countess"))
	other.click(buttonSaveChanges)
	other.sees(s.named("Ada King") + " was changed while you were editing. Your changes aren't saved yet. You changed different fields, " +
		"so your form now has both changes.")
	other.isTitled("Error: Edit customer")
	other.isOnForm(form)
	other.holds(fieldEmail, s.email("countess"))
	other.holds(fieldName, s.named("Ada King"))
	other.seesRow("Email", "Changed by you", s.email("ada"), s.email("countess"))
	other.seesRow("Name", "Changed by them", s.named("Ada King"), s.named("Ada Byron"))
	other.sees("Name changed from " + s.named("Ada Byron") + " to " + s.named("Ada King"))
	other.moment()
	s.hasChanged("customer.edit")
	other.click(buttonSaveBoth)
	other.seesHeading(s.named("Ada King"))
	other.sees(saved(s.named("Ada King")))
	other.sees("Email changed from " + s.email("ada") + " to " + s.email("countess"))
	s.hasChanged("customer.edit", "customer.edit")
	s.attempts("changed", "conflict", "changed")
}

// Both change the name, so the second person is asked to choose.
func TestTwoPeopleEditTheSameField(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	other := s.tab(s.page.URL())
	s.edit()
	other.edit()
	s.fill(fieldName, s.named("Ada King"))
	s.click(buttonSaveChanges)
	s.seesHeading(s.named("Ada King"))

	other.fill(fieldName, s.named("Countess Ada"))
	other.fill(fieldEmail, s.email("countess"))
	other.click(buttonSaveChanges)
	other.seesRow("Name", "Changed by both", s.named("Ada King"), s.named("Countess Ada"))
	other.isAccessibleNow("two edits of one field")
	other.moment()
	other.check(other.page.GetByLabel("Keep this").Check(), "keep the name that is saved")
	other.click(buttonSaveAsChosen)
	other.seesHeading(s.named("Ada King"))
	other.sees("Email changed from " + s.email("ada") + " to " + s.email("countess"))
	s.hasChanged("customer.edit", "customer.edit")
	s.attempts("changed", "conflict", "changed")
}

func TestChangeWithoutTheDatabase(t *testing.T) {
	onlyHere(t, "it takes the database away")
	t.Parallel()
	s := withAda(t)
	other := s.tab(s.page.URL())
	s.edit()
	s.fill(fieldName, s.named("Ada King"))

	back := s.loseDatabase()
	s.click(buttonSaveChanges)
	s.sees(saysDatabaseDown)
	s.moment()
	s.sees(s.named("Ada King"))
	other.click(buttonArchive)
	other.sees(saysDatabaseDown)
	other.click(buttonDoNotSend)
	other.isTold(saysNotSent)
	s.isTold(saysSentWhenReady)
	_, err := s.page.ExpectResponse("**/edit*", func() error { s.click(buttonTryAgain); return nil })
	s.check(err, "try again by hand")
	s.isTold(saysSentWhenReady)
	back()

	s.sees(saved(s.named("Ada King")))
	other.click(buttonTryAgain)
	other.sees(archived(s.named("Ada King")))
	s.hasChanged("customer.edit", "customer.archive")
}

func TestEditByKeyboard(t *testing.T) {
	withFocus(t)
	s := withAda(t)
	other := s.tab(s.page.URL())
	s.check(s.page.BringToFront(), "return to the first tab")
	s.tabTo(s.link(linkEdit))
	s.press("Enter")
	s.seesHeading(headingEditCustomer)
	other.edit()
	other.fill(fieldEmail, s.email("king"))
	other.click(buttonSaveChanges)

	s.isFocused(s.field(fieldEmail))
	s.press("Tab")
	s.typeText(s.named("Ada King")) // the field's text is selected
	s.press("Enter")
	s.sees(saysChangedMeanwhile)
	s.isFocused(s.page.GetByRole("alert"))
	s.tabTo(s.button(buttonSaveBoth))
	s.press("Enter")
	s.seesHeading(s.named("Ada King"))
	s.tabTo(s.button(buttonArchive))
	s.press("Enter")
	s.sees(saysArchived)
	s.tabTo(s.button(buttonRestore))
	s.press("Enter")
	s.sees(restored(s.named("Ada King")))
	s.hasChanged("customer.edit", "customer.edit", "customer.archive", "customer.restore")
}

// The browser may have kept the form of an erasure, with the customer's name. Sent again, it erases nothing. Loaded again, it has no name.
func TestBackAfterAnErasure(t *testing.T) {
	onlyInChromium(t, "Back to an answer that isn't cached shows the browser's error page")
	t.Parallel()
	s := loggedIn(t, keepingPages)
	ada := eraseCustomer(s)
	ada.begin(s)
	form := s.page.URL()
	s.leaveMark()
	s.click(ada.press)
	s.sees(ada.done)
	s.back()
	s.isOnForm(form)
	s.hasMark(true)
	s.sees(s.named("Ada Byron"))
	s.check(expect.Locator(s.page.GetByRole("alert")).ToContainText("This form already erased"), "see that the form is used")
	s.click(ada.press)
	ada.ends(s, ada.again, ada.first, "replayed")
	s.open(form)
	s.sees("This form already erased")
	s.seesNot(s.named("Ada Byron"))
	ada.proves(1)
}

// withAda is start after a login, on the page of a new customer.
func withAda(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := loggedIn(t, circumstances...)
	s.addAda()
	return s
}

func (s *session) addAda() {
	s.t.Helper()
	s.addCustomer(s.email("ada"), s.named("Ada Byron"))
	s.reopen()
}

func (s *session) archiveAda() {
	s.t.Helper()
	s.addAda()
	s.click(buttonArchive)
	s.sees(archived(s.named("Ada Byron")))
}

func (s *session) addCustomer(email, name string) {
	s.t.Helper()
	s.open("/customers/new")
	s.fill(fieldEmail, email)
	s.fill(fieldName, name)
	s.click(buttonCreateCustomer)
	s.seesHeading(name)
	s.log.forget()
}

// edit opens the edit form of the customer on the page.
func (s *session) edit() {
	s.t.Helper()
	s.follow(linkEdit)
	s.seesHeading(headingEditCustomer)
}

// seesRow checks a row of the table that compares the saved values with the typed ones.
func (s *session) seesRow(texts ...string) {
	s.t.Helper()
	row := s.page.GetByRole("row").Filter(playwright.LocatorFilterOptions{HasText: texts[0]})
	for _, text := range texts {
		s.check(expect.Locator(row).ToContainText(text), "see in the row of "+texts[0]+": "+text)
	}
}

func (s *session) hasNoAlert() {
	s.t.Helper()
	s.check(expect.Locator(s.page.GetByRole("alert")).ToHaveCount(0), "see no error")
}
