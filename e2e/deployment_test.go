package e2e

import (
	"cmp"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// deployment is a running instance that the scenarios are tried against, with BASE_URL set. They know of it what a person
// and a program know: an address, a login and a token of one business.
type deployment struct {
	url, email, password, token string
}

// deployed returns the deployment that was asked for, or nil: then each test has an app of its own.
func deployed() *deployment {
	url := strings.TrimRight(os.Getenv("BASE_URL"), "/")
	if url == "" {
		return nil
	}
	return &deployment{
		url: url, email: os.Getenv("E2E_EMAIL"), password: os.Getenv("E2E_PASSWORD"), token: os.Getenv("E2E_TOKEN"),
	}
}

// Logins of the demo data.
const (
	demoEmail      = "acme@onlyonce.test"
	demoOtherEmail = "globex@onlyonce.test"
	demoPassword   = "only-once-demo"
	demoToken      = "oo_demo_acme"
)

// onlyHere leaves a scenario out against a deployment, because it needs what only an app of its own gives.
func onlyHere(t *testing.T, reason string) {
	t.Helper()
	if deployed() != nil {
		leaveOut(t, "against a deployment: "+reason)
	}
}

// onlyInChromium leaves a scenario out in other browsers.
func onlyInChromium(t *testing.T, reason string) {
	t.Helper()
	if !inChromium() {
		leaveOut(t, "in other browsers than Chromium: "+reason)
	}
}

// inChromium reports whether that is the browser.
func inChromium() bool { return cmp.Or(os.Getenv("BROWSER"), "chromium") == "chromium" }

// leaveOut is the one way to leave a scenario out: the report names it, with the reason. A local run in Chromium leaves
// out none.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	t.Skip("left out " + reason) //nolint:forbidigo // see above
}

// reach prepares a session in front of a deployment. The browser gets there through a proxy, which can hold requests
// back and cut connections.
func (s *session) reach(d *deployment) {
	s.t.Helper()
	s.site, s.token = d.url, d.token
	s.records = apiRecords{s}
	s.origin = d.url
	s.wire = s.newProxy(s.posted)
	s.t.Cleanup(s.clean)
}

// posted notes a form that is sent. Those that save nothing are no attempts.
func (s *session) posted(r *http.Request) {
	for _, other := range []string{"/login", "/logout", "/form"} {
		if strings.HasSuffix(r.URL.Path, other) {
			return
		}
	}
	s.log.add("sent")
}

// shared is what all sessions in front of a deployment have in common: it is a variable of the package because testing
// has no other way for tests to share anything.
var shared struct {
	login   sync.Mutex
	cookies []playwright.OptionalCookie // of the one login, since a deployment may allow few in a minute
	series  sync.Mutex                  // held by the test that may take the next number
}

// keepSeries keeps other sessions from taking numbers of the series, until the test ends.
func (s *session) keepSeries() {
	s.t.Helper()
	if s.db != nil || s.keepsSeries {
		return
	}
	shared.series.Lock()
	s.t.Cleanup(shared.series.Unlock)
	s.keepsSeries = true
	s.refresh() // what the page says may be old
}

// login logs somebody in: the demo's user, or that of the deployment. It opens no page, which costs the browser a lot.
func (s *session) login() {
	s.t.Helper()
	if deployed() == nil {
		s.logInDirectly()
	} else {
		s.check(s.browser.AddCookies(s.sharedLogin()), "use the login that is there")
	}
}

// sharedLogin returns the cookies of the one login, and makes it if there is none.
func (s *session) sharedLogin() []playwright.OptionalCookie {
	s.t.Helper()
	shared.login.Lock()
	defer shared.login.Unlock()
	if shared.cookies == nil {
		s.logInByForm()
		state, err := s.browser.StorageState()
		s.check(err, "keep the login")
		for _, c := range state.Cookies {
			shared.cookies = append(shared.cookies, c.ToOptionalCookie())
		}
	}
	return shared.cookies
}

// logInDirectly is logInByForm without the page, which costs the browser a lot.
func (s *session) logInDirectly() {
	s.t.Helper()
	answer, err := s.browser.Request().Post(s.origin+"/login", playwright.APIRequestContextPostOptions{
		Form: map[string]any{"email": s.person().email, "password": s.person().password}, MaxRedirects: new(0),
	})
	s.check(err, "log in")
	if answer.Status() != http.StatusSeeOther {
		s.t.Fatalf("log in: status %d", answer.Status())
	}
}

// logInByForm begins a session of its own, which the test may end.
func (s *session) logInByForm() {
	s.t.Helper()
	s.open("/login")
	s.fill(fieldEmail, s.person().email)
	s.fill(fieldPassword, s.person().password)
	s.click(buttonLogIn)
	s.isLoggedIn()
}

// person is who logs in.
func (s *session) person() deployment {
	if d := deployed(); d != nil {
		return *d
	}
	return deployment{email: demoEmail, password: demoPassword}
}
