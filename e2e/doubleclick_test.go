package e2e

import "testing"

// The most common duplicate of all: people who learnt to double-click, and
// people who click again because nothing seems to happen.

func TestDoubleClick(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.listenToForm()

	release := s.lockInvoices()
	s.pointAt("Create invoice")
	s.tap(2)
	s.waiting(1)
	s.formSaid("sent", "kept back", "button: Saving… (disabled)", "status: Saving…")
	release()

	s.seesInvoice("2026-7001", created("2026-7001"))
	s.hasOneNew("2026-7001")
	s.attempts("created")
}

func TestDoubleTapOnAPhone(t *testing.T) {
	t.Parallel()
	s := start(t, onPhone)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")

	release := s.lockInvoices()
	s.pointAt("Create invoice")
	s.touch(2)
	s.waiting(1)
	release()

	s.seesInvoice("2026-7001", created("2026-7001"))
	s.hasOneNew("2026-7001")
	s.attempts("created")
}

func TestEnterThenClick(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.listenToForm()

	release := s.lockInvoices()
	s.pointAt("Create invoice")
	s.check(s.field("Number").Focus(), "put the cursor into the number")
	s.press("Enter")
	s.waiting(1)
	s.tap(1)
	s.formSaid("sent", "kept back")
	release()

	s.seesInvoice("2026-7001", created("2026-7001"))
	s.hasOneNew("2026-7001")
	s.attempts("created")
}

// Without JavaScript nothing holds the second click back: every click is a POST
// that drops the answer to the one before. The last answer must be the invoice.
func TestFiveClicksWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")

	release := s.lockInvoices()
	s.pointAt("Create invoice")
	for click := range 5 {
		s.tap(1)
		s.waiting(click + 1)
	}
	release()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.hasOneNew("2026-7001")
	// A request goes on without its client, so those in the middle find the invoice, too.
	s.attempts("created", "replayed", "replayed", "replayed", "replayed")
}

// The same two clicks, once with the submit guard and once with its script
// blocked: it is the guard that keeps the second click from the server, and the
// server that keeps the second invoice from existing.
func TestSubmitGuardCarriesWeight(t *testing.T) {
	t.Parallel()
	t.Run("with the script", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		s.login()
		s.newInvoice()
		s.fillInvoice("2026-7001")
		s.listenToForm()

		release := s.lockInvoices()
		s.pointAt("Create invoice")
		s.tap(1)
		s.waiting(1)
		s.tap(1)
		s.formSaid("sent", "kept back")
		release()

		s.seesInvoice("2026-7001", created("2026-7001"))
		s.hasOneNew("2026-7001")
		s.attempts("created")
	})
	t.Run("without the script", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		s.blockScript("submit-guard")
		s.login()
		s.newInvoice()
		s.fillInvoice("2026-7001")

		release := s.lockInvoices()
		s.pointAt("Create invoice")
		s.tap(1)
		s.waiting(1)
		s.tap(1)
		s.waiting(2)
		release()

		s.seesInvoice("2026-7001", ignoredDuplicate)
		s.hasOneNew("2026-7001")
		s.attempts("created", "replayed")
	})
}
