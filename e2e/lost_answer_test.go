package e2e

import "testing"

// The worst moment for the network to fail: the invoice is committed, the answer
// is lost, and the person is looking at the browser's error page.

func TestAnswerLostAfterCommitThenReload(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.loseNextAnswer()
	s.pointAt("Create invoice")
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()
	s.hasOneNew("2026-7001")

	s.refresh()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}

func TestAnswerLostAfterCommitThenBackAndCreate(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.loseNextAnswer()
	s.pointAt("Create invoice")
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()

	s.back()
	s.isOnForm(form)
	s.holds("Number", "2026-7001")
	s.create()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}

// One click, two POSTs, and nobody is told: when a connection that was used
// before is reset, Chromium takes it for an idle one that the server had just
// closed, and sends the request again. The server had committed it.
func TestBrowserSilentlySendsAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	wire := s.throughProxy()
	s.login()
	s.newInvoice()
	s.fillInvoice("2026-7001")
	wire.cutNextAnswer()

	s.create()

	s.seesInvoice("2026-7001", ignoredDuplicate)
	if n := wire.posts.Load(); n != 2 {
		t.Errorf("one click sent %d POSTs, want 2: the browser no longer sends again by itself", n)
	}
	s.hasOneNew("2026-7001")
	s.attempts("created", "replayed")
}
