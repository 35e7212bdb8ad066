package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/account"
)

type principalKey struct{}

// principal is who makes the request; zero if nobody is logged in.
func principal(r *http.Request) account.Principal {
	p, _ := r.Context().Value(principalKey{}).(account.Principal)
	return p
}

func withPrincipal(r *http.Request, p account.Principal) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), principalKey{}, p))
}

// newSessions keeps logins in PostgreSQL: 12 hours after the last request and 7 days at most. The
// database holds a hash of the cookie's value.
func newSessions(pool *pgxpool.Pool, secure bool, fail func(http.ResponseWriter, *http.Request, error)) *scs.SessionManager {
	sessions := scs.New()
	sessions.Store = pgxstore.NewWithCleanupInterval(pool, 0)
	sessions.HashTokenInStore = true
	sessions.IdleTimeout = 12 * time.Hour
	sessions.Lifetime = 7 * 24 * time.Hour
	sessions.Cookie.Name = "onlyonce_session"
	sessions.Cookie.SameSite = http.SameSiteLaxMode
	sessions.Cookie.Secure = secure
	sessions.ErrorFunc = fail
	return sessions
}

// What a session holds.
const (
	sessionTenant     = "tenant"
	sessionTenantName = "tenant_name"
	sessionUser       = "user"
)

// identify finds out who is logged in, if anybody is.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant, err := uuid.Parse(s.sessions.GetString(r.Context(), sessionTenant))
		if err == nil {
			r = withPrincipal(r, account.Principal{
				Tenant:     tenant,
				TenantName: s.sessions.GetString(r.Context(), sessionTenantName),
				Name:       s.sessions.GetString(r.Context(), sessionUser),
			})
		}
		next.ServeHTTP(w, r)
	})
}

// requireLogin lets only people pass who are logged in.
func (s *Server) requireLogin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal(r).Tenant == uuid.Nil {
			s.failHTML(w, r, errUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// tokens answers for valid API tokens, and remembers them for a few seconds: that long a revoked
// token may go on.
type tokens struct {
	pool  *pgxpool.Pool
	known *expirable.LRU[string, account.Principal]
}

func newTokens(pool *pgxpool.Pool) tokens {
	return tokens{pool, expirable.NewLRU[string, account.Principal](1024, nil, 5*time.Second)}
}

func (t tokens) find(ctx context.Context, token string) (account.Principal, error) {
	hash := string(account.HashToken(token))
	if p, ok := t.known.Get(hash); ok {
		return p, nil
	}
	p, err := account.FindToken(ctx, t.pool, token)
	if err == nil {
		t.known.Add(hash, p)
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
		if errors.Is(err, account.ErrUnknown) {
			err = errUnauthorized
		}
		if err != nil {
			s.failJSON(w, r, err)
			return
		}
		next.ServeHTTP(w, withPrincipal(r, p))
	})
}
