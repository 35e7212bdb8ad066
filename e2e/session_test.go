package e2e

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/lab/labapp"
	"onlyonce/internal/must"
	"onlyonce/internal/value/secretkey"
)

// patience bounds every wait for the app or the browser, like Playwright's own timeout. It is generous: a passing test never waits
// that long.
const patience = 30 * time.Second

// session is a person at a browser, in front of an app and a database of this test alone, or of a deployment. Its methods fail the
// test if they cannot do their work.
type session struct {
	t       *testing.T
	mark    string // in the names of all its records
	page    playwright.Page
	browser playwright.BrowserContext
	origin  string // URL of the app for the browser, such as http://127.0.0.1:41234
	site    string // URL of the app for programs
	token   string // for programs
	records records
	log     *attemptLog
	form    *formLog
	story   *story
	who     string  // identifies the tab in the story
	x, y    float64 // position of the mouse

	// Only if the test has started the app:
	configure func(*app.Config) // called before the app starts; may be nil
	metrics   string            // the address of its metrics
	database  string            // the URL of its database, for the app
	db        *pgxpool.Pool

	wire        *wire // in front of a deployment, and if the test asks for it
	keepsSeries bool  // only in front of a deployment
}

// circumstances configure the browser of a session.
type circumstances struct {
	playwright.BrowserNewContextOptions

	launch func() (playwright.Browser, error)
	wired  bool // behind a wire, which can cut connections
}

type option func(*circumstances)

func withJavaScript(*circumstances) {}

func withoutJavaScript(o *circumstances) { o.JavaScriptEnabled = new(false) }

// keepingPages is for tests that go back. See withPageCache.
func keepingPages(o *circumstances) { o.launch = withPageCache }

func throughWire(o *circumstances) { o.wired = true }

func onPhone(o *circumstances) {
	o.Viewport = &playwright.Size{Width: 390, Height: 844}
	o.HasTouch = new(true)
}

func inTokyo(o *circumstances) { o.TimezoneId = new("Asia/Tokyo") }

func inForcedColors(o *circumstances) { o.ForcedColors = playwright.ForcedColorsActive }

// widths are the extremes of the tested widths.
var widths = map[string]option{"wide": withJavaScript, "narrow": onPhone}

// withAndWithoutJavaScript is for tests with the same result either way.
var withAndWithoutJavaScript = map[string]option{
	"with JavaScript":    withJavaScript,
	"without JavaScript": withoutJavaScript,
}

// variant is a subtest in certain circumstances.
type variant struct {
	*testing.T

	name string
	in   option
}

// inEach runs a scenario in each of some circumstances.
func inEach(t *testing.T, all map[string]option, scenario func(variant)) {
	t.Helper()
	for name, in := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario(variant{t, name, in})
		})
	}
}

// start boots the app with its demo data, or goes to the deployment, and opens a browser window.
func start(t *testing.T, options ...option) *session {
	t.Helper()
	s := newSession(t)
	s.findApp()
	s.openBrowser(options...)
	return s
}

// loggedIn is start after a login.
func loggedIn(t *testing.T, options ...option) *session {
	t.Helper()
	s := start(t, options...)
	s.login()
	return s
}

// newSession returns a session without an app or a browser.
func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{t: t, mark: newMark(), form: &formLog{}, story: newStory()}
	s.log = &attemptLog{next: slog.NewTextHandler(t.Output(), nil), tellf: s.tellf}
	return s
}

// findApp boots the app with its demo data, or goes to the deployment.
func (s *session) findApp() {
	s.t.Helper()
	if d := deployed(); d != nil {
		s.reach(d)
	} else {
		s.bootApp()
	}
}

// bootApp starts an app with a database for this session alone.
func (s *session) bootApp() {
	s.t.Helper()
	db := demoData.New(s.t)
	s.db, s.database = db.Admin(), parsedInOrder(s.t, db.URL)
	running := s.startApp(patience)
	s.origin, s.site, s.metrics, s.token = running.URL(), running.URL(), running.MetricsURL(), demoToken
	s.findRecords()
}

// findRecords sets s.records to the records that begin now.
func (s *session) findRecords() {
	s.t.Helper()
	found := sqlRecords{s: s}
	found.before = s.allInvoices()
	s.records = found
}

// startApp starts the app, or another replica, in which a repeat waits for at most wait.
func (s *session) startApp(wait time.Duration) *app.App {
	s.t.Helper()
	key, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	s.check(err, "read the secret key")
	config := app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: "127.0.0.1:0", DatabaseURL: s.database, Demo: true, Log: slog.New(s.log),
		Wait: wait, ExpireEvery: time.Hour, KeepAttempts: time.Hour, SecretKey: key,
		Site: apptest.Site(),
	}
	config.Site.Extras = []app.OpenExtra{labapp.Open("")}
	if s.configure != nil {
		s.configure(&config)
	}
	running, err := app.Start(s.t.Context(), config)
	s.check(err, "start the app")
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := running.Close(ctx)
		assert.Thatf(s.t, err == nil, "stop the app: %v", err)
	})
	return running
}

func (s *session) openBrowser(options ...option) {
	s.t.Helper()
	s.openWindow(options...)
	s.watchConsole()
	s.recordFailure()
	s.openFirstTab()
}

func (s *session) openWindow(options ...option) {
	s.t.Helper()
	settings := circumstances{launch: withoutPageCache}
	settings.Viewport = &playwright.Size{Width: 1280, Height: 900}
	settings.ReducedMotion = playwright.ReducedMotionReduce // stable pictures, and no animations to wait for
	for _, o := range options {
		o(&settings)
	}
	shared, err := settings.launch()
	s.check(err, "start a browser")
	if settings.JavaScriptEnabled != nil && settings.Proxy == nil { // a wire forbids scripts otherwise
		onlyInChromium(s.t, "Playwright can't switch scripts off there")
	}
	if settings.Proxy == nil {
		notInWebKit(s.t, "WebDriver drives the incidents only")
	}
	if settings.wired && s.wire == nil {
		s.wire = s.newWire()
	}
	if s.wire != nil && settings.Proxy == nil {
		settings.Proxy, settings.IgnoreHttpsErrors = &playwright.Proxy{Server: s.wire.addr}, new(s.wire.inside != "")
	}
	s.browser, err = shared.NewContext(settings.BrowserNewContextOptions)
	s.check(err, "open a browser window")
	s.t.Cleanup(func() { s.check(s.browser.Close(), "close the browser window") })
	s.watchRequests()
}

func (s *session) openFirstTab() {
	s.t.Helper()
	var err error
	s.page, err = s.newPage()
	s.check(err, "open a tab")
	if engine() == "Firefox" { // it forgets the empty page before the first one, so that Back would stay
		_, err = s.page.Goto("data:text/html,<title>New tab</title>")
		s.check(err, "open the page of a new tab")
	}
	s.keepStory()
}

// watchConsole fails the test when the browser logs an error: about a script, or about the content security policy.
func (s *session) watchConsole() {
	s.browser.OnConsole(func(m playwright.ConsoleMessage) {
		// Chromium logs every page with an error status as a failed resource, as well as requests that a test blocks or resets.
		text := m.Text()
		if s.form.took(text) {
			return
		}
		assert.Thatf(s.t, m.Type() != "error" || strings.Contains(text, "responded with a status of 4") ||
			strings.Contains(text, "responded with a status of 503") ||
			strings.Contains(text, "responded with a status of 504") ||
			strings.Contains(text, "ERR_BLOCKED_BY_CLIENT") ||
			strings.Contains(text, "ERR_CONNECTION_RESET") ||
			strings.Contains(text, "ERR_INTERNET_DISCONNECTED"), "browser console: %s", text)
	})
	s.browser.OnWebError(func(e playwright.WebError) {
		// Firefox reports everything that it blocks: the style that Playwright adds for each picture, and all scripts behind a wire.
		text := e.Error().Error()
		if !strings.Contains(text, "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=") && !strings.Contains(text, "script-src 'none'") {
			s.t.Errorf("error in the page's script: %s", text)
		}
	})
}

// recordFailure saves screenshots of a failing test and, with E2E_TRACE, a trace: tracing makes all tests up to a quarter slower.
func (s *session) recordFailure() {
	traced := os.Getenv("E2E_TRACE") != ""
	if traced {
		s.check(s.browser.Tracing().Start(playwright.TracingStartOptions{Snapshots: new(true)}), "start the trace")
	}
	s.t.Cleanup(func() {
		if !s.t.Failed() {
			return
		}
		file := filepath.Join("failures", strings.ReplaceAll(nameOf(s.t), "/", "-"))
		s.check(os.MkdirAll("failures", 0o755), "make a folder for failures")
		for i, page := range s.browser.Pages() {
			picture := file + strings.Repeat("-other-tab", i) + ".png"
			if _, err := page.Screenshot(playwright.PageScreenshotOptions{Path: &picture}); err == nil {
				s.t.Logf("screenshot: e2e/%s", picture)
			}
		}
		s.t.Log("what happened:" + s.story.String())
		if traced && s.browser.Tracing().Stop(file+".zip") == nil {
			s.t.Logf("trace: npx playwright-core show-trace e2e/%s.zip", file)
		}
	})
}

// check ends the test if an action of the test itself failed.
func (s *session) check(err error, doing string) {
	s.t.Helper()
	must.Thatf(s.t, err == nil, "%s: %v", doing, err)
}

// until waits for a condition outside the browser. Playwright waits for conditions inside it.
func (s *session) until(what string, holds func() bool) {
	s.t.Helper()
	must.Thatf(s.t, s.within(patience, holds), "waited %s in vain until %s", patience, what)
}

// within waits for a condition for a time at most, and reports whether it holds.
func (s *session) within(most time.Duration, holds func() bool) bool {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(most); !holds(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
