package e2e

import "testing"

// The most common duplicate of all: people who learnt to double-click, and
// people who click again because nothing seems to happen.

func TestDoubleClick(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.listenToForm()

	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(2)
	s.waiting(1)
	s.formSaid("sent", "kept back", "button: Saving… (disabled)", "status: Saving…")
	release()

	s.seesInvoice(s.number(1), created(s.number(1)))
	s.hasOneNew(s.number(1))
	s.attempts("created")
}

func TestDoubleTapOnAPhone(t *testing.T) {
	t.Parallel()
	s := start(t, onPhone)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))

	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.touch(2)
	s.waiting(1)
	release()

	s.seesInvoice(s.number(1), created(s.number(1)))
	s.hasOneNew(s.number(1))
	s.attempts("created")
}

func TestEnterThenClick(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.listenToForm()

	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.check(s.field(fieldNumber).Focus(), "put the cursor into the number")
	s.press("Enter")
	s.waiting(1)
	s.tap(1)
	s.formSaid("sent", "kept back")
	release()

	s.seesInvoice(s.number(1), created(s.number(1)))
	s.hasOneNew(s.number(1))
	s.attempts("created")
}

// Without JavaScript nothing holds the second click back: every click is a POST
// that drops the answer to the one before. The last answer must be the invoice.
func TestFiveClicksWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))

	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	for click := range 5 {
		s.tap(1)
		s.waiting(click + 1)
	}
	release()

	s.seesInvoice(s.number(1), ignoredDuplicate)
	s.hasOneNew(s.number(1))
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
		s.fillInvoice(s.number(1))
		s.listenToForm()

		release := s.lockInvoices()
		s.pointAt(buttonCreateInvoice)
		s.tap(1)
		s.waiting(1)
		s.tap(1)
		s.formSaid("sent", "kept back")
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
