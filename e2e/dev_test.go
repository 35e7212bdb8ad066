package e2e

import (
	"net/http/httptest"
	"strings"
	"testing"

	"onlyonce/internal/dev"
)

// TestMakeDevLoadsPagesAgain: under the app's own Content-Security-Policy.
func TestMakeDevLoadsPagesAgain(t *testing.T) {
	onlyHere(t, "it is about make dev")
	t.Parallel()
	site := dev.NewSite("../static")
	front := httptest.NewServer(site)
	t.Cleanup(front.Close) // when the browser is gone
	s := start(t)
	site.Serve(strings.TrimPrefix(s.origin, "http://"))
	s.origin = front.URL
	message := s.page.Locator("#dev-message")
	loadsAgain := func() {
		t.Helper()
		_, err := s.page.WaitForFunction("() => !window.mark", nil)
		s.check(err, "load the page again")
	}
	s.login()
	s.open("/")
	s.isLoggedIn()

	s.leaveMark()
	site.Fail("main.go:1: syntax error")
	s.check(expect.Locator(message).ToContainText("main.go:1: syntax error"), "see what is wrong")
	s.hasMark()
	site.Reload()
	loadsAgain()
	s.check(expect.Locator(message).ToHaveCount(0), "see that nothing is wrong any more")

	s.open("/customers/new")
	s.fill(fieldName, "Ada")
	s.leaveMark()
	site.Reload()
	s.check(expect.Locator(message).ToContainText("what you have typed"), "be asked")
	s.holds(fieldName, "Ada")
	s.hasMark()
}
