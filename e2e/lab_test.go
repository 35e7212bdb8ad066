package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/lab/labapp"
	"onlyonce/internal/postgres/pgtest"
)

// Visitors of the demo try to break the promise: real requests to real servers, with a layer of protection removed.
func TestLab(t *testing.T) {
	onlyHere(t, "it starts servers and databases of its own")
	pgtest.Long(t)
	withFocus(t)
	s := newSession(t)
	program, err := program()
	s.check(err, "build the program")
	s.configure = func(c *app.Config) { c.Site.Extras = []app.OpenExtra{labapp.Open(program)} }
	s.findApp()
	for name, scenario := range map[string]func(*testing.T, *session){
		"live": labLive, "without JavaScript": labWithoutJavaScript, "by keyboard": labByKeyboard, "accessible": labAccessible,
	} {
		t.Run(name, func(t *testing.T) {
			withFocus(t)
			scenario(t, s)
		})
	}
}

// visitor returns a session for another visitor of the same app.
func (s *session) visitor(t *testing.T, email string, options ...option) *session {
	t.Helper()
	other := *s
	other.t, other.form, other.story = t, &formLog{}, newStory()
	other.openBrowser(options...)
	answer, err := other.browser.Request().Post(s.origin+"/login", playwright.APIRequestContextPostOptions{
		Form: map[string]any{"email": email, "password": demoPassword}, MaxRedirects: new(0),
	})
	other.check(err, "log in")
	other.check(answer.Dispose(), "log in")
	other.open("/lab")
	other.seesHeading("Try to break it")
	return &other
}

// orderRun guesses the first number, removes a layer, or all, and runs the experiment.
func (s *session) orderRun(title, layer string) {
	s.t.Helper()
	s.open("/lab")
	s.follow(title)
	s.seesHeading(title)
	s.check(s.page.GetByRole("radio").First().Check(), "guess")
	boxes, err := s.page.GetByRole("checkbox").All()
	s.check(err, "find the layers")
	for _, box := range boxes {
		name, err := box.Locator("xpath=following-sibling::span/strong").TextContent()
		s.check(err, "read the name of a layer")
		if layer == "" || strings.EqualFold(name, layer) {
			s.check(box.Check(), "take away "+name)
		}
	}
	s.click("Run it")
}

// cameOut checks the results of both sides: in words, and in the table of attempts.
func (s *session) cameOut(layer, want string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("[data-lab-after]")).ToBeVisible(), "be over")
	s.moment()
	attempts, things, _ := strings.Cut(want, ", ")
	number, noun, _ := strings.Cut(things, " ")
	whole := s.page.GetByRole("region", playwright.PageGetByRoleOptions{Name: "With all layers", Exact: new(true)})
	s.side(whole, attempts+", 1 "+strings.TrimSuffix(noun, "s"))
	s.side(s.page.Locator(".lab-side[aria-label^='Without "+layer+"']"), want)
	s.sees(" was " + number + ".")
}

func (s *session) side(side playwright.Locator, want string) {
	s.t.Helper()
	var attempts, things int
	_, err := fmt.Sscanf(want, "%d attempts, %d", &attempts, &things)
	s.check(err, "read what is wanted")
	s.check(expect.Locator(side.Locator(".lab-things")).ToHaveText(want), want)
	tables := side.Locator("table")
	s.check(expect.Locator(tables.Nth(0).Locator("tbody tr")).ToHaveCount(attempts), "all attempts in the table")
	s.check(expect.Locator(tables.Nth(1).Locator("tbody tr")).ToHaveCount(things), "all rows of the database")
	s.check(expect.Locator(side.Locator(".lane.made")).ToHaveCount(things), "a lane to each row")
	s.check(expect.Locator(side.Locator(".lane")).ToHaveCount(attempts), "a lane for each attempt")
}

// labLive watches a run on a page that is never reloaded, and checks that only milestones are announced.
func labLive(t *testing.T, app *session) {
	t.Helper()
	moving := func(o *circumstances) { o.ReducedMotion = playwright.ReducedMotionNoPreference }
	for name, c := range map[string]struct {
		in    option
		grows bool
	}{"moving": {moving, true}, "calm": {withJavaScript, false}} {
		t.Run(name, func(t *testing.T) {
			if c.grows {
				onlyInChromium(t, "all windows prefer reduced motion there")
			}
			s := app.visitor(t, demoEmail, c.in)
			s.orderRun("Kill the server", "the intent")
			_, err := s.page.Evaluate(`() => {
				window.stayed = true;
				window.said = [];
				window.grew = 0;
				document.addEventListener("animationstart", () => (window.grew += 1));
				const status = document.querySelector("[data-lab-status]");
				new MutationObserver(() => {
					if (!status.textContent.startsWith("Waiting")) window.said.push(status.textContent); // for other visitors
				}).observe(status, { childList: true });
			}`)
			s.check(err, "watch the page")
			s.cameOut("the intent", "3 attempts, 2 invoices")
			found, err := s.page.Evaluate(`() => [window.stayed ?? false, window.said ?? [], window.grew > 0]`)
			s.check(err, "ask what was seen")
			seen := found.([]any)
			said := seen[1].([]any)
			const done = "Done. With all layers: 3 attempts, 1 invoice. Without the intent: 3 attempts, 2 invoices."
			assert.Thatf(s.t, seen[0] == true && seen[2] == c.grows && len(said) != 0 && len(said) <= 4 && said[len(said)-1] == done,
				"stayed, said, grew: %v", seen)
			s.check(expect.Locator(s.page.Locator("main")).ToContainText("You said 1. Without the intent it was 2."), "see the verdict")
		})
	}
}

// labWithoutJavaScript checks that all clicks are sent, and that the page reloads itself until the run is over.
func labWithoutJavaScript(t *testing.T, app *session) {
	t.Helper()
	s := app.visitor(t, demoEmail, withoutJavaScript)
	s.orderRun("Click five times", "the intent")
	s.check(expect.Locator(s.page.Locator("main")).ToContainText("Without the intent it was 5."), "be over")
	s.sees("The intent stopped 4.")
	s.side(s.page.Locator(".lab-side").Last(), "5 attempts, 5 invoices")
	s.click("Also without the form lock")
	s.sees("Without the form lock and the intent: 5 invoices instead of 1.")
}

// labByKeyboard goes from the list to the result without a mouse.
func labByKeyboard(t *testing.T, app *session) {
	t.Helper()
	s := app.visitor(t, "globex@onlyonce.test")
	s.tabTo(s.link("Send one form from two tabs"))
	s.press("Enter")
	s.seesHeading("Send one form from two tabs")
	s.tabTo(s.page.GetByRole("checkbox"))
	s.press("Space", "Tab")
	s.isFocused(s.page.GetByRole("radio").First())
	s.press("Space", "ArrowRight", "ArrowRight", "Tab", "Enter")
	s.sees("You said 2. Without the intent it was 2.")
	s.tabTo(s.page.GetByText("All attempts as a table").First())
	s.press("Enter")
	row := s.page.GetByRole("rowheader", playwright.PageGetByRoleOptions{Name: "Tab 1"}).First()
	s.check(expect.Locator(row).ToBeVisible(), "open the table")
}

// labAccessible checks a run with fifty lanes and one with few.
func labAccessible(t *testing.T, app *session) {
	t.Helper()
	s := app.visitor(t, "globex@onlyonce.test")
	s.isAccessible("the lab")
	s.orderRun("Kill the server", "")
	s.isAccessible("a run that goes on")
	s.check(expect.Locator(s.page.Locator("[data-lab-after]")).ToBeVisible(), "be over")
	_, err := s.page.Evaluate(`() => document.querySelectorAll("details").forEach((d) => (d.open = true))`)
	s.check(err, "open everything")
	s.isAccessible("a run with few lanes")
	s.orderRun("Send it fifty times at once", "the kept key")
	s.check(expect.Locator(s.page.Locator("[data-lab-after]")).ToBeVisible(), "be over")
	s.isAccessible("a run with fifty lanes")
}

// labKinds returns the pages of the lab to which links lead.
func labKinds() []string { return []string{"/lab", "/lab/{experiment}"} }
