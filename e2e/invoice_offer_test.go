package e2e

import "testing"

// An offer appears and waits. It takes neither the focus nor a click that was meant for another element, and can be reached and
// answered by keyboard.

func TestOfferIsCalm(t *testing.T) {
	withFocus(t)
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			withFocus(t)
			s := atFilledForm(t, width)
			s.open("/invoices")
			s.pointAtElement(s.link(linkNewInvoice), linkNewInvoice)
			s.tap(1)
			s.isOffered(saysUnsavedInvoice)
			inOffer, err := s.page.Evaluate(
				`([x, y]) => !!document.elementFromPoint(x, y)?.closest(".kept a, .kept button")`, []float64{s.x, s.y})
			if s.check(err, "look under the mouse"); inOffer != false {
				t.Error("a second click on New invoice would answer the offer")
			}
			s.isFocused(s.field(fieldBillTo))
			s.isAccessible("an offer")
			s.press("Shift+Tab")
			s.isFocused(s.button(buttonDiscard))
			s.press("Shift+Tab")
			s.isFocused(s.link(linkContinue))
			s.press("Enter")
			s.holds(fieldNumber, s.number(1))
			s.isFocused(s.field(fieldBillTo))
			s.isOffered(saysRestored)
			s.isAccessibleNow("restored")
		})
	}
}
