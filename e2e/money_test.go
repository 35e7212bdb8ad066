package e2e

import (
	"testing"
)

// Money is counted once: one payment for one wish, and never more than is open, despite repeats by hand, browser or network.

func TestDoubleClickOnAPayment(t *testing.T) {
	t.Parallel()
	s := withIssued(t)
	s.pay()
	s.listenToForm()

	release := s.lock("payments")
	s.pointAt(buttonRecordPayment)
	s.tap(2)
	s.waiting(1)
	s.formSaid("sent", "kept back")
	release()

	s.sees(saysPaymentRecorded)
	s.hasPaid(s.number(1), 123)
	s.attempts("created")
}

func TestFiveClicksOnAPaymentWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := withIssued(t, withoutJavaScript)
	s.pay()
	s.fill(fieldAmountInEUR, "23") // two such payments would still be within the open amount

	release := s.lock("payments")
	s.pointAt(buttonRecordPayment)
	for click := range 5 {
		s.tap(1)
		s.waiting(click + 1)
	}
	release()

	s.sees(ignoredSecondPayment)
	s.hasPaid(s.number(1), 23)
	s.attempts("created", "replayed", "replayed", "replayed", "replayed")
}

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

// One click, two POSTs, and the second one comes when nothing is open any more.
func TestBrowserSilentlySendsAPaymentAgain(t *testing.T) {
	onlyInChromium(t, "others need not send a form again by themselves")
	t.Parallel()
	s := start(t)
	wire := s.throughProxy()
	s.login()
	s.open(s.issuedByAPI(s.number(1)))
	s.log.forget()
	s.pay()
	wire.cutNextAnswer()

	s.click(buttonRecordPayment)

	s.seesHeading(headingInvoice(s.number(1)))
	s.sees(ignoredSecondPayment)
	if n := wire.posts.Load(); n != 2 {
		t.Errorf("one click sent %d POSTs, want 2: the browser no longer resends a form", n)
	}
	s.hasPaid(s.number(1), 123)
	s.attempts("created", "replayed")
}

func TestBackAfterAPayment(t *testing.T) {
	onlyInChromium(t, "it is about the way that Chromium keeps pages")
	t.Parallel()
	s := startIn(t, withoutPageCache)
	s.login()
	s.open(s.issuedByAPI(s.number(1)))
	s.log.forget()
	s.pay()
	form := s.page.URL()
	s.fill(fieldAmountInEUR, "23")
	s.click(buttonRecordPayment)
	s.sees(saysPaymentRecorded)

	s.back()
	s.isOnForm(form)
	s.check(expect.Locator(s.page.GetByRole("alert")).ToContainText("This form already recorded 23.00 EUR"),
		"see that the form is used")
	s.fill(fieldAmountInEUR, "23")
	s.click(buttonRecordPayment)
	s.seesHeading(headingInvoice(s.number(1)))
	s.sees(ignoredSecondPayment)
	s.hasPaid(s.number(1), 23)

	s.back()
	s.fill(fieldAmountInEUR, "50")
	s.click(buttonRecordPayment)
	s.sees("This form already recorded 23.00 EUR")
	s.holds(fieldAmountInEUR, "50")
	s.hasPaid(s.number(1), 23)
	s.click(buttonRecordAnotherPayment)
	s.sees("73.00 of 123.00 paid.")
	s.hasPaid(s.number(1), 23, 50)
	s.attempts("created", "replayed", "mismatch", "created")
}

// withIssued is start after a login, on the page of an issued invoice of 123.00 EUR.
func withIssued(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := start(t, circumstances...)
	s.login()
	s.open(s.issuedByAPI(s.number(1)))
	s.seesHeading(headingInvoice(s.number(1)))
	s.log.forget()
	return s
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
