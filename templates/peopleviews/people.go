// Package peopleviews is the pages of the settings of a business, of its people and tokens, and of what they attempted.
package peopleviews

import "onlyonce/templates"

// Person is a person as owners see them.
type Person struct {
	templates.RecordView

	// Disabled is since when they may not log in, or "", and Enable lets them in again.
	Disabled string
	Enable   templates.Action
	// Link is where they choose a password; "" if this session cannot show it. Until is when it expires, or "" if there is
	// none. Mailed says what became of the email with it.
	Link, Until, Mailed string
	// Send makes a link and emails it, Invite only makes it, and Uninvite takes it back. Those that cannot be have no address.
	Send, Invite, Uninvite templates.Action
}

// Token is an API token as owners see it.
type Token struct {
	templates.RecordView

	// Secret is shown until then to the session that made the token; "" to all others.
	Secret, Until string
}

// roles are those of a person to choose from.
func roles() []templates.Option {
	return []templates.Option{{Value: "member", Text: "Member"}, {Value: "owner", Text: "Owner"}, {Value: "read-only", Text: "Read-only"}}
}

// tokenRoles are those of a token to choose from.
func tokenRoles() []templates.Option {
	return []templates.Option{{Value: "member", Text: "Member"}, {Value: "read-only", Text: "Read-only"}}
}
