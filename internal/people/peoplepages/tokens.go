package peoplepages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/token"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// mountTokens mounts the resource of package token. Only owners have access, and no API tokens: a leaked token must not create one that
// outlives it.
func (s *pages) mountTokens(owners *web.Site) {
	m := web.Resource[token.Token]{
		One: "token", Path: "/tokens", Table: token.Table, Rules: token.Rules(),
		Name: func(t token.Token) string { return t.Name },
	}.Mount(owners)
	s.tokens = m
	check := func(in token.Input) (token.Draft, error) { return in.Draft(s.site.Scopes()) }
	draft := web.NewForm(m, check, web.Form[token.Token]{
		Fields: []templates.Field{
			{Name: "name", Value: "Name"}, {Name: "role", Value: "Role"},
			{Name: peopleviews.ScopeField, Value: "Scope"}, {Name: "valid_days", Value: "Valid for"},
		},
		Page: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return peopleviews.TokenForm(p, f, s.site.Scopes()), nil
		},
		RepeatedFields: []string{peopleviews.ScopeField},
		OnSuccess:      func(token.Token) { s.known.forget() },
	})
	read := draft.Form
	draft.Form = func(r *http.Request) (token.Draft, error) {
		d, err := read(r)
		d.Seed = secret.FromSession(string(web.Principal(r).Secret))
		return d, err
	}
	web.List(m, web.Listing[token.Token]{
		Read: func(r *http.Request, page record.Page) (record.List[token.Token], error) {
			return record.ListBy(r.Context(), s.site.Pool, token.Table, web.Principal(r).Tenant, page, `true`, nil)
		},
		Columns: []templates.Column{
			{Label: "Name", Class: "name"}, {Label: "Role", Class: "date"}, {Label: "Scope", Class: "name"},
			{Label: "Created by", Class: "name"}, {Label: "Use", Class: "date"}, {Label: "State", Class: "date"},
		},
		Row: func(r *http.Request, t token.Token) []string {
			return []string{t.Name, web.Capital(t.Role), tokenScope(t), tokenMaker(t), tokenUse(r, t), tokenState(r, t)}
		},
		Empty: "A program uses the API with a token. Give each program one of its own, so that you can revoke it alone.",
	})
	web.Show(m, web.RecordPage[token.Token]{
		Facts: tokenFacts, Page: s.tokenPage,
		Actions: func(t token.Token) (verbs []string) {
			if t.RevokedAt.IsZero() {
				verbs = []string{"revoke"}
			}
			return verbs
		},
	})
	web.Create(m, "", token.Create, draft, func(*http.Request) (url.Values, error) {
		return url.Values{"role": {string(account.Member)}}, nil
	})
	web.Transition(m, "revoke", "revoked", "", token.Revoke, web.Nothing())
}

func tokenFacts(r *http.Request, t token.Token) []templates.Fact {
	return []templates.Fact{
		{Label: "Role", Value: web.Capital(t.Role)}, {Label: "Scope", Value: tokenScope(t)},
		{Label: "Created by", Value: tokenMaker(t)}, {Label: "Created", Value: web.Moment(r, t.CreatedAt)},
		{Label: "Last use", Value: tokenUse(r, t)}, {Label: "State", Value: tokenState(r, t)},
	}
}

func tokenScope(t token.Token) string { return cmp.Or(t.Scope, "Everything") }

func tokenMaker(t token.Token) string { return cmp.Or(t.CreatedBy, "a command") }

func tokenState(r *http.Request, t token.Token) string {
	switch {
	case !t.RevokedAt.IsZero():
		return "Revoked on " + web.Day(r, t.RevokedAt)
	case t.Expired():
		return "Expired on " + web.Day(r, t.ExpiresAt)
	case !t.ExpiresAt.IsZero():
		return "Valid until " + web.Moment(r, t.ExpiresAt)
	default:
		return "Valid"
	}
}

func tokenUse(r *http.Request, t token.Token) string {
	if t.LastUsedAt.IsZero() {
		return "Never used"
	}
	return "Used on " + web.Day(r, t.LastUsedAt)
}

// tokenPage returns the page of a token, with its secret for a while if this session has made it.
func (s *pages) tokenPage(r *http.Request, p templates.Page, t token.Token) (templ.Component, error) {
	v := peopleviews.Token{RecordView: web.RecordView(s.tokens, r, t)}
	if !t.RevokedAt.IsZero() {
		return peopleviews.TokenPage(p, v), nil
	}
	if time.Since(t.CreatedAt) > token.SecretShown {
		return peopleviews.TokenPage(p, v), nil
	}
	text := token.Secret(secret.FromSession(string(web.Principal(r).Secret)), t)
	has, err := account.HasToken(r.Context(), s.site.Pool, web.Principal(r).Tenant, t.ID, text)
	if has {
		v.Secret, v.Until = text, web.Moment(r, t.CreatedAt.Add(token.SecretShown))
	}
	return peopleviews.TokenPage(p, v), err
}

// knownTokens finds valid API tokens, and remembers them for a few seconds. For that time, a token that was revoked at another replica is
// still valid.
type knownTokens struct {
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

func newTokens(pool *pgxpool.Pool) knownTokens {
	known, err := lru.New[string, remembered](tokensRemembered)
	if err != nil {
		panic(err) // cannot be: the size is positive
	}
	return knownTokens{pool, known, new(atomic.Int64)}
}

// forget empties the cache, so that a revoked token is refused from now on.
func (t knownTokens) forget() {
	t.forgot.Add(1)
	t.known.Purge()
}

func (t knownTokens) find(ctx context.Context, token string) (account.Principal, error) {
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

// tokenCaller returns the caller with an API token, or [web.ErrUnauthorized].
func (s *pages) tokenCaller(ctx context.Context, token string) (web.Caller, error) {
	p, err := s.known.find(ctx, token)
	if errors.Is(err, account.ErrUnknown) || err == nil && !s.admits(p) {
		err = web.ErrUnauthorized
	}
	return callerOf(p, ""), err
}
