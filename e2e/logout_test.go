package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// After logging out, the browser's Back button shows nothing of what was there:
// neither a page that it kept alive (the back/forward cache) nor one that it kept
// as text (the HTTP cache), in no tab, with and without JavaScript.

func TestBackAfterLogout(t *testing.T) {
	t.Parallel()
	for cache, browser := range map[string]func() (playwright.Browser, error){
		"with back-forward cache": chromium, "without back-forward cache": withoutPageCache,
	} {
		for name, javaScript := range withAndWithoutJavaScript {
			t.Run(cache+", "+name, func(t *testing.T) {
				t.Parallel()
				s := startIn(t, browser, javaScript)
				s.login()
				s.open("/customers")
				s.follow("Halden Books")
				other := s.tab("/customers")
				other.follow("Halden Books")
				other.follow("API") // which says nothing private
				other.seesHeading("API")

				s.click("Log out")
				s.seesHeading("Log in")
				for range 2 { // the customer, the list
					s.back()
					s.seesHeading("Log in")
					s.seesNot("Halden Books")
				}
				other.back()
				other.seesHeading("Log in")
				other.seesNot("Halden Books")
			})
		}
	}
}
