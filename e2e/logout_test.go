package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// After logging out, the browser's Back button shows nothing of what was there:
// neither a page that it kept alive (the back/forward cache) nor one that it kept
// as text (the HTTP cache), in no tab, with and without JavaScript. Beside other tests it was seen that Back came first, a few
// milliseconds after the page of the login: so nothing runs beside it.

func TestBackAfterLogout(t *testing.T) {
	onlyInChromium(t, "it is about the way that Chromium keeps pages")
	for cache, browser := range map[string]func() (playwright.Browser, error){
		"with back-forward cache": withPageCache, "without back-forward cache": withoutPageCache,
	} {
		for name, javaScript := range withAndWithoutJavaScript {
			t.Run(cache+", "+name, func(t *testing.T) {
				s := startIn(t, browser, javaScript)
				s.logInByForm() // to log out again
				s.addAda()
				s.open("/customers?q=" + s.mark)
				s.follow(s.named("Ada Byron"))
				other := s.tab("/customers?q=" + s.mark)
				other.follow(s.named("Ada Byron"))
				other.follow(linkRules) // which says nothing private
				other.seesHeading("What happens only once")

				s.click(buttonLogOut)
				s.seesHeading(headingLogIn)
				// Its stylesheet takes the old pages away, and nobody sees this one before. Playwright does.
				_, err := s.page.WaitForFunction(`() => document.readyState === "complete"`, nil)
				s.check(err, "wait for the stylesheet")
				for range 2 { // the customer, the list
					s.back()
					s.seesHeading(headingLogIn)
					s.seesNot(s.named("Ada Byron"))
				}
				other.back()
				other.seesHeading(headingLogIn)
				other.seesNot(s.named("Ada Byron"))
			})
		}
	}
}
