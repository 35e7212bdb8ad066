package peoplepages

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"

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
	draft := web.NewForm(m, token.Input.Draft, web.Form[token.Token]{
		Fields: []templates.Field{{Name: "name", Value: "Name"}, {Name: "role", Value: "Role"}},
		Page: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return peopleviews.TokenForm(p, f), nil
		},
		OnSuccess: func(token.Token) { s.known.forget() },
	})
	check := draft.Form
	draft.Form = func(r *http.Request) (token.Draft, error) {
		d, err := check(r)
		d.Seed = secret.FromSession(string(web.Principal(r).Secret))
		return d, err
	}
	web.List(m, web.Listing[token.Token]{
		Read: func(r *http.Request, page record.Page) (record.List[token.Token], error) {
			return token.Table.List(r.Context(), s.Pool, web.Principal(r).Tenant, page, `true`, nil)
		},
		Columns: []templates.Column{
			{Label: "Name", Class: "name"}, {Label: "Role", Class: "date"}, {Label: "Created by", Class: "name"},
			{Label: "Created", Class: "date"}, {Label: "State", Class: "date"},
		},
		Row: func(t token.Token) []string {
			return []string{t.Name, web.Capital(t.Role), tokenMaker(t), web.Day(t.CreatedAt), tokenState(t)}
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

func tokenFacts(t token.Token) []templates.Fact {
	return []templates.Fact{
		{Label: "Role", Value: web.Capital(t.Role)}, {Label: "Created by", Value: tokenMaker(t)},
		{Label: "Created", Value: web.Moment(t.CreatedAt)}, {Label: "State", Value: tokenState(t)},
	}
}

func tokenMaker(t token.Token) string { return cmp.Or(t.CreatedBy, "a command") }

func tokenState(t token.Token) string {
	if t.RevokedAt.IsZero() {
		return "In use"
	}
	return "Revoked on " + web.Day(t.RevokedAt)
}

// tokenPage returns the page of a token, with its secret for a while if this session has made it.
func (s *pages) tokenPage(r *http.Request, p templates.Page, t token.Token) (templ.Component, error) {
	v := peopleviews.Token{RecordView: s.tokens.RecordView(r, t)}
	if !t.RevokedAt.IsZero() {
		return peopleviews.TokenPage(p, v), nil
	}
	if time.Since(t.CreatedAt) > token.SecretShown {
		return peopleviews.TokenPage(p, v), nil
	}
	text := token.Secret(secret.FromSession(string(web.Principal(r).Secret)), t)
	has, err := account.HasToken(r.Context(), s.Pool, web.Principal(r).Tenant, t.ID, text)
	if has {
		v.Secret, v.Until = text, web.Moment(t.CreatedAt.Add(token.SecretShown))
	}
	return peopleviews.TokenPage(p, v), err
}
