package e2e

import "testing"

// The worst moment for the network to fail: the invoice is committed, the answer
// is lost, and the person is looking at the browser's error page.

func TestAnswerLostAfterCommitThenReload(t *testing.T) {
	onlyInChromium(t, "it looks at the browser's own error page")
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.loseNextAnswer()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()
	s.hasOneNew(s.number(1))

	s.refresh()

	s.seesInvoice(s.number(1), ignoredDuplicate)
	s.hasOneNew(s.number(1))
	s.attempts("created", "replayed")
}

func TestAnswerLostAfterCommitThenBackAndCreate(t *testing.T) {
	onlyInChromium(t, "it looks at the browser's own error page")
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.loseNextAnswer()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()

	s.back()
	s.isOnForm(form)
	s.holds(fieldNumber, s.number(1))
	s.create()

	s.seesInvoice(s.number(1), ignoredDuplicate)
	s.hasOneNew(s.number(1))
	s.attempts("created", "replayed")
}

// One click, two POSTs, and nobody is told: when a connection that was used
// before is reset, Chromium takes it for an idle one that the server had just
// closed, and sends the request again. The server had committed it.
func TestBrowserSilentlySendsAgain(t *testing.T) {
	onlyInChromium(t, "others need not send a form again by themselves")
	t.Parallel()
	s := start(t)
	wire := s.throughProxy()
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	wire.cutNextAnswer()

	s.create()

	s.seesInvoice(s.number(1), ignoredDuplicate)
	if n := wire.posts.Load(); n != 2 {
		t.Errorf("one click sent %d POSTs, want 2: the browser no longer sends again by itself", n)
	}
	s.hasOneNew(s.number(1))
	s.attempts("created", "replayed")
}
