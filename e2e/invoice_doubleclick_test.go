package e2e

import "testing"

// The most common duplicate of all: people who learnt to double-click, and people who click again because nothing seems to happen.
// fingers_test.go has more incidents of this kind. Here are the same two clicks, with the submit guard and with its script blocked.
// The guard keeps the second click from the server, and the server prevents the second invoice.
func TestSubmitGuardCarriesWeight(t *testing.T) {
	t.Parallel()
	t.Run("with the script", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		s.login()
		s.newInvoice()
		s.fillInvoice(s.number(1))
		s.listenToForm()

		release := s.lockInvoices()
		s.pointAt(buttonCreateInvoice)
		s.tap(1)
		s.waiting(1)
		s.tap(1)
		s.formSaid("sent", "kept back", "button: Saving… (disabled)", "status: Saving…")
		release()

		s.seesInvoice(s.number(1), created(s.number(1)))
		s.hasOneNew(s.number(1))
		s.attempts("created")
	})
	t.Run("without the script", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		s.blockScript("submit-guard")
		s.login()
		s.newInvoice()
		s.fillInvoice(s.number(1))

		release := s.lockInvoices()
		s.pointAt(buttonCreateInvoice)
		s.tap(1)
		s.waiting(1)
		s.tap(1)
		s.waiting(2)
		release()

		s.seesInvoice(s.number(1), ignoredDuplicate)
		s.hasOneNew(s.number(1))
		s.attempts("created", "replayed")
	})
}
