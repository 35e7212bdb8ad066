package e2e

import (
	"testing"
	"time"

	"onlyonce/internal/app"
)

// A form stays open until the first answer can no longer be replayed. Even so nothing is created, and only the person can confirm a
// new wish.
func TestSendAgainWhenTheAnswerHasExpired(t *testing.T) {
	onlyHere(t, "it lets answers expire in the database")
	t.Parallel()
	s := newSession(t)
	s.configure = func(c *app.Config) { c.Retain = time.Millisecond } // so that the app keeps no copy of the result either
	s.findApp()
	s.openBrowser(withoutJavaScript)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	other := s.tab(s.page.URL())
	other.fillInvoice(s.number(1))
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))

	_, err := s.db.Exec(t.Context(), `UPDATE intents SET result = NULL`)
	s.check(err, "let all answers expire")
	other.create()
	other.sees("This form already created " + s.number(1) + ".")
	other.holds(fieldNumber, s.number(1))
	s.hasOneNew(s.number(1))

	other.fill(fieldNumber, s.number(2))
	other.fill("Description", "Something else")
	other.click("Create as a new invoice")
	other.seesInvoice(s.number(2), created(s.number(2)))
	s.hasNew(2)
}
