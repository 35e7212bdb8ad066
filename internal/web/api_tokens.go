package web

import (
	"cmp"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/account"
	"onlyonce/internal/record"
	"onlyonce/internal/token"
	"onlyonce/templates"
)

// apiTokens is the resource of package token. Only owners come here, and no program does: a token that leaked must not
// make another one, which stays when it is revoked.
func (s *Server) apiTokens(pages router) {
	m := mount(s, pages, router{}, resource[token.Token]{
		one: "token", many: "tokens", section: "settings", secret: true, table: token.Table,
		name:   func(t token.Token) string { return t.Name },
		fields: []templates.Field{{Name: "name", Value: "Name"}},
		form: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return templates.TokenForm(p, f), nil
		},
		shown: tokenFacts, rules: token.Rules(), did: func(token.Token) { s.tokens.forget() },
	})
	draft := read(m, token.Input.Draft)
	check := draft.form
	draft.form = func(r *http.Request) (token.Draft, error) {
		d, err := check(r)
		d.Seed = s.seed(r)
		return d, err
	}
	lists(m, listing[token.Token]{
		read: func(r *http.Request, page record.Page) (record.List[token.Token], error) {
			return token.Table.List(r.Context(), s.pool, principal(r).Tenant, page, `true`, nil)
		},
		columns: []templates.Column{
			{Label: "Name", Class: "name"}, {Label: "Created by", Class: "name"}, {Label: "Created", Class: "date"},
			{Label: "State", Class: "date"},
		},
		row:   func(t token.Token) []string { return []string{t.Name, tokenMaker(t), day(t.CreatedAt), tokenState(t)} },
		empty: "A program uses the API with a token. Give each program one of its own, so that you can revoke it alone.",
	})
	shows(m, "", func(r *http.Request, p templates.Page, t token.Token) (templ.Component, error) {
		return s.tokenPage(m, r, p, t)
	})
	creates(m, "", token.Create, draft, nil)
	transitions(m, "revoke", "revoked", "", token.Revoke, nothing())
}

func tokenFacts(t token.Token) []templates.Fact {
	return []templates.Fact{
		{Label: "Created by", Value: tokenMaker(t)}, {Label: "Created", Value: moment(t.CreatedAt)}, {Label: "State", Value: tokenState(t)},
	}
}

func tokenMaker(t token.Token) string { return cmp.Or(t.CreatedBy, "a command") }

func tokenState(t token.Token) string {
	if t.RevokedAt.IsZero() {
		return "In use"
	}
	return "Revoked on " + day(t.RevokedAt)
}

// tokenPage shows a token, with its secret for a while if this session has made it.
func (s *Server) tokenPage(m *mounted[token.Token], r *http.Request, p templates.Page, t token.Token) (templ.Component, error) {
	v := templates.Token{RecordView: m.recordView(r, t)}
	if !t.RevokedAt.IsZero() {
		return templates.TokenPage(p, v), nil
	}
	v.Action = m.action(r, t.ID, "revoke", "Revoking…")
	if time.Since(t.CreatedAt) > token.SecretShown {
		return templates.TokenPage(p, v), nil
	}
	secret := token.Secret(s.seed(r), t)
	has, err := account.HasToken(r.Context(), s.pool, principal(r).Tenant, t.ID, secret)
	if has {
		v.Secret, v.Until = secret, moment(t.CreatedAt.Add(token.SecretShown))
	}
	return templates.TokenPage(p, v), err
}
