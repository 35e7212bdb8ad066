package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// What is there is changed: edited, archived and restored. Each change makes one
// version of the record and one intent, however often it is asked for.

const ignoredSecondEdit = "Changes saved. We ignored the duplicate submission and kept your first request."

func TestDoubleClickOnAnEdit(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	s.edit()
	s.fill("Name", "Ada King")
	s.listenToForm()

	release := s.lock("customers")
	s.pointAt("Save changes")
	s.tap(2)
	s.waiting(1)
	s.formSaid("sent", "kept back")
	release()

	s.sees("Changes to Ada King saved.")
	s.hasChanged("customer.edit")
	s.attempts("changed")
}

func TestFiveClicksOnAnEditWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := withAda(t, withoutJavaScript)
	s.edit()
	s.fill("Name", "Ada King")

	release := s.lock("customers")
	s.pointAt("Save changes")
	for click := range 5 {
		s.tap(1)
		s.waiting(click + 1)
	}
	release()

	s.seesHeading("Ada King")
	s.sees(ignoredSecondEdit)
	s.hasChanged("customer.edit")
	s.attempts("changed", "replayed", "replayed", "replayed", "replayed")
}

// One click, two POSTs, and the second one comes with the version that the first
// one has left behind.
func TestBrowserSilentlySendsAnEditAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	wire := s.throughProxy()
	s.login()
	s.addAda()
	s.edit()
	s.fill("Name", "Ada King")
	wire.cutNextAnswer()

	s.click("Save changes")

	s.seesHeading("Ada King")
	s.sees(ignoredSecondEdit)
	if n := wire.posts.Load(); n != 2 {
		t.Errorf("one click sent %d POSTs, want 2: the browser no longer sends again by itself", n)
	}
	s.hasChanged("customer.edit")
	s.attempts("changed", "replayed")
}

// meanwhile opens the form in two tabs, saves the first one, and sends the other.
func meanwhile(t *testing.T, javaScript option) (s, other *session) {
	t.Helper()
	s = withAda(t, javaScript)
	other = s.tab(s.page.URL())
	s.edit()
	other.edit()
	form := other.page.URL()
	s.fill("Name", "Ada King")
	s.click("Save changes")
	s.seesHeading("Ada King")

	other.fill("Email", "countess@example.test")
	other.click("Save changes")
	other.sees("Ada King was changed while you were editing. Your changes were not saved.")
	other.isTitled("Error: Edit customer")
	other.isOnForm(form)
	other.holds("Email", "countess@example.test")
	other.holds("Name", "Ada Byron")
	other.seesRow("Email", "Differs", "ada@example.test", "countess@example.test")
	other.seesRow("Name", "Differs", "Ada King", "Ada Byron")
	other.sees("Name changed from Ada Byron to Ada King")
	s.hasChanged("customer.edit")
	return s, other
}

func TestTwoPeopleEditAndTheSecondSavesInstead(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, other := meanwhile(t, javaScript)
			other.click("Save mine instead")
			other.seesHeading("Ada Byron")
			other.sees("Changes to Ada Byron saved.")
			other.sees("Name changed from Ada King to Ada Byron")
			s.hasChanged("customer.edit", "customer.edit")
			s.attempts("changed", "conflict", "changed")
		})
	}
}

func TestTwoPeopleEditAndTheSecondGivesWay(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, other := meanwhile(t, javaScript)
			other.follow("Keep what is saved")
			other.seesHeading("Ada King")
			s.hasChanged("customer.edit")
			s.attempts("changed", "conflict")
		})
	}
}

// A third change in between is shown again, and not overwritten.
func TestTwoPeopleEditAndTheSecondIsLateAgain(t *testing.T) {
	t.Parallel()
	s, other := meanwhile(t, withJavaScript)
	s.edit()
	s.fill("Name", "Ada Lovelace")
	s.click("Save changes")
	s.seesHeading("Ada Lovelace")

	other.click("Save mine instead")
	other.sees("Ada Lovelace was changed while you were editing.")
	other.holds("Email", "countess@example.test")
	s.hasChanged("customer.edit", "customer.edit")
	s.attempts("changed", "conflict", "changed", "conflict")
}

func TestTwoPeopleMakeTheSameEdit(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	other := s.tab(s.page.URL())
	s.edit()
	other.edit()
	for _, who := range []*session{s, other} {
		who.fill("Name", "Ada King")
		who.click("Save changes")
	}
	other.sees("What you typed is what is saved now, so there is nothing left to save.")
	other.follow("Open Ada King")
	other.seesHeading("Ada King")
	s.hasChanged("customer.edit")
}

func TestBackAfterAnEdit(t *testing.T) {
	t.Parallel()
	for name, launch := range map[string]func() (playwright.Browser, error){"page cache": chromium, "no page cache": withoutPageCache} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, launch)
			s.login()
			s.addAda()
			s.edit()
			form := s.page.URL()
			s.fill("Name", "Ada King")
			s.click("Save changes")
			s.sees("Changes to Ada King saved.")

			s.back()
			s.isOnForm(form)
			notice := s.page.GetByRole("alert")
			s.check(expect.Locator(notice).ToContainText("This form already saved changes to Ada King."), "see that the form is used")
			s.fill("Name", "Ada King")
			s.click("Save changes")
			s.seesHeading("Ada King")
			s.sees(ignoredSecondEdit)
			s.hasChanged("customer.edit")

			s.back()
			s.fill("Name", "Ada Lovelace")
			s.click("Save changes")
			s.sees("This form already saved changes to Ada King. What you typed after that was not saved.")
			s.holds("Name", "Ada Lovelace")
			s.seesRow("Name", "Differs", "Ada King", "Ada Lovelace")
			s.hasChanged("customer.edit")

			s.click("Save these changes too")
			s.sees("Changes to Ada Lovelace saved.")
			s.hasChanged("customer.edit", "customer.edit")
			s.attempts("changed", "replayed", "mismatch", "changed")
		})
	}
}

func TestEmailOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	s.addCustomer("grace@example.test", "Grace Hopper")
	s.edit()
	s.fill("Email", "ADA@example.test")
	s.fill("Name", "Grace Murray Hopper")
	s.click("Save changes")
	s.sees("Ada Byron has the email address ada@example.test.")
	s.isWrong("Email")
	s.holds("Email", "ADA@example.test")
	s.holds("Name", "Grace Murray Hopper")
	s.hasChanged()

	s.fill("Email", "hopper@example.test")
	s.click("Save changes")
	s.sees("Changes to Grace Murray Hopper saved.")
	s.hasChanged("customer.edit")
	s.attempts("conflict", "changed")
}

func TestChangeWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withAda(t, javaScript)
			other := s.tab(s.page.URL())
			s.edit()
			s.fill("Name", "Ada King")

			back := s.loseDatabase()
			s.click("Save changes")
			s.sees("The database cannot be reached. Nothing was saved.")
			s.sees("Ada King")
			other.click("Archive")
			other.sees("The database cannot be reached. Nothing was saved.")
			back()

			s.click("Try again")
			s.sees("Changes to Ada King saved.")
			other.click("Try again")
			other.sees("Customer Ada King archived.")
			s.hasChanged("customer.edit", "customer.archive")
		})
	}
}

func TestEditByKeyboard(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	other := s.tab(s.page.URL())
	s.tabTo(s.link("Edit"))
	s.press("Enter")
	s.seesHeading("Edit customer")
	other.edit()
	other.fill("Email", "king@example.test")
	other.click("Save changes")

	s.isFocused(s.field("Email"))
	s.press("Tab")
	s.typeText("Ada King") // the field is selected
	s.press("Enter")
	s.sees("was changed while you were editing.")
	s.isFocused(s.page.GetByRole("alert"))
	s.tabTo(s.button("Save mine instead"))
	s.press("Enter")
	s.seesHeading("Ada King")
	s.tabTo(s.button("Archive"))
	s.press("Enter")
	s.sees("Archived on ")
	s.tabTo(s.button("Restore"))
	s.press("Enter")
	s.sees("Customer Ada King restored.")
	s.hasChanged("customer.edit", "customer.edit", "customer.archive", "customer.restore")
}

// withAda is start with somebody logged in, on the page of a customer of theirs.
func withAda(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := start(t, circumstances...)
	s.login()
	s.addAda()
	return s
}

func (s *session) addAda() {
	s.t.Helper()
	s.addCustomer("ada@example.test", "Ada Byron")
	s.open(strings.TrimPrefix(s.page.URL(), s.origin)) // without the message
}

func (s *session) addCustomer(email, name string) {
	s.t.Helper()
	s.open("/customers/new")
	s.fill("Email", email)
	s.fill("Name", name)
	s.click("Create customer")
	s.seesHeading(name)
	s.log.forget()
}

// edit opens the form of the customer on the page.
func (s *session) edit() {
	s.t.Helper()
	s.follow("Edit")
	s.seesHeading("Edit customer")
}

// seesRow holds what a row of the table says that compares what is saved with what was typed.
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

// hasChanged holds which changes of customers there were in this test: each made
// one version, and has one intent.
func (s *session) hasChanged(want ...string) {
	s.t.Helper()
	var operations []string
	err := s.db.QueryRow(s.t.Context(),
		`SELECT COALESCE(array_agg(operation ORDER BY at), '{}') FROM intents
		WHERE outcome = 'changed' AND operation LIKE 'customer.%'`).Scan(&operations)
	s.check(err, "read the intents")
	if !slices.Equal(operations, want) {
		s.t.Errorf("the changes are %v, want %v", operations, want)
	}
	if versions := s.count(`SELECT COALESCE(sum(version - 1), 0) FROM customers`); versions != len(want) {
		s.t.Errorf("%d versions were made, want %d", versions, len(want))
	}
}
