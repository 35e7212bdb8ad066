package site_test

import "net/url"

func users() resource {
	command := url.Values{"email": {"ada@example.com"}, "name": {"Ada Lovelace"}, "role": {"member"}}
	return resource{
		name: "person", path: "/people", people: true, words: words{verb: "add", past: "added"}, command: command, label: "Ada Lovelace",
		leaves: rows{"users": 1, "intents": 1},
		other:  change(command, "email", "grace@example.com", "name", "Grace Hopper"),
		fields: []field{
			{"email", "king@example.com", "ada at example", "/email"},
			{"name", "Ada Byron", "a\u202eb", "/name"},
			{"role", "owner", "king", "/role"},
		},
		uniques: []unique{{field: "email", value: "taken@example.com", free: "byron@example.com", slug: "person-exists", global: true}},
		edited:  edited{change(command, "name", "Ada King", "role", "owner"), "Ada King"},
		transitions: []transition{
			{verb: "disable", past: "disabled", undo: "enable"},
			{verb: "enable", past: "enabled", from: []string{"disable"}, undo: "disable"},
			{verb: "uninvite", past: "uninvited", undo: "invite"},
			{verb: "invite", past: "invited", from: []string{"uninvite"}, undo: "uninvite"},
		},
	}
}

func apiTokens() resource {
	command := url.Values{"name": {"sync"}, "role": {"member"}}
	return resource{
		name: "token", path: "/tokens", people: true, words: words{verb: "create", past: "created"}, command: command, label: "sync",
		leaves:  rows{"api_tokens": 1, "intents": 1},
		other:   change(command, "name", "backup"),
		fields:  []field{{"name", "shop", "a\u202eb", "/name"}, {"role", "read-only", "owner", "/role"}},
		uniques: []unique{{field: "name", value: "taken", free: "free", slug: "token-name-taken"}},
		transitions: []transition{
			{verb: "revoke", past: "revoked"},
		},
	}
}
