// Package peoplecases declares settings, people and tokens for the tests of sitetest. Only tests import it: those of
// the room, and those of the whole site.
package peoplecases

import (
	"net/url"

	"github.com/google/uuid"

	"onlyonce/internal/must"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/site/sitetest"
)

// Resources returns the resources of the room.
func Resources() []sitetest.Resource {
	return []sitetest.Resource{Settings(), Users(), APITokens(), SignUps()}
}

// Unbroken returns the constraints that no command of an operation breaks: see sitecases.
func Unbroken() map[string][]string {
	return map[string][]string{
		"user.enable": {"users_last_owner"},
		"user.invite": {"link_mails_apart"}, // which is for emails without a login
	}
}

// Users are the people of a tenant.
func Users() sitetest.Resource {
	command := url.Values{"email": {"ada@example.com"}, "name": {"Ada Lovelace"}, "role": {"member"}}
	return sitetest.Resource{
		Name: "person", Path: "/people", People: true, Words: sitetest.Words{Verb: "add", Past: "added"}, Command: command,
		Label:  "Ada Lovelace",
		Leaves: sitetest.Rows{"users": 1, "intents": 1},
		Other:  sitetest.Change(command, "email", "grace@example.com", "name", "Grace Hopper"),
		Fields: []sitetest.Field{
			{Name: "email", Valid: "king@example.com", Invalid: "ada at example", Pointer: "/email"},
			{Name: "name", Valid: "Ada Byron", Invalid: "a\u202eb", Pointer: "/name"},
			{Name: "role", Valid: "owner", Invalid: "king", Pointer: "/role"},
		},
		Uniques: []sitetest.Unique{
			{Field: "email", Value: "taken@example.com", Free: "byron@example.com", Slug: "person-exists", Global: true},
		},
		Edited: sitetest.Edited{Command: sitetest.Change(command, "name", "Ada King", "role", "owner"), Label: "Ada King"},
		Transitions: []sitetest.Transition{
			{Verb: "disable", Past: "disabled", Undo: "enable"},
			{Verb: "enable", Past: "enabled", From: []string{"disable"}, Undo: "disable"},
			{Verb: "uninvite", Past: "uninvited", Undo: "invite"},
			{Verb: "invite", Past: "invited", From: []string{"uninvite"}, Undo: "uninvite"},
		},
	}
}

// SignUps are the sign-ups of people without a login.
func SignUps() sitetest.Resource {
	command := url.Values{"email": {"ada@example.com"}}
	return sitetest.Resource{
		Name: "sign-up", Path: "/sign-ups", People: true, Strangers: true, Command: command, Label: "your sign-up",
		Words:   sitetest.Words{Past: "began", Told: "We've sent an email to "},
		Leaves:  sitetest.Rows{"sign_ups": 1, "sign_up_mails": 1, "intents": 1},
		Other:   sitetest.Change(command, "email", "grace@example.com"),
		Fields:  []sitetest.Field{{Name: "email", Valid: "king@example.com", Invalid: "ada at example", Pointer: "/email"}},
		Repeats: sitetest.Repeats{Reused: sitetest.Change(command, "email", "ADA@example.com ")},
		Transitions: []sitetest.Transition{{
			Verb: "start", Past: "started", Leaves: sitetest.Rows{"users": 1}, LeadsTo: "/login?ready", Told: "Your business is ready.",
			Command: func(b *sitetest.Bundle, id string) url.Values {
				return url.Values{"link": {LinkOf(b, id)}, "business": {"Lovelace Ltd"}, "name": {"Ada"}, "password": {sitetest.Password}}
			},
		}},
	}
}

// LinkOf returns the secret of the link in the last mail about a sign-up.
func LinkOf(b *sitetest.Bundle, id string) string {
	b.Helper()
	path, err := signup.LastLink(b.Context(), b.DB.Pool, secret.FromKey(b.Key), uuid.MustParse(id))
	must.OK(b, err)
	return sitetest.SecretIn(path)
}

// APITokens are the tokens of programs.
func APITokens() sitetest.Resource {
	command := url.Values{"name": {"sync"}, "role": {"member"}}
	return sitetest.Resource{
		Name: "token", Path: "/tokens", People: true, Words: sitetest.Words{Verb: "create", Past: "created"}, Command: command,
		Label:  "sync",
		Leaves: sitetest.Rows{"api_tokens": 1, "intents": 1},
		Other:  sitetest.Change(command, "name", "backup"),
		Fields: []sitetest.Field{
			{Name: "name", Valid: "shop", Invalid: "a\u202eb", Pointer: "/name"},
			{Name: "role", Valid: "read-only", Invalid: "owner", Pointer: "/role"},
			{Name: "scope", Valid: " events customers", Invalid: "customer", Pointer: "/scope"},
			{Name: "valid_days", Valid: "30", Invalid: "31", Pointer: "/valid_days"},
		},
		Uniques: []sitetest.Unique{{Field: "name", Value: "taken", Free: "free", Slug: "token-name-taken"}},
		Transitions: []sitetest.Transition{
			{Verb: "revoke", Past: "revoked"},
		},
	}
}
