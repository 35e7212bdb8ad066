package peoplepages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/web"
	"onlyonce/internal/web/webtest"
)

// serve returns the pages for logins, of a server with a database.
func serve(t *testing.T) (p *pages) {
	t.Helper()
	_, err := web.New(web.Config{Pool: pgtest.New(t).Pool, Log: slog.New(slog.DiscardHandler), Mount: func(s *web.Site) {
		p = newPages(s, Config{})
		p.mountLogins()
	}})
	must.OK(t, err)
	return p
}

// TestIdleSessions: a session ends twelve hours after the last request, whose time is known to within ten minutes.
func TestIdleSessions(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for name, c := range map[string]struct {
		idle            time.Duration
		loggedIn, saved bool
	}{
		"just now":         {time.Minute, true, false},
		"a while ago":      {11 * time.Minute, true, true},
		"before lunch":     {11 * time.Hour, true, true},
		"yesterday":        {13 * time.Hour, false, false},
		"two days ago":     {48 * time.Hour, false, false},
		"in a wrong clock": {-time.Hour, true, false},
	} {
		token := server.plant(t, c.idle)
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/login", nil)
		r.AddCookie(&http.Cookie{Name: "onlyonce_session", Value: token})
		server.site.Handler.ServeHTTP(w, r)
		assert.Equal(t, w.Code == http.StatusSeeOther, c.loggedIn, name, w.Code, "status")
		assert.Equal(t, w.Header().Get("Set-Cookie") != "", c.saved, name, w.Header().Get("Set-Cookie"), "Set-Cookie")
	}
}

// TestLogoutIsNotUndone: a request that saves its session after a logout does not bring it back.
func TestLogoutIsNotUndone(t *testing.T) {
	t.Parallel()
	server := serve(t)
	session := &http.Cookie{Name: "onlyonce_session", Value: server.plant(t, time.Minute)}
	ask := func(h http.Handler, method, path string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.AddCookie(session)
		h.ServeHTTP(w, r)
		return w
	}
	isIn := func() bool { return ask(server.site.Handler, http.MethodGet, "/login").Code == http.StatusSeeOther }
	before := isIn()
	held := ask(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := server.loadSession(r)
		must.OK(t, err)
		ask(server.site.Handler, http.MethodPost, "/logout")
		must.OK(t, server.saveSession(w, r))
	}), http.MethodGet, "/account")
	cookie := held.Header().Get("Set-Cookie")
	assert.Thatf(t, before && !isIn() && cookie == "", "logged in before: %v, after: %v, cookie %q", before, isIn(), cookie)
}

// plant makes a session whose last request was some time ago.
func (s *pages) plant(t *testing.T, idle time.Duration) (token string) {
	t.Helper()
	ctx, err := s.sessions.Load(context.WithoutCancel(t.Context()), "")
	must.OK(t, err)
	tenant := uuid.New()
	_, err = s.site.Pool.Exec(ctx, `
		WITH tenant AS (INSERT INTO tenants (id, name) VALUES ($1::uuid, $1::uuid))
		INSERT INTO users (id, tenant_id, email, password_hash) VALUES ($1, $1, $1::uuid || '@example.com', '')`, tenant)
	must.OK(t, err)
	s.sessions.Put(ctx, sessionTenant, tenant.String())
	s.sessions.Put(ctx, sessionUser, tenant.String())
	s.sessions.Put(ctx, sessionID, tenant.String())
	s.sessions.Put(ctx, sessionGeneration, 0)
	s.sessions.Put(ctx, sessionDevice, "a test")
	s.sessions.Put(ctx, sessionSeen, time.Now().Add(-idle).Unix())
	token, expiry, err := s.sessions.Commit(begun(ctx))
	must.OK(t, err)
	life := time.Until(expiry)
	assert.Thatf(t, life <= 7*24*time.Hour, "the session lives for %v", life)
	return token
}

// TestPasswordsTakeTurns: with all places taken, a login waits for one as long as its request may.
func TestPasswordsTakeTurns(t *testing.T) {
	t.Parallel()
	server := serve(t)
	server.passwords.TryAcquire(passwordsAtOnce)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	login := func() *http.Request {
		r := webtest.Posted("application/x-www-form-urlencoded", "email=nobody@example.com&password=guess")
		r.URL.Path = "/login"
		return r
	}
	err := server.logIn(httptest.NewRecorder(), login().WithContext(over))
	assert.Thatf(t, web.ProblemName(err) == "busy", "with no place: %v", err)
	server.passwords.Release(1)
	for range 2 { // the first one leaves its place to the second
		w := httptest.NewRecorder()
		server.site.Handler.ServeHTTP(w, login())
		assert.Thatf(t, w.Code == http.StatusUnprocessableEntity, "with a place: %d", w.Code)
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/invoices/new?key=a":      "/invoices/new?key=a",
		"/customers":               "/customers",
		"":                         "/",
		"invoices":                 "/",
		"https://evil.example/":    "/",
		"//evil.example/":          "/",
		"///evil.example/":         "/",
		"/\\evil.example":          "/",
		"\\\\evil.example":         "/",
		"/\t/evil.example":         "/",
		"/ok\r\nSet-Cookie: a=b":   "/",
		"javascript:alert(1)":      "/",
		"https:/evil.example":      "/",
		"/%zz":                     "/",
		"http:evil.example":        "/",
		" //evil.example":          "/",
		"/invoices#//evil.example": "/invoices#//evil.example",
	} {
		assert.Equal(t, localPath(next), want, next)
	}
}

// TestSessionsAskWithinTheRequest checks that queries of a session end with its request.
func TestSessionsAskWithinTheRequest(t *testing.T) {
	t.Parallel()
	server := serve(t)
	sessions, token := server.sessions, server.plant(t, time.Minute)
	ctx, err := sessions.Load(t.Context(), token)
	must.OK(t, err)
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, _, committed := sessions.Commit(over)
	// A context with a session is not loaded again, so this one has none.
	bare, cancel := context.WithCancel(t.Context())
	cancel()
	_, loaded := sessions.Load(bare, token)
	for what, err := range map[string]error{
		"find": loaded, "store": committed, "renew": sessions.RenewToken(over), "delete": sessions.Destroy(over),
	} {
		assert.Thatf(t, errors.Is(err, context.Canceled), "%s after the request is over: %v", what, err)
	}
	again, err := sessions.Load(t.Context(), token)
	must.OK(t, err)
	assert.Equal(t, sessions.GetString(again, sessionDevice), "a test", "the session holds")
}

func TestDeviceOf(t *testing.T) {
	t.Parallel()
	const (
		windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
		mac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15"
		iPad    = "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 CriOS/131.0 Mobile/15E148 Safari/604.1"
		samsung = "Mozilla/5.0 (Linux; Android 14; SM-S921B) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36"
	)
	for userAgent, want := range map[string]string{
		windows:                    "Chrome on Windows",
		windows + " Edg/131.0.0.0": "Edge on Windows",
		windows + " OPR/116.0.0.0": "Opera on Windows",
		mac:                        "Safari on macOS",
		iPad:                       "Chrome on iPad",
		samsung:                    "Samsung Internet on Android",
		"Mozilla/5.0 (X11; CrOS x86_64) Chrome/131.0 Safari/537.36":          "Chrome on ChromeOS",
		"Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133 Firefox/133.0": "Firefox on Android",
		"curl/8.5.0":             "curl/8.5.0",
		"":                       "Unknown browser",
		"\u202e\xff\x00":         "Unknown browser",
		strings.Repeat("x", 900): strings.Repeat("x", 60),
	} {
		assert.Equal(t, deviceOf(userAgent), want, userAgent)
	}
}
