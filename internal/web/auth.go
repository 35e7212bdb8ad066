package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
)

type principalKey struct{}

// Principal returns the user or token that makes the request; zero without a login.
func Principal(r *http.Request) account.Principal {
	p, _ := r.Context().Value(principalKey{}).(account.Principal)
	return p
}

// identified reports whether the login of the request was looked up, with or without a result.
func identified(r *http.Request) bool {
	_, known := r.Context().Value(principalKey{}).(account.Principal)
	return known
}

func withPrincipal(r *http.Request, p account.Principal) *http.Request {
	if a := answeredIn(r.Context()); a != nil {
		a.Tenant = p.Tenant
	}
	return r.WithContext(context.WithValue(r.Context(), principalKey{}, p))
}

// admits reports whether a principal with valid credentials may come in. The credentials of demo tenants are public, and a database may
// have such tenants from a time when the demo was on.
func (s *Server) admits(p account.Principal) bool { return !p.Demo || len(s.demo) > 0 }

// A login ends 12 hours after the last request, and 7 days after it began.
const (
	sessionIdle = 12 * time.Hour
	sessionLife = 7 * 24 * time.Hour
	// sessionTouch is the precision of the time of the last request: to save each would double the work of reading a page.
	sessionTouch = 10 * time.Minute
)

// newSessions keeps logins in PostgreSQL. The database holds a hash of the cookie's value.
func newSessions(pool *pgxpool.Pool, secure bool, port, path string) *scs.SessionManager {
	sessions := scs.New()
	sessions.Store = sessionStore{pool: pool}
	sessions.HashTokenInStore = true
	sessions.Lifetime = sessionLife
	sessions.Cookie.Name = "onlyonce_session"
	if secure {
		// Browsers take a cookie of such a name from this host only, by HTTPS, and from no other under its domain.
		sessions.Cookie.Name = "__Host-onlyonce_session"
	}
	if path != "" {
		// Other apps on the host don't get the cookie. __Host- is for cookies with the path /.
		sessions.Cookie.Path = path
		sessions.Cookie.Name = strings.Replace(sessions.Cookie.Name, "__Host-", "__Secure-", 1)
	}
	sessions.Cookie.Name = ofPort(sessions.Cookie.Name, port)
	sessions.Cookie.SameSite = http.SameSiteLaxMode
	sessions.Cookie.Secure = secure
	return sessions
}

// ofPort returns the name of a cookie for a port of the host, "" for the usual one. Browsers send a cookie to all ports.
func ofPort(name, port string) string {
	if port == "" {
		return name
	}
	return name + "_" + port
}

// What a session holds.
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

// loadSession reads the session of a request. Code that changes it saves it before the answer is written: a reported success must not turn
// into an error because the session could not be saved afterwards.
func (s *Server) loadSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Cookie")
		token := ""
		if cookie, err := r.Cookie(s.sessions.Cookie.Name); err == nil {
			token = cookie.Value
		}
		ctx, err := s.sessions.Load(r.Context(), token)
		if err != nil {
			s.FailHTML(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// saveSession stores a session that has changed, unless it was ended meanwhile.
func (s *Server) saveSession(w http.ResponseWriter, r *http.Request) error {
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

// identify looks up the user of the session.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			who, err = account.InSession(ctx, s.Pool, who)
		}
		if errors.Is(err, account.ErrUnknown) {
			next.ServeHTTP(w, withPrincipal(r, account.Principal{}))
			return
		}
		if err != nil {
			s.FailHTML(w, r, err)
			return
		}
		r = withPrincipal(r, who)
		if idle > sessionTouch {
			if err := s.saveSession(w, r); err != nil {
				s.FailHTML(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// requireLogin lets only people pass who are logged in.
func (s *Server) requireLogin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Principal(r).Tenant == uuid.Nil {
			s.FailHTML(w, r, errUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// tokens finds valid API tokens, and remembers them for a few seconds: that long a token may go on that was
// revoked at another replica.
type tokens struct {
	pool   *pgxpool.Pool
	known  *lru.Cache[string, remembered]
	forgot *atomic.Int64 // how often
}

// remembered is a cached principal of a token, with the end of the cache's validity.
type remembered struct {
	principal account.Principal
	until     time.Time
}

const (
	tokensRemembered   = 1024
	tokenRememberedFor = 5 * time.Second
)

func newTokens(pool *pgxpool.Pool) tokens {
	known, err := lru.New[string, remembered](tokensRemembered)
	if err != nil {
		panic(err) // cannot be: the size is positive
	}
	return tokens{pool, known, new(atomic.Int64)}
}

// forget empties the cache, so that a revoked token is refused from now on.
func (t tokens) forget() {
	t.forgot.Add(1)
	t.known.Purge()
}

func (t tokens) find(ctx context.Context, token string) (account.Principal, error) {
	hash := string(account.HashToken(token))
	if r, ok := t.known.Get(hash); ok && time.Now().Before(r.until) {
		return r.principal, nil
	}
	before := t.forgot.Load()
	p, err := account.FindToken(ctx, t.pool, token)
	if err == nil {
		t.known.Add(hash, remembered{p, time.Now().Add(tokenRememberedFor)})
	}
	if t.forgot.Load() != before { // it may have been revoked since it was read
		t.known.Remove(hash)
	}
	return p, err
}

// requireToken lets only requests with a valid bearer token pass.
func (s *Server) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			s.failJSON(w, r, errUnauthorized)
			return
		}
		p, err := s.tokens.find(r.Context(), token)
		if errors.Is(err, account.ErrUnknown) || err == nil && !s.admits(p) {
			err = errUnauthorized
		}
		if err != nil {
			s.failJSON(w, r, err)
			return
		}
		next.ServeHTTP(w, withPrincipal(r, p))
	})
}

// SessionSecret returns the secret of the request's session. The database has only a hash of it.
func (s *Server) SessionSecret(r *http.Request) string { return s.sessions.Token(r.Context()) }

// ForgetTokens empties the cache of API tokens, so that a revoked one is refused from now on.
func (s *Server) ForgetTokens() { s.tokens.forget() }
