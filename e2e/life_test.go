package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A draft is edited, issued and voided. Issuing and voiding are final: each is
// done once, however often it is asked for, and nothing else is done by mistake.

const wasIssued = "You cannot change this invoice any more. It was issued, and stays as it is."

func TestEditADraft(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			s.editInvoice()
			form := s.page.URL()
			s.holds("Number", "2026-7001")
			s.click("Add a line")
			s.fillLine(2, "Hosting", "12", "9.90", "23")
			s.fill("Notes", "Thank you.")
			s.isOnForm(form)
			s.hasLived()

			s.click("Save changes")
			s.seesHeading("Invoice 2026-7001")
			s.sees("Changes to 2026-7001 saved.")
			s.sees("Lines changed")
			s.sees("Total changed from 123.00 EUR to 269.12 EUR")
			s.hasLived("invoice.edit")
			s.attempts("changed")
			if n := s.count(`SELECT count(*) FROM invoice_lines JOIN invoices i ON i.id = invoice_id WHERE number = '2026-7001'`); n != 2 {
				t.Errorf("%d lines are saved, want 2", n)
			}
		})
	}
}

// The number of another invoice is refused, and one click takes the next one: a
// blank field would mean to keep the number.
func TestEditWithTakenNumber(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			s.newInvoice()
			next := s.suggestion()
			s.open(s.draftByAPI("2026-7002", nextYear()))
			s.log.forget()
			s.editInvoice()
			s.fill("Number", "2026-7001")
			s.click("Save changes")
			s.sees("Invoice number 2026-7001 already exists.")
			s.isWrong("Number")

			s.click("Use the next number, " + next)
			s.seesHeading("Invoice " + next)
			if n := s.invoices("2026-7002"); n != 0 {
				t.Error("the draft has kept its number")
			}
			s.attempts("conflict", "changed")
		})
	}
}

func TestEditOfWhatWasIssuedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			other := s.tab(s.page.URL())
			other.editInvoice()
			form := other.page.URL()
			other.fill("Notes", "Thank you.")
			s.click("Issue invoice")
			s.sees("Invoice 2026-7001 issued.")

			other.click("Save changes")
			other.sees(wasIssued)
			other.isTitled("Error: Edit invoice")
			other.isOnForm(form)
			other.holds("Notes", "Thank you.")
			s.check(expect.Locator(other.button("Save mine instead")).ToHaveCount(0), "not be offered what cannot be")
			other.follow("Open the invoice")
			other.seesHeading("Invoice 2026-7001")
			s.hasLived("invoice.issue")
			s.attempts("changed", "conflict")

			s.open(form)
			s.seesHeading("You cannot change this invoice any more.")
			s.follow("Open the invoice")
			s.seesHeading("Invoice 2026-7001")
		})
	}
}

func TestFiveClicksOnIssue(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string]struct {
		javaScript option
		attempts   []string
	}{
		"with JavaScript":    {withJavaScript, []string{"changed"}},
		"without JavaScript": {withoutJavaScript, []string{"changed", "replayed", "replayed", "replayed", "replayed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, circumstances.javaScript)
			release := s.lockInvoices()
			s.pointAt("Issue invoice")
			for click := range 5 {
				s.tap(1)
				s.waiting(min(click+1, len(circumstances.attempts)))
			}
			release()

			s.sees("issued.")
			s.hasNoAlert()
			s.hasLived("invoice.issue")
			s.attempts(circumstances.attempts...)
		})
	}
}

func TestIssueInTwoTabs(t *testing.T) {
	t.Parallel()
	s := withDraft(t)
	other := s.tab(s.page.URL())
	s.click("Issue invoice")
	s.sees("Invoice 2026-7001 issued.")
	other.click("Issue invoice")
	other.sees("2026-7001 was already issued.")
	other.hasNoAlert()
	s.hasLived("invoice.issue")
	s.attempts("changed", "unchanged")
}

// Quick answers are no protection: the second click comes to the next page, and
// must find nothing to press there. A page may have a message above it or not.
func TestSlowDoubleClickDoesNotDoTheNextThing(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		for before, message := range map[string]bool{"no message before": false, "a message before": true} {
			t.Run(name+", "+before, func(t *testing.T) {
				t.Parallel()
				s := withDraft(t, width)
				s.saveNothing(message)
				s.clickSlowlyTwice("Issue invoice", "Invoice 2026-7001 issued.")
				s.hasLived("invoice.issue")
				if !message {
					s.reopen()
				}
				s.follow("Record payment")
				s.fill("Amount in EUR", "23")
				s.clickSlowlyTwice("Record payment", "Payment recorded.")
				s.hasPaid("2026-7001", 23)

				s.open(s.draftByAPI("2026-7002", nextYear()))
				s.saveNothing(message)
				s.clickSlowlyTwice("Void", "Invoice 2026-7002 voided.")
				s.open(s.draftByAPI("2026-7003", nextYear()))
				s.click("Issue invoice")
				s.sees("issued.")
				if !message {
					s.reopen()
				}
				s.clickSlowlyTwice("Void", "Invoice 2026-7003 voided.")
			})
		}
	}
}

func TestVoid(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			s.click("Issue invoice")
			s.sees("Invoice 2026-7001 issued.")
			s.click("Void")
			s.sees("Invoice 2026-7001 voided.")
			s.check(expect.Locator(s.page.Locator(".stamp")).ToBeVisible(), "see the stamp")
			s.check(expect.Locator(s.page.Locator("h1")).ToContainText("Void"), "read it in the heading")
			for _, gone := range []string{"Void", "Issue invoice"} {
				s.check(expect.Locator(s.button(gone)).ToHaveCount(0), "have nothing left to do: "+gone)
			}
			s.check(expect.Locator(s.link("Record payment")).ToHaveCount(0), "have nothing to pay")
			s.follow("Copy as new")
			s.seesHeading("Copy of 2026-7001")
			s.hasLived("invoice.issue", "invoice.void")
		})
	}
}

func TestLifeByKeyboard(t *testing.T) {
	t.Parallel()
	s := withDraft(t)
	s.tabTo(s.link("Edit"))
	s.press("Enter")
	s.seesHeading("Edit invoice")
	s.tabTo(s.field("Notes"))
	s.typeText("Thank you.")
	s.press("Control+Enter")
	s.sees("Changes to 2026-7001 saved.")
	s.tabTo(s.button("Issue invoice"))
	s.press("Enter")
	s.sees("Invoice 2026-7001 issued.")
	s.tabTo(s.link("Record payment"))
	s.press("Enter")
	s.seesHeading("Record a payment")
	s.isFocused(s.field("Amount in EUR"))
	s.press("Enter")
	s.sees("Payment recorded.")
	s.sees("Nothing is open.")
	s.hasLived("invoice.edit", "invoice.issue")
	s.hasPaid("2026-7001", 123)
}

// withDraft is start with somebody logged in, on the page of a draft of 123.00 EUR.
func withDraft(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := start(t, circumstances...)
	s.login()
	s.open(s.draftByAPI("2026-7001", nextYear()))
	s.seesHeading("Invoice 2026-7001")
	s.log.forget()
	return s
}

// draftByAPI creates a draft of 123.00 EUR, and gives the path of its page.
func (s *session) draftByAPI(number string, due time.Time) string {
	s.t.Helper()
	return s.post("/invoices", "draft "+number, map[string]any{
		"customer": map[string]string{"email": "ada@example.test", "name": "Ada Byron"}, "number": number, "currency": "EUR",
		"issue_date": "2026-01-21", "due_date": due.Format(time.DateOnly),
		"lines": []map[string]string{{"description": "Design of " + number, "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}},
	})
}

func nextYear() time.Time { return time.Now().AddDate(1, 0, 0) }

// reopen opens the page again, without the message that it may have had.
func (s *session) reopen() {
	s.t.Helper()
	s.open(s.page.URL())
}

// editInvoice opens the form of the draft on the page.
func (s *session) editInvoice() {
	s.t.Helper()
	s.follow("Edit")
	s.seesHeading("Edit invoice")
}

// saveNothing makes the page of a draft have a message, or not.
func (s *session) saveNothing(message bool) {
	s.t.Helper()
	if message {
		s.editInvoice()
		s.click("Save changes")
		s.sees("Nothing to save")
	}
}

// clickSlowlyTwice presses a button, waits for the page that says what was done, and presses the mouse again where it
// still is: nothing there must do anything.
func (s *session) clickSlowlyTwice(button, done string) {
	s.t.Helper()
	s.pointAt(button)
	s.tap(1)
	s.sees(done)
	under, err := s.page.Evaluate(`([x, y]) =>
		document.elementFromPoint(x, y)?.closest("a, button, summary, select, input")?.outerHTML ?? ""`,
		[]float64{s.x, s.y})
	s.check(err, "look under the mouse")
	if under != "" {
		s.t.Errorf("the second click on %s would press %s", button, under)
	}
	s.tap(4)
	s.sees(done)
}

// hasLived holds what was done to invoice 2026-7001, in order: each made one version of it.
func (s *session) hasLived(want ...string) {
	s.t.Helper()
	var operations []string
	err := s.db.QueryRow(s.t.Context(), `
		SELECT COALESCE(array_agg(operation ORDER BY at), '{}') FROM intents JOIN invoices i ON i.id = record_id
		WHERE outcome = 'changed' AND number = '2026-7001'`).Scan(&operations)
	s.check(err, "read the intents")
	if !slices.Equal(operations, want) {
		s.t.Errorf("the invoice was changed by %v, want %v", operations, want)
	}
	versions := s.count(`
		SELECT version - 1 - (SELECT count(*) FROM payments p WHERE p.invoice_id = i.id) FROM invoices i WHERE number = '2026-7001'`)
	if versions != len(want) {
		s.t.Errorf("%d versions of the invoice were made, want %d", versions, len(want))
	}
}

// hasPaid holds which payments an invoice has, in whole units of its currency, and that its books say the same.
func (s *session) hasPaid(number string, want ...int) {
	s.t.Helper()
	var found string
	err := s.db.QueryRow(s.t.Context(), `
		SELECT
			COALESCE((SELECT string_agg((amount / 100)::text, ' ' ORDER BY id) FROM payments p WHERE p.invoice_id = i.id), '')
			|| ', posted ' || COALESCE((
				SELECT string_agg((amount / 100)::text, ' ' ORDER BY at) FROM postings p WHERE p.invoice_id = i.id), '')
			|| ', paid ' || paid / 100
		FROM invoices i WHERE number = $1`, number).Scan(&found)
	s.check(err, "read the payments")
	sum := 0
	for _, amount := range want {
		sum += amount
	}
	amounts := strings.Trim(fmt.Sprint(want), "[]")
	if expected := fmt.Sprintf("%s, posted %s, paid %d", amounts, amounts, sum); found != expected {
		s.t.Errorf("the payments are %s, want %s", found, expected)
	}
}
