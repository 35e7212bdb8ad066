package e2e

import (
	"testing"
	"time"
)

// A draft is edited, issued and voided. Issuing and voiding are final: each is done once, however often it is asked for, and
// without side effects.

func TestFiveClicksOnIssue(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string]struct {
		javaScript option
		attempts   []string
		says       string
	}{
		"with JavaScript":    {withJavaScript, []string{"changed"}, saysIssued},
		"without JavaScript": {withoutJavaScript, []string{"changed", "replayed", "replayed", "replayed", "replayed"}, ignoredSecondEdit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, circumstances.javaScript)
			release := s.lockInvoices()
			s.follow(linkIssueInvoice)
			s.pointAt(buttonIssueAndEmail)
			for click := range 5 {
				s.tap(1)
				s.waiting(min(click+1, len(circumstances.attempts)))
			}
			release()

			s.sees(circumstances.says)
			s.hasNoAlert()
			s.hasLived("invoice.issue")
			s.attempts(circumstances.attempts...)
			if s.db != nil {
				n := s.count(`SELECT count(*) FROM mails JOIN invoices i ON i.id = invoice_id WHERE i.number = $1`, s.number(1))
				if n != 1 {
					t.Errorf("%d mails", n)
				}
			}
		})
	}
}

func TestIssueInTwoTabs(t *testing.T) {
	t.Parallel()
	s := withDraft(t)
	other := s.tab(s.page.URL() + "/issue")
	s.issue()
	s.sees(issued(s.number(1)))
	other.click(buttonIssueAndEmail)
	other.sees(s.number(1) + " was already issued.")
	other.hasNoAlert()
	s.hasLived("invoice.issue")
	s.attempts("changed", "unchanged")
}

// The answers are fast, and the second click arrives on the next page. There must be nothing to press at its place, with or without
// a message above.
func TestSlowDoubleClickDoesNotDoTheNextThing(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		for before, message := range map[string]bool{"no message before": false, "a message before": true} {
			t.Run(name+", "+before, func(t *testing.T) {
				t.Parallel()
				s := withDraft(t, width)
				s.saveNothing(message)
				s.follow(linkIssueInvoice)
				s.clickSlowlyTwice(buttonIssueAndEmail, "Invoice "+s.number(1)+" issued.")
				s.hasLived("invoice.issue")
				if !message {
					s.reopen()
				}
				s.follow(linkRecordPayment)
				s.fill(fieldAmountInEUR, "23")
				s.clickSlowlyTwice(buttonRecordPayment, "Payment recorded.")
				s.hasPaid(s.number(1), 23)

				s.open(s.draftByAPI(s.number(2), nextYear()))
				s.saveNothing(message)
				s.follow(linkVoid)
				s.clickSlowlyTwice(buttonVoidInvoice, "Invoice "+s.number(2)+" voided.")
				s.open(s.draftByAPI(s.number(3), nextYear()))
				s.issue()
				s.sees(saysIssued)
				if !message {
					s.reopen()
				}
				s.follow(linkVoid)
				s.clickSlowlyTwice(buttonVoidInvoice, "Invoice "+s.number(3)+" voided.")
			})
		}
	}
}

func TestLifeByKeyboard(t *testing.T) {
	t.Parallel()
	s := withDraft(t)
	s.tabTo(s.link(linkEdit))
	s.press("Enter")
	s.seesHeading(headingEditInvoice)
	s.tabTo(s.field(fieldNotes))
	s.typeText("Thank you.")
	s.press("Control+Enter")
	s.sees(saved(s.number(1)))
	s.tabTo(s.link(linkIssueInvoice))
	s.press("Enter")
	s.tabTo(s.button(buttonIssueAndEmail))
	s.press("Enter")
	s.sees(issued(s.number(1)))
	s.tabTo(s.link(linkRecordPayment))
	s.press("Enter")
	s.seesHeading(headingRecordAPayment)
	s.isFocused(s.field(fieldAmountInEUR))
	s.press("Enter")
	s.sees(saysPaymentRecorded)
	s.sees(saysNothingIsOpen)
	s.hasLived("invoice.edit", "invoice.issue")
	s.hasPaid(s.number(1), 123)
}

// withDraft is start after a login, on the page of a draft of 123.00 EUR.
func withDraft(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := start(t, circumstances...)
	s.login()
	s.open(s.draftByAPI(s.number(1), nextYear()))
	s.seesHeading(headingInvoice(s.number(1)))
	s.log.forget()
	return s
}

// draftByAPI creates a draft of 123.00 EUR, and returns the path of its page.
func (s *session) draftByAPI(number string, due time.Time) string {
	s.t.Helper()
	return s.post("/invoices", "draft "+number, map[string]any{
		"customer": map[string]string{"email": s.email("ada"), "name": s.named("Ada Byron")}, "number": number, "currency": "EUR",
		"issue_date": "2026-01-21", "due_date": due.Format(time.DateOnly),
		"lines": []map[string]string{{"description": "Design of " + number, "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}},
	})
}

func nextYear() time.Time { return time.Now().AddDate(1, 0, 0) }

// reopen opens the page again, without its message.
func (s *session) reopen() {
	s.t.Helper()
	s.open(s.page.URL())
}

// editInvoice opens the form of the draft on the page.
func (s *session) editInvoice() {
	s.t.Helper()
	s.follow(linkEdit)
	s.seesHeading(headingEditInvoice)
}

// saveNothing makes the page of a draft show a message, if message is set.
func (s *session) saveNothing(message bool) {
	s.t.Helper()
	if message {
		s.editInvoice()
		s.click(buttonSaveChanges)
		s.sees(saysNothingToSave)
	}
}
