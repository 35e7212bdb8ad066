package e2e

import "testing"

// Money is counted once: never more is paid than is open.

// Two wishes, two keys: both pay the whole open amount.
func TestTwoTabsPayTheFullAmount(t *testing.T) {
	t.Parallel()
	s := withIssued(t, withoutJavaScript)
	other := s.tab(s.page.URL())
	s.pay()
	other.pay()
	form := other.page.URL()
	other.fill(fieldBankOrProvider, "bank")
	other.fill(fieldReference, s.named("R-1"))

	release := s.lock("payments")
	s.pointAt(buttonRecordPayment)
	s.tap(1)
	s.waiting(1)
	other.pointAt(buttonRecordPayment)
	other.tap(1)
	s.until("both wait", func() bool { return s.inProgress() == 2 })
	release()

	s.sees(saysPaymentRecorded)
	other.sees(openHasChanged)
	other.sees("Open on " + s.number(1) + ": 0.00 EUR")
	other.isOnForm(form)
	other.holds(fieldAmountInEUR, "123.00")
	other.holds(fieldReference, s.named("R-1"))
	other.moment()
	s.hasPaid(s.number(1), 123)

	other.click(buttonRecordPayment)
	other.sees("The open amount is 0.00 EUR. The payment is larger, and wasn't recorded.")
	other.isWrong(fieldAmountInEUR)
	s.hasPaid(s.number(1), 123)
	s.attempts("created", "conflict", "conflict")
	other.follow(linkOpenTheInvoice)
	other.seesHeading(headingInvoice(s.number(1)))
}

// withIssued is start after a login, on the page of an issued invoice of 123.00 EUR.
func withIssued(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := start(t, circumstances...)
	s.login()
	s.openIssued()
	s.log.forget()
	return s
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
