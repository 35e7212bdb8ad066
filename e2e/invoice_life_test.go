package e2e

import (
	"testing"
	"time"
)

// A draft is edited, issued and paid.

func TestLifeByKeyboard(t *testing.T) {
	withFocus(t)
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
	s := loggedIn(t, circumstances...)
	s.openDraft()
	s.log.forget()
	return s
}

// openDraft opens the page of a new draft of 123.00 EUR.
func (s *session) openDraft() {
	s.t.Helper()
	s.open(s.draftByAPI(s.number(1), nextYear()))
	s.seesHeading(headingInvoice(s.number(1)))
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

// openIssued opens the page of a new issued invoice of 123.00 EUR.
func (s *session) openIssued() {
	s.t.Helper()
	s.open(s.issuedByAPI(s.number(1)))
	s.seesHeading(headingInvoice(s.number(1)))
}

// issuedByAPI creates an issued invoice of 123.00 EUR, and returns the path of its page.
func (s *session) issuedByAPI(number string) string {
	s.t.Helper()
	path := s.draftByAPI(number, nextYear())
	s.post(path+"/issue", "issue "+number, struct{}{})
	return path
}

// payByAPI records a payment with a reference of the bank; "" for none.
func (s *session) payByAPI(invoice, amount, reference string) {
	s.t.Helper()
	command := map[string]string{"amount": amount, "date": "2026-11-21", "method": "bank_transfer"}
	if reference != "" {
		command["provider"], command["reference"] = "bank", reference
	}
	s.post(invoice+"/payments", amount+" "+reference+" of "+invoice, command)
}

// pay opens the form for a payment of the invoice on the page.
func (s *session) pay() {
	s.t.Helper()
	s.follow(linkRecordPayment)
	s.seesHeading(headingRecordAPayment)
}
