package peoplepages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"

	"onlyonce/internal/people/account"
	"onlyonce/internal/web"
)

// A login ends 12 hours after the last request, and 7 days after it began.
const (
	sessionIdle = 12 * time.Hour
	sessionLife = 7 * 24 * time.Hour
	// sessionTouch is the precision of the time of the last request: to save each would double the work of reading a page.
	sessionTouch = 10 * time.Minute
)

// newSessions keeps logins in PostgreSQL. The database holds a hash of the cookie's value.
func newSessions(s *web.Site) *scs.SessionManager {
	sessions := scs.New()
	sessions.Store = sessionStore{pool: s.Pool}
	sessions.HashTokenInStore = true
	sessions.Lifetime = sessionLife
	sessions.Cookie.Name = "onlyonce_session"
	if s.Secure {
		// Browsers take a cookie of such a name from this host only, by HTTPS, and from no other under its domain.
		sessions.Cookie.Name = "__Host-onlyonce_session"
	}
	if s.Path != "" {
		// Other apps on the host don't get the cookie. __Host- is for cookies with the path /.
		sessions.Cookie.Path = s.Path
		sessions.Cookie.Name = strings.Replace(sessions.Cookie.Name, "__Host-", "__Secure-", 1)
	}
	sessions.Cookie.Name = s.CookieName(sessions.Cookie.Name)
	sessions.Cookie.SameSite = http.SameSiteLaxMode
	sessions.Cookie.Secure = s.Secure
	return sessions
}

// The values of a session, by key.
const (
	sessionTenant     = "tenant"
	sessionTenantName = "tenant_name"
	sessionUser       = "user_id"
	sessionID         = "id"     // by which its user sees it
	sessionDevice     = "device" // see deviceOf
	sessionDemo       = "demo"   // whether the tenant is one of the demo
	sessionGeneration = "generation"
	sessionSeen       = "seen" // Unix time of the last request, within sessionTouch
)

// saveSession stores a session that has changed, unless it was ended meanwhile.
func (s *pages) saveSession(w http.ResponseWriter, r *http.Request) error {
	s.sessions.Put(r.Context(), sessionSeen, time.Now().Unix())
	token, expiry, err := s.sessions.Commit(r.Context())
	if errors.Is(err, errSessionOver) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	s.sessions.WriteSessionCookie(r.Context(), w, token, expiry)
	return nil
}

// loadSession reads the session of a request. Code that changes it saves it before the answer is written: a reported success must not turn
// into an error because the session could not be saved afterwards.
func (s *pages) loadSession(r *http.Request) (*http.Request, error) {
	token := ""
	if cookie, err := r.Cookie(s.sessions.Cookie.Name); err == nil {
		token = cookie.Value
	}
	ctx, err := s.sessions.Load(r.Context(), token)
	if err != nil {
		return r, fmt.Errorf("load session: %w", err)
	}
	return r.WithContext(ctx), nil
}

// identify looks up the user of the session.
func (s *pages) identify(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	r, err := s.loadSession(r)
	if err != nil {
		return r, err
	}
	ctx := r.Context()
	idle := time.Since(time.Unix(s.sessions.GetInt64(ctx, sessionSeen), 0))
	user, err := uuid.Parse(s.sessions.GetString(ctx, sessionUser))
	tenant, _ := uuid.Parse(s.sessions.GetString(ctx, sessionTenant)) // there is one if there is a user
	who := account.Principal{
		Tenant:     tenant,
		TenantName: s.sessions.GetString(ctx, sessionTenantName),
		User:       user,
		Demo:       s.sessions.GetBool(ctx, sessionDemo),
		Generation: s.sessions.GetInt(ctx, sessionGeneration),
	}
	if err != nil || idle > sessionIdle || !s.admits(who) {
		err = account.ErrUnknown
	} else {
		who, err = account.InSession(ctx, s.site.Pool, who)
	}
	if errors.Is(err, account.ErrUnknown) {
		return web.WithCaller(r, web.Caller{}), nil
	}
	if err != nil {
		return r, err
	}
	r = web.WithCaller(r, callerOf(who, s.sessions.Token(ctx)))
	if idle > sessionTouch {
		err = s.saveSession(w, r)
	}
	return r, err
}

// callerOf returns a principal as package web knows it, with the secret of its session.
func callerOf(p account.Principal, secret string) web.Caller {
	return web.Caller{
		Tenant: p.Tenant, TenantName: p.TenantName, Demo: p.Demo, User: p.User, Name: p.Name, Role: web.Role(p.Role),
		Scope: p.Scope, Admin: p.Admin, Zone: p.TimeZone, Secret: web.SessionSecret(secret),
	}
}

// admits reports whether a principal with valid credentials may come in. The credentials of demo tenants are public, and a database may
// have such tenants from a time when the demo was on.
func (s *pages) admits(p account.Principal) bool { return !p.Demo || len(s.config.Demo) > 0 }

// A browser comes before those whose name its User-Agent also has: that of Edge includes Chrome, and that of Chrome Safari.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// deviceOf returns the displayed name of the browser and system in a User-Agent, such as "Firefox on Linux", or the beginning of an unknown
// one.
func deviceOf(userAgent string) string {
	browser, system := named(userAgent, browsers), named(userAgent, systems)
	if browser != "" && system != "" {
		return browser + " on " + system
	}
	const enough = 60
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, userAgent)
	if ascii = strings.TrimSpace(ascii[:min(len(ascii), enough)]); ascii != "" {
		return ascii
	}
	return "Unknown browser"
}

func named(userAgent string, names [][2]string) string {
	for _, name := range names {
		if strings.Contains(userAgent, name[0]) {
			return name[1]
		}
	}
	return ""
}
