package e2e

import "testing"

// A slow answer, and people who do not wait for the answer.

func TestSlowAnswerIsExplained(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	s.listenToForm()

	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.waiting(1)
	s.formSaid("sent", "button: Saving… (disabled)", "status: Saving…")
	s.formSaid("status: Still saving. Trying again is safe.")
	s.tap(1) // the message unlocks nothing
	s.formSaid("kept back")
	release()

	s.isDoneOnce(created(s.number(1)), "created")
}
