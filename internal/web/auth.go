package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/value/date"
)

// Caller is the user or API token that makes a request, or the program that sends a delivery, with its tenant.
type Caller struct {
	Tenant     uuid.UUID
	TenantName string
	// Demo reports whether the tenant's credentials are public.
	Demo bool
	// User is the id of a user, which doesn't change with the email; zero for a token.
	User uuid.UUID
	// Name is a user's email, or a token's name, for display. Another user may get it later.
	Name string
	Role Role
	// Scope has the first words of the addresses in the API that a token is for, with a space between; "" for all except those of
	// [Site.OwnersAndPrograms]. See [Server.Scopes].
	Scope string
	// Admin is set for an admin of the installation, who may see all tenants: see [Site.Admins].
	Admin bool
	// Zone is the name of the time zone of the tenant, see [date.Zone]; "" for UTC.
	Zone string
	// Secret is the secret of the user's session. The database has only a hash of it.
	Secret SessionSecret
}

// Today returns the current day of the tenant.
func (c Caller) Today() date.Date { return date.TodayIn(date.Zone(c.Zone)) }

// SessionSecret is the secret of a session. It is hidden where it is printed, also in logs and JSON.
type SessionSecret string

func (SessionSecret) String() string { return "[session]" }

// MarshalText hides the secret too.
func (s SessionSecret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Role is a set of rights in a tenant.
type Role string

// The roles, in ascending order: each includes the rights of those before it.
const (
	ReadOnly Role = "read-only"
	Member   Role = "member"
	Owner    Role = "owner"
)

// May reports whether a role includes the permissions of the needed role. "" has none.
func (r Role) May(needed Role) bool {
	roles := []Role{ReadOnly, Member, Owner}
	return r != "" && slices.Index(roles, r) >= slices.Index(roles, needed)
}

// covers reports whether a caller may use a part of the API; "" is a page. named is set for a part that a scope has to name.
func (c Caller) covers(part string, named bool) bool {
	return part == "" || c.Scope == "" && !named || slices.Contains(strings.Fields(c.Scope), part)
}

// Scopes returns the parts of the API that tokens may be limited to: the first words of its addresses, sorted.
func (s *Server) Scopes() (all []string) {
	for _, r := range s.Routes {
		if part := apiPart(r.Path); part != "" && !r.Public() {
			all = append(all, part)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// apiPart returns the first word of an address in the API, or "" for another address.
func apiPart(path string) string {
	within, is := strings.CutPrefix(path, apiPrefix+"/")
	if !is {
		return ""
	}
	part, _, _ := strings.Cut(within, "/")
	return part
}

// Logins identifies callers: see [Site.Authenticate].
type Logins struct {
	// Cookie is the name of the session's cookie.
	Cookie string
	// Demo is set if the public credentials of demo tenants are accepted.
	Demo bool
	// Session returns the request with its user, by [WithCaller]. The request is not nil if there is an error.
	Session func(http.ResponseWriter, *http.Request) (*http.Request, error)
	// Token returns the caller with an API token, or [ErrUnauthorized].
	Token func(ctx context.Context, token string) (Caller, error)

	// Strangers is the id of the tenant that operations of people without a login belong to: see [Site.Strangers].
	Strangers uuid.UUID

	// OtherTenant and OwnersOnly explain why a form of another tenant is refused, and a page that is for owners only.
	OtherTenant, OwnersOnly Explanation
	// Promotion is a sentence for read-only users about the ways to make a change.
	Promotion string
	// TokensFrom is a sentence in the API's documentation about where tokens are created.
	TokensFrom string
}

// Authenticate sets how callers are identified. Pages link to /login, /logout and /account, which the caller of Authenticate registers.
func (s *Site) Authenticate(logins Logins) {
	s.logins = logins
	s.explained[otherTenant.Slug], s.explained[ownersOnly.Slug] = logins.OtherTenant, logins.OwnersOnly
}

type callerKey struct{}

// Principal returns the user or token that makes the request; zero without a login.
func Principal(r *http.Request) Caller {
	c, _ := r.Context().Value(callerKey{}).(Caller)
	return c
}

// identified reports whether the login of the request was looked up, with or without a result.
func identified(r *http.Request) bool {
	_, known := r.Context().Value(callerKey{}).(Caller)
	return known
}

// WithCaller returns a request whose caller is known, or zero if it has no login.
func WithCaller(r *http.Request, c Caller) *http.Request {
	if a := answeredIn(r.Context()); a != nil {
		a.Tenant = c.Tenant
	}
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
}

// isStranger reports whether a request is from a person without a login, also on a page of [Site.Strangers].
func isStranger(r *http.Request) bool { return Principal(r).Role == "" }

// asStranger makes a request one of the tenant of strangers, with or without a login.
func (s *Server) asStranger(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, WithCaller(r, Caller{Tenant: s.logins.Strangers}))
	})
}

// identify looks up the user of the session.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Cookie")
		r, err := s.logins.Session(w, r)
		if err != nil {
			s.FailHTML(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireLogin lets only people pass who are logged in.
func (s *Server) requireLogin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Principal(r).Tenant == uuid.Nil {
			s.FailHTML(w, r, ErrUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireAdmin lets only admins of the installation pass. Others get the answer of an address that doesn't exist.
func (s *Server) requireAdmin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Principal(r).Admin {
			s.FailHTML(w, r, ErrNotFound)
			return
		}
		w.Header().Set("Cache-Control", NoStore)
		next.ServeHTTP(w, r)
	})
}

// requireToken lets only requests with a valid bearer token pass.
func (s *Server) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			s.failJSON(w, r, ErrUnauthorized)
			return
		}
		c, err := s.logins.Token(r.Context(), token)
		if err != nil {
			s.failJSON(w, r, err)
			return
		}
		next.ServeHTTP(w, WithCaller(r, c))
	})
}
