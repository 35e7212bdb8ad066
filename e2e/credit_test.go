package e2e

import (
	"strings"
	"testing"
)

// Refunds and credits are counted once, too: pay all, refund a part, and credit the open rest, each clicked five times.
func TestPayRefundAndCreditClickedFiveTimes(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, javaScript)
			invoice := s.page.URL()

			s.pay()
			s.clickFiveTimes(buttonRecordPayment, "payments", name)
			s.sees(saysNothingIsOpen)

			s.follow(linkRefund("123.00"))
			s.seesHeading(headingRecordARefund)
			s.holds(fieldAmountInEUR, "123.00")
			s.fill(fieldAmountInEUR, "61.50")
			s.clickFiveTimes(buttonRecordRefund, "refunds", name)
			s.sees("61.50 of 123.00 paid.")

			s.follow(linkCredit)
			s.seesHeading(headingNewCreditNote)
			s.holds(fieldQuantity, "") // the full rest is more than the open amount
			s.sees("That's more than is open")
			s.fill(fieldQuantity, "1")
			s.clickFiveTimes(buttonCreateCreditNote, "credit_notes", name)
			s.seesHeading(headingCreditNote)
			s.sees("EUR 61.50")

			s.open(invoice)
			s.sees("61.50 credited. Nothing is open.")
			s.hasBooks(s.number(1), booksText("paid", "61.50", "61.50", "0.00", 1, 1))
		})
	}
}

// clickFiveTimes clicks a button while the table is locked. With JavaScript one attempt is sent, without JavaScript five, and only
// the first one takes effect.
func (s *session) clickFiveTimes(button, table, circumstance string) {
	s.t.Helper()
	s.log.forget()
	release := s.lock(table)
	s.pointAt(button)
	if circumstance == "with JavaScript" {
		s.tap(5)
		s.waiting(1)
	} else {
		for click := range 5 {
			s.tap(1)
			s.waiting(click + 1)
		}
	}
	release()
	want := []string{"created"}
	if circumstance != "with JavaScript" {
		want = append(want, "replayed", "replayed", "replayed", "replayed")
	}
	s.attempts(want...)
}

// Dolibarr issue 7721: a payment was refunded twice, from two tabs. Here the second tab shows the rest.
func TestTwoTabsGiveBackTheFullAmount(t *testing.T) {
	t.Parallel()
	s := withIssued(t)
	s.payByAPI(s.page.URL()[len(s.origin):], "123.00", "")
	s.refresh()
	s.follow(linkRefund("123.00"))
	bare, _, _ := strings.Cut(s.page.URL(), "?")
	other := s.tab(bare)
	release := s.lock("refunds")
	for i, tab := range []*session{s, other} {
		tab.pointAt(buttonRecordRefund)
		tab.tap(1)
		s.until("it waits", func() bool { return s.inProgress() == i+1 })
	}
	release()

	s.sees("Refund recorded.")
	other.sees("The refundable amount has changed since you opened this form. The refund wasn't recorded.")
	other.moment()
	s.hasBooks(s.number(1), booksText("issued", "0.00", "0.00", "123.00", 1, 0))
}

// Invoice Ninja issue 4411: a credit note was created twice. Here the second tab shows the open amount.
func TestTwoTabsCreditTheWholeInvoice(t *testing.T) {
	t.Parallel()
	s := withIssued(t, withoutJavaScript)
	s.follow(linkCredit)
	bare, _, _ := strings.Cut(s.page.URL(), "?")
	other := s.tab(bare)
	release := s.lock("credit_notes")
	for i, tab := range []*session{s, other} {
		tab.pointAt(buttonCreateCreditNote)
		tab.tap(1)
		s.until("it waits", func() bool { return s.inProgress() == i+1 })
	}
	release()

	s.seesHeading(headingCreditNote)
	other.sees("wasn't created")
	other.moment()
	s.hasBooks(s.number(1), booksText("credited", "0.00", "123.00", "0.00", 0, 1))
}
