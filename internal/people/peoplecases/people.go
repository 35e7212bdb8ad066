// Package peoplecases declares settings, people and tokens for the tests of sitetest. Only tests import it: those of
// the room, and those of the whole site.
package peoplecases

import (
	"net/url"

	"onlyonce/internal/site/sitetest"
)

// Resources returns the resources of the room.
func Resources() []sitetest.Resource {
	return []sitetest.Resource{Settings(), Users(), APITokens()}
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
		},
		Uniques: []sitetest.Unique{{Field: "name", Value: "taken", Free: "free", Slug: "token-name-taken"}},
		Transitions: []sitetest.Transition{
			{Verb: "revoke", Past: "revoked"},
		},
	}
}
