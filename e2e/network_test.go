package e2e

import (
	"embed"
	"errors"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

//go:embed scripts/*.js
var scripts embed.FS

func script(name string) string {
	text, err := scripts.ReadFile("scripts/" + name + ".js")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Events between the browser and the app, and around the page.

// refresh presses F5, and agrees to send a form again. It does not use page.Reload, which fails when the reload aborts a request in
// flight.
func (s *session) refresh() {
	s.t.Helper()
	s.tellf(byPerson, "refreshes the page")
	_, err := s.page.ExpectEvent("load", func() error {
		var err error
		switch {
		case inChromium():
			err = s.command("Page.reload")
		case inWebKit():
			_, err = s.page.Reload()
		default:
			_, err = s.page.Evaluate("() => location.reload()")
		}
		return err
	})
	s.check(err, "refresh the page")
}

// stop presses the browser's Stop button.
func (s *session) stop() {
	s.t.Helper()
	s.tellf(byPerson, "stops loading")
	if !inChromium() {
		_, err := s.page.Evaluate("() => window.stop()")
		s.check(err, "stop loading")
		return
	}
	s.check(s.command("Page.stopLoading"), "stop loading")
}

// command sends a command of Chromium's DevTools protocol, in place of a click on one of the browser's buttons.
func (s *session) command(name string) error {
	wire, err := s.browser.NewCDPSession(s.page)
	if err != nil {
		return err
	}
	_, err = wire.Send(name, nil)
	return errors.Join(err, wire.Detach())
}

// back presses the browser's Back button. A page from the back/forward cache does not load, so only the commit can be awaited.
func (s *session) back() {
	s.t.Helper()
	s.tellf(byPerson, "goes back")
	if !inChromium() {
		s.traverse("history.back()")
		return
	}
	_, err := s.page.GoBack(playwright.PageGoBackOptions{WaitUntil: playwright.WaitUntilStateCommit})
	s.check(err, "go back")
}

func (s *session) forward() {
	s.t.Helper()
	s.tellf(byPerson, "goes forward")
	if !inChromium() {
		s.traverse("history.forward()")
		return
	}
	_, err := s.page.GoForward(playwright.PageGoForwardOptions{WaitUntil: playwright.WaitUntilStateCommit})
	s.check(err, "go forward")
}

// traverse goes back or forward by a script, and waits for the other page, if the history has one. Playwright gets no event for a
// page from Firefox's page cache, so its own method would time out.
func (s *session) traverse(script string) {
	s.t.Helper()
	const here = "() => location.href + performance.timeOrigin"
	before, err := s.page.Evaluate(here)
	s.check(err, "look at the page")
	_, err = s.page.Evaluate("() => " + script)
	s.check(err, script)
	s.within(10*time.Second, func() bool {
		now, err := s.page.Evaluate(here)
		return err == nil && now != before
	})
}

// leaveMark marks the living page. Only the back/forward cache preserves the mark.
func (s *session) leaveMark() {
	s.t.Helper()
	_, err := s.page.Evaluate("() => { window.mark = true }")
	s.check(err, "mark the page")
}

func (s *session) hasMark(want bool) {
	s.t.Helper()
	mark, err := s.page.Evaluate("() => window.mark === true")
	s.check(err, "look for the mark")
	assert.Thatf(s.t, mark == want, "the page came from the back/forward cache: %v", mark)
}

// blockScript makes one of the app's scripts fail to load.
func (s *session) blockScript(name string) {
	s.t.Helper()
	s.check(s.browser.Route("**/static/"+name+"*.js", func(r playwright.Route) {
		_ = r.Abort("blockedbyclient")
	}), "block a script")
}

// loseNextAnswer lets the next POST of an invoice reach the app, and resets the connection after the app has answered.
func (s *session) loseNextAnswer() {
	s.t.Helper()
	onlyInChromium(s.t, "Playwright doesn't know the body of a form")
	var lost bool // handlers are called one after the other
	s.check(s.page.Route(s.origin+"/invoices", func(r playwright.Route) {
		if lost || r.Request().Method() != "POST" {
			_ = r.Continue()
			return
		}
		lost = true
		_, _ = r.Fetch(playwright.RouteFetchOptions{MaxRedirects: new(0)})
		_ = r.Abort("connectionreset")
	}), "lose the next answer")
}

func (s *session) isOnBrowsersErrorPage() bool {
	on, err := s.page.Evaluate(isErrorPage)
	return err == nil && on == true // on an error, another page has just loaded
}

// isErrorPage reports whether the page is the browser's error page. In WebKit that is about:blank with a text.
const isErrorPage = `() => /^(chrome-error|about:neterror)/.test(document.documentURI) ||
	navigator.vendor.startsWith("Apple") && document.documentURI === "about:blank" && !!document.body?.innerText`

func (s *session) isOnBrowserError() {
	s.t.Helper()
	s.until("the browser shows its error page", s.isOnBrowsersErrorPage)
}
