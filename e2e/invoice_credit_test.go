package e2e

import "testing"

// TestPayRefundAndCredit pays all, refunds a part, and credits the open rest.
func TestPayRefundAndCredit(t *testing.T) {
	t.Parallel()
	s := withIssued(t, withoutJavaScript)
	invoice := s.page.URL()
	s.pay()
	s.click(buttonRecordPayment)
	s.sees(saysNothingIsOpen)

	s.follow(linkRefund("123.00"))
	s.fill(fieldAmountInEUR, "61.50")
	s.click(buttonRecordRefund)
	s.sees("61.50 of 123.00 paid.")

	s.follow(linkCredit)
	s.holds(fieldQuantity, "") // the full rest is more than the open amount
	s.sees("That's more than is open")
	s.fill(fieldQuantity, "1")
	s.click(buttonCreateCreditNote)
	s.seesHeading(headingCreditNote)
	s.sees("EUR 61.50")
	s.open(invoice)
	s.sees("61.50 credited. Nothing is open.")
	s.hasBooks(s.number(1), booksText("paid", "61.50", "61.50", "0.00", 1, 1))
}
