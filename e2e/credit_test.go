package e2e

import "testing"

// Money that goes back is counted once as well, whatever a hand repeats: pay all,
// refund a part of it, and credit what is open then, each clicked five times.
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
			s.holds(fieldQuantity, "2")
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

// clickFiveTimes clicks a button while nobody can write to the table. With JavaScript one attempt is sent, without
// five, of which one does it.
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
