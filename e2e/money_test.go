package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Money is counted once: one payment for one wish, and never more than is open,
// whatever a hand, a browser or a wire repeats.

const (
	ignoredSecondPayment = "Payment recorded. We ignored the duplicate submission and kept your first request."
	openHasChanged       = "The open amount has changed since you opened this form. The payment was not recorded."
)

func TestDoubleClickOnAPayment(t *testing.T) {
	t.Parallel()
	s := withIssued(t)
	s.pay()
	s.listenToForm()

	release := s.lock("payments")
	s.pointAt("Record payment")
	s.tap(2)
	s.waiting(1)
	s.formSaid("sent", "kept back")
	release()

	s.sees("Payment recorded.")
	s.hasPaid("2026-7001", 123)
	s.attempts("created")
}

func TestFiveClicksOnAPaymentWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := withIssued(t, withoutJavaScript)
	s.pay()
	s.fill("Amount in EUR", "23") // so that two of them would be within what is open

	release := s.lock("payments")
	s.pointAt("Record payment")
	for click := range 5 {
		s.tap(1)
		s.waiting(click + 1)
	}
	release()

	s.sees(ignoredSecondPayment)
	s.hasPaid("2026-7001", 23)
	s.attempts("created", "replayed", "replayed", "replayed", "replayed")
}

// Two wishes, two keys: both want to pay all that is open.
func TestTwoTabsPayTheFullAmount(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, javaScript)
			other := s.tab(s.page.URL())
			s.pay()
			other.pay()
			form := other.page.URL()
			other.fill("Bank or provider (optional)", "bank")
			other.fill("Reference (optional)", "R-1")

			release := s.lock("payments")
			s.pointAt("Record payment")
			s.tap(1)
			s.waiting(1)
			other.pointAt("Record payment")
			other.tap(1)
			s.until("both wait", func() bool { return s.inProgress() == 2 })
			release()

			s.sees("Payment recorded.")
			other.sees(openHasChanged)
			other.sees("Open on 2026-7001: 0.00 EUR")
			other.isOnForm(form)
			other.holds("Amount in EUR", "123.00")
			other.holds("Reference (optional)", "R-1")
			s.hasPaid("2026-7001", 123)

			other.click("Record payment")
			other.sees("The open amount is 0.00 EUR. The payment is larger, and was not recorded.")
			other.isWrong("Amount in EUR")
			s.hasPaid("2026-7001", 123)
			s.attempts("created", "conflict", "conflict")
			other.follow("Open the invoice")
			other.seesHeading("Invoice 2026-7001")
		})
	}
}

// Whoever has seen what is open now may pay it.
func TestTwoTabsPayTheirParts(t *testing.T) {
	t.Parallel()
	s := withIssued(t)
	other := s.tab(s.page.URL())
	s.pay()
	other.pay()
	for _, who := range []*session{s, other} {
		who.fill("Amount in EUR", "23")
		who.click("Record payment")
	}
	s.sees("23.00 of 123.00 paid.")
	other.sees(openHasChanged)
	other.sees("Open on 2026-7001: 100.00 EUR")
	s.hasPaid("2026-7001", 23)
	other.click("Record payment")
	other.sees("46.00 of 123.00 paid.")
	s.hasPaid("2026-7001", 23, 23)
	s.attempts("created", "conflict", "created")
}

func TestSameReferenceTwice(t *testing.T) {
	t.Parallel()
	s := withIssued(t)
	for range 2 {
		s.pay()
		s.fill("Amount in EUR", "23")
		s.fill("Bank or provider (optional)", "bank")
		s.fill("Reference (optional)", "R-1")
		s.click("Record payment")
	}
	s.sees("The payment R-1 of bank is recorded already.")
	s.isWrong("Reference (optional)")
	s.hasPaid("2026-7001", 23)
	s.fill("Reference (optional)", "R-2")
	s.click("Record payment")
	s.sees("46.00 of 123.00 paid.")
	s.hasPaid("2026-7001", 23, 23)
	s.attempts("created", "conflict", "created")
}

// One click, two POSTs, and the second one comes when nothing is open any more.
func TestBrowserSilentlySendsAPaymentAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	wire := s.throughProxy()
	s.login()
	s.open(s.issuedByAPI("2026-7001"))
	s.log.forget()
	s.pay()
	wire.cutNextAnswer()

	s.click("Record payment")

	s.seesHeading("Invoice 2026-7001")
	s.sees(ignoredSecondPayment)
	if n := wire.posts.Load(); n != 2 {
		t.Errorf("one click sent %d POSTs, want 2: the browser no longer sends again by itself", n)
	}
	s.hasPaid("2026-7001", 123)
	s.attempts("created", "replayed")
}

func TestBackAfterAPayment(t *testing.T) {
	t.Parallel()
	for name, launch := range map[string]func() (playwright.Browser, error){"page cache": chromium, "no page cache": withoutPageCache} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, launch)
			s.login()
			s.open(s.issuedByAPI("2026-7001"))
			s.log.forget()
			s.pay()
			form := s.page.URL()
			s.fill("Amount in EUR", "23")
			s.click("Record payment")
			s.sees("Payment recorded.")

			s.back()
			s.isOnForm(form)
			s.check(expect.Locator(s.page.GetByRole("alert")).ToContainText("This form already recorded 23.00 EUR"),
				"see that the form is used")
			s.fill("Amount in EUR", "23")
			s.click("Record payment")
			s.seesHeading("Invoice 2026-7001")
			s.sees(ignoredSecondPayment)
			s.hasPaid("2026-7001", 23)

			s.back()
			s.fill("Amount in EUR", "50")
			s.click("Record payment")
			s.sees("This form already recorded 23.00 EUR")
			s.holds("Amount in EUR", "50")
			s.hasPaid("2026-7001", 23)
			s.click("Record another payment")
			s.sees("73.00 of 123.00 paid.")
			s.hasPaid("2026-7001", 23, 50)
			s.attempts("created", "replayed", "mismatch", "created")
		})
	}
}

func TestPayWhatWasVoided(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, javaScript)
			other := s.tab(s.page.URL())
			other.pay()
			other.fill("Reference (optional)", "R-1")
			other.fill("Bank or provider (optional)", "bank")
			s.click("Void")
			s.sees("Invoice 2026-7001 voided.")

			other.click("Record payment")
			other.sees("This invoice is not issued. Only an issued invoice can be paid. Nothing was recorded.")
			other.holds("Reference (optional)", "R-1")
			s.hasPaid("2026-7001")
			s.hasLived("invoice.issue", "invoice.void")
			s.attempts("changed", "conflict")
			other.follow("Open the invoice")
			other.sees("This invoice does not count.")
		})
	}
}

func TestVoidWhatWasPaid(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, javaScript)
			other := s.tab(s.page.URL())
			s.pay()
			s.fill("Amount in EUR", "23")
			s.click("Record payment")
			s.sees("23.00 of 123.00 paid.")

			other.click("Void")
			other.seesHeading("You cannot void this invoice.")
			other.sees("Payments were recorded for it. Nothing was changed.")
			s.hasPaid("2026-7001", 23)
			s.hasLived("invoice.issue")
			s.attempts("created", "conflict")
			other.follow("Open the invoice")
			other.sees("23.00 of 123.00 paid.")
		})
	}
}

// The invoice belongs to the first business, so the payment cannot be recorded for the other one.
func TestPaymentOfAnotherTenant(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, javaScript)
			s.pay()
			s.fill("Amount in EUR", "23")
			other := s.tab("/invoices")
			other.click("Log out")
			other.loginAs("globex@onlyonce.test")

			s.click("Record payment")
			s.seesHeading("This form belongs to Acme Studio, and you are now logged in as Globex Works.")
			s.sees("Nothing was saved.")
			s.check(expect.Locator(s.button("Create it for Globex Works")).ToHaveCount(0), "not be offered what cannot be")
			s.hasPaid("2026-7001")

			other.click("Log out")
			other.loginAs("acme@onlyonce.test")
			s.click("Try again")
			s.sees("23.00 of 123.00 paid.")
			s.hasPaid("2026-7001", 23)
		})
	}
}

// withIssued is start with somebody logged in, on the page of an issued invoice of 123.00 EUR.
func withIssued(t *testing.T, circumstances ...option) *session {
	t.Helper()
	s := start(t, circumstances...)
	s.login()
	s.open(s.issuedByAPI("2026-7001"))
	s.seesHeading("Invoice 2026-7001")
	s.log.forget()
	return s
}

// issuedByAPI creates an issued invoice of 123.00 EUR, and gives the path of its page.
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
	s.follow("Record payment")
	s.seesHeading("Record a payment")
}
