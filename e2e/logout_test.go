package e2e

import "testing"

// After logging out, the browser's Back button shows no private page: neither one that it kept alive (the back/forward cache) nor
// one that it kept as text (the HTTP cache), in any tab, with and without JavaScript. The test runs alone: beside other tests, Back
// sometimes came before the login page, a few milliseconds later.

func TestBackAfterLogout(t *testing.T) {
	for cache, pages := range map[string]option{"with back-forward cache": keepingPages, "without back-forward cache": withJavaScript} {
		for name, javaScript := range withAndWithoutJavaScript {
			t.Run(cache+", "+name, func(t *testing.T) {
				s := start(t, pages, javaScript)
				s.logInByForm() // a login session that can be ended
				s.addAda()
				s.open("/customers?q=" + s.mark)
				s.follow(s.named("Ada Byron"))
				other := s.tab("/customers?q=" + s.mark)
				other.follow(s.named("Ada Byron"))
				other.open("/rules") // a page without private content
				other.seesHeading("What happens only once")

				s.click(buttonLogOut)
				s.seesHeading(headingLogIn)
				// The stylesheet hides the old pages. A person sees the page only afterwards, but Playwright sees it before.
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
