package e2e

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// deployment is a running instance for the scenarios, selected by BASE_URL. The scenarios have the same access as a
// person and a program: an address, a login and a token for one business.
type deployment struct {
	url, email, password, token string
}

// deployed returns the deployment from the environment, or nil: then each test starts an app.
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
	demoEmail    = "acme@onlyonce.test"
	demoPassword = "only-once-demo"
	demoToken    = "oo_demo_acme"
)

// onlyHere skips a scenario against a deployment, because it needs the test's own app.
func onlyHere(t *testing.T, reason string) {
	t.Helper()
	if deployed() != nil {
		leaveOut(t, "against a deployment: "+reason)
	}
}

// onlyInChromium skips a scenario in other browsers.
func onlyInChromium(t *testing.T, reason string) {
	t.Helper()
	if !inChromium() {
		leaveOut(t, "in "+engine()+": "+reason)
	}
}

// notInWebKit skips a scenario there.
func notInWebKit(t *testing.T, reason string) {
	t.Helper()
	if inWebKit() {
		leaveOut(t, "in "+engine()+": "+reason)
	}
}

// engine returns the name of the browser unless that is Chromium.
func engine() string {
	return map[string]string{"firefox": "Firefox", "webkit": "WebKit"}[os.Getenv("BROWSER")]
}

func inChromium() bool { return engine() == "" }
func inWebKit() bool   { return engine() == "WebKit" }

// withFocus makes a test parallel, except in Firefox, where only one of several windows has the focus. In the others, scripts get no
// events of the focus, and keys press no buttons.
func withFocus(t *testing.T) {
	t.Helper()
	if inChromium() {
		t.Parallel()
	}
}

// nameOf returns the name of a test, with its browser unless that is Chromium.
func nameOf(t *testing.T) string {
	t.Helper()
	if inChromium() {
		return t.Name()
	}
	return t.Name() + ", in " + engine()
}

// leaveOut is the only way to skip a scenario: the report names it, with the reason. A local run in Chromium skips none.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	t.Skip("left out " + reason) //nolint:forbidigo // see above
}

// reach prepares a session in front of a deployment, behind a wire.
func (s *session) reach(d *deployment) {
	s.t.Helper()
	s.site, s.token = d.url, d.token
	s.records = apiRecords{s}
	s.origin = d.url
	s.wire = s.newWire()
	s.t.Cleanup(s.clean)
}

// posted records a form that is sent to a deployment. Forms that save nothing are no attempts.
func (s *session) posted(r *http.Request) {
	if s.db != nil {
		return // the app's log has it
	}
	for _, other := range []string{"/login", "/logout", "/form"} {
		if strings.HasSuffix(r.URL.Path, other) {
			return
		}
	}
	s.log.add("sent")
}

// shared is the state shared by all sessions in front of a deployment. It is a package variable because testing has no other way
// for tests to share values.
var shared struct {
	login   sync.Mutex
	cookies []playwright.OptionalCookie // of the one login, since a deployment may limit logins
	series  sync.Mutex                  // held by the test that may use the next number
}

// keepSeries keeps other sessions from using numbers of the series until the test ends.
func (s *session) keepSeries() {
	s.t.Helper()
	if s.db != nil || s.keepsSeries {
		return
	}
	shared.series.Lock()
	s.t.Cleanup(shared.series.Unlock)
	s.keepsSeries = true
	s.refresh() // the page may be outdated
}

// login logs in the demo's user, or that of the deployment. It opens no page, which would be slow.
func (s *session) login() {
	s.t.Helper()
	if deployed() == nil {
		s.logInDirectly()
	} else {
		s.check(s.browser.AddCookies(s.sharedLogin()), "use the login that is there")
	}
}

// sharedLogin returns the cookies of the shared login, after logging in if necessary.
func (s *session) sharedLogin() []playwright.OptionalCookie {
	s.t.Helper()
	shared.login.Lock()
	defer shared.login.Unlock()
	if shared.cookies == nil {
		s.logInByForm()
		shared.cookies = s.cookies()
	}
	return shared.cookies
}

func (s *session) cookies() (all []playwright.OptionalCookie) {
	s.t.Helper()
	state, err := s.browser.StorageState()
	s.check(err, "keep the login")
	for _, c := range state.Cookies {
		all = append(all, c.ToOptionalCookie())
	}
	return all
}

// logInDirectly is logInByForm without the slow page.
func (s *session) logInDirectly() {
	s.t.Helper()
	answer, err := s.browser.Request().Post(s.origin+"/login", playwright.APIRequestContextPostOptions{
		Form: map[string]any{"email": s.person().email, "password": s.person().password}, MaxRedirects: new(0),
	})
	s.check(err, "log in")
	must.Thatf(s.t, answer.Status() == http.StatusSeeOther, "log in: status %d", answer.Status())
}

// logInByForm logs in with a new login session, which the test may end.
func (s *session) logInByForm() {
	s.t.Helper()
	s.open("/login")
	s.fill(fieldEmail, s.person().email)
	s.fill(fieldPassword, s.person().password)
	s.click(buttonLogIn)
	s.isLoggedIn()
}

// person returns the credentials of the user.
func (s *session) person() deployment {
	if d := deployed(); d != nil {
		return *d
	}
	return deployment{email: demoEmail, password: demoPassword}
}

// clean removes the session's records from a deployment: it voids the invoices and archives the customers. It logs the records that
// cannot be removed: an invoice with payments stays unchanged.
func (s *session) clean() {
	s.t.Helper()
	s.voidInvoices()
	for _, customer := range s.marked("customers") {
		status := s.takeBack("/customers/" + customer.ID + "/archive")
		assert.Thatf(s.t, status/100 == 2, "archive %s: status %d", customer.Name, status)
	}
}

// takeBack makes a transition, which is safe to repeat.
func (s *session) takeBack(path string) int {
	s.t.Helper()
	return s.ask(http.MethodPost, path, s.mark+" clean "+path, struct{}{}).StatusCode
}
