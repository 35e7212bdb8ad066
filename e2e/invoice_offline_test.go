package e2e

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// The connection is lost when a person sends a form. The form waits, shows this, and is sent when the connection is back: once,
// despite further clicks.

func TestFormIsSentWhenTheConnectionIsBack(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	form := s.page.URL()
	s.offline(true)
	s.pointAt(buttonCreateInvoice)
	s.tap(2)
	s.isTold(saysOfflineAndKept)
	s.tap(3)
	s.press("Control+Enter")
	s.isOnForm(form)
	s.fill(fieldNotes, "Thank you.") // the form can still be edited
	s.hasNew(0)
	s.offline(false)

	s.isDoneOnce(created(s.number(1)), "created")
	s.sees("Thank you.")
	s.keeps(0)
}

func TestFormIsNotSentIfThePersonDecidesSo(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	s.offline(true)
	// The button may appear under the mouse during a double click, so it accepts no click at first.
	_, err := s.page.Evaluate(`() => {
		const cancel = document.querySelector("[data-cancel]");
		new MutationObserver(() => window.appearedInert ??= cancel.inert).observe(cancel, { attributeFilter: ["hidden"] });
	}`)
	s.check(err, "watch the button")
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.isTold(saysOfflineAndKept)
	if inert, err := s.page.Evaluate(`() => window.appearedInert`); err != nil || inert != true {
		t.Errorf("the button that takes it back is inert at first: %v, %v", inert, err)
	}
	s.click(buttonDoNotSend)
	s.check(expect.Locator(s.button(buttonDoNotSend)).ToBeHidden(), "no longer wait")
	s.isTold(saysNotSent)
	s.offline(false)
	s.reachesTheServer()
	s.holds(fieldNumber, s.number(1))
	s.hasNew(0)
	s.attempts()

	s.create()
	s.isDoneOnce(created(s.number(1)), "created")
}

// The same without a mouse: the focus is never lost.
func TestFormIsNotSentByKeyboard(t *testing.T) {
	withFocus(t)
	s := atFilledForm(t)
	s.offline(true)
	s.tabTo(s.button(buttonCreateInvoice))
	s.press("Enter")
	s.isTold(saysOfflineAndKept)
	s.isFocused(s.button(buttonCreateInvoice))
	s.isAccessibleNow("waiting for the connection")
	s.check(expect.Locator(s.button(buttonDoNotSend)).Not().ToHaveAttribute("inert", ""), "be able to take it back")
	s.tabTo(s.button(buttonDoNotSend))
	s.press("Enter")
	s.isTold(saysNotSent)
	s.isFocused(s.button(buttonCreateInvoice))
	s.isAccessibleNow("not sent")
	s.offline(false)
	s.reachesTheServer()
	s.press("Enter")
	s.isDoneOnce(created(s.number(1)), "created")
}

// The connection is lost while the server works. The form cannot know whether the request has arrived, and is sent again with the
// same key.
func TestConnectionIsLostBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t, keepingPages)
	s.listenToForm()
	lose, back := s.connection()
	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.waiting(1)
	lose()
	s.formSaid("status: " + saysOfflineAndSent)
	s.tap(2)
	back()
	s.waiting(2)
	release()

	s.isDoneOnce(ignoredDuplicate, "created", "replayed")
	s.keeps(0)
}

// The connection is lost after the answer has arrived: there is nothing left to send.
func TestConnectionIsLostAfterTheAnswer(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t, keepingPages)
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.offline(true)
	s.back()
	s.holds(fieldNumber, s.number(1))
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.isTold(saysOfflineAndKept)
	s.offline(false)
	s.isDoneOnce(ignoredDuplicate, "created", "replayed")
	s.keeps(0)
}

// A tab that waits and is closed sends nothing. Its input is offered again.
func TestTabIsClosedWhileItWaits(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	form := s.page.URL()
	s.offline(true)
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.isTold(saysOfflineAndKept)
	s.closeTab()
	s.offline(false)
	s.open(form)
	s.click(buttonRestore)
	s.hasNew(0)
	s.create()
	s.isDoneOnce(created(s.number(1)), "created")
}

// A browser on a machine without a network is offline, but may still reach a local server.
func TestBrowserIsWrongAboutBeingOffline(t *testing.T) {
	t.Parallel()
	s := start(t)
	wrong := playwrightScript(`Object.defineProperty(Navigator.prototype, "onLine", { get: () => false })`)
	s.check(s.browser.AddInitScript(wrong), "be wrong")
	s.login() // the login is a form as well
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.create()
	s.isDoneOnce(created(s.number(1)), "created")
}

// A button that changes the state of a record waits in the same way.
func TestButtonIsPressedOffline(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	s.offline(true)
	s.pointAt(buttonArchive)
	s.tap(2)
	s.isTold(saysOfflineNothing)
	s.offline(false)
	s.sees(saysArchived)
	s.hasChanged("customer.archive")
	s.attempts("changed")
}

// offline switches the browser's connection off or on. A request under way continues.
func (s *session) offline(yes bool) {
	s.t.Helper()
	s.check(s.browser.SetOffline(yes), "change the connection")
}

// connection simulates a lost connection for a page that waits for an answer, when Playwright cannot inspect the page and its
// SetOffline would wait. The page itself checks whether the connection is lost or back, and the test answers.
func (s *session) connection() (lose, back func()) {
	s.t.Helper()
	onlyInChromium(s.t, "a form that is sent ends the other requests of its page, with which the scenario loses the connection")
	var lost atomic.Bool
	asked := make(chan playwright.Route, 1)
	s.check(s.page.Route("**/healthz", func(r playwright.Route) {
		if lost.Load() {
			_ = r.Abort("internetdisconnected")
		} else {
			_ = r.Continue()
		}
	}), "watch the connection")
	s.check(s.page.Route("**/lost", func(r playwright.Route) { asked <- r }), "wait for the page to ask")
	_, err := s.page.Evaluate(`() => void fetch("/lost").then(() => {
		Object.defineProperty(navigator, "onLine", { get: () => false });
		dispatchEvent(new Event("offline"));
	})`)
	s.check(err, "let the page ask")
	var route playwright.Route
	select {
	case route = <-asked:
	case <-time.After(patience):
		s.t.Fatal("the page does not ask")
	}
	lose = func() {
		s.t.Helper()
		lost.Store(true)
		s.check(route.Fulfill(playwright.RouteFulfillOptions{Status: new(204)}), "tell the page")
	}
	return lose, func() { lost.Store(false) }
}

// isTold checks the message beside the form.
func (s *session) isTold(text string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("[data-submit-panel] [role=status]")).ToHaveText(text), "be told: "+text)
}

// reachesTheServer sends two requests from the page. Afterwards the answers to the page's earlier requests have arrived.
func (s *session) reachesTheServer() {
	s.t.Helper()
	_, err := s.page.Evaluate(`async () => { for (let n = 0; n < 2; n++) await fetch("/healthz", { cache: "no-store" }) }`)
	s.check(err, "reach the server")
}
