// Package peopleviews has the pages of a business's settings, people, tokens and attempts.
package peopleviews

import "onlyonce/templates"

// Person is the page of a person, for owners.
type Person struct {
	templates.RecordView

	// Disabled is the date since when the person may not log in, or "", and Enable ends that.
	Disabled string
	Enable   templates.Action
	// Link is the URL at which the person chooses a password; "" if this session cannot show it. Until is the time when it expires, or
	// "" if there is none. Mailed is a sentence about the email with it.
	Link, Until, Mailed string
	// Send makes a link and emails it, Invite only makes it, and Uninvite takes it back. An action that is not possible has no Href.
	Send, Invite, Uninvite templates.Action
}

// Token is the page of an API token, for owners.
type Token struct {
	templates.RecordView

	// Secret is shown until Until to the session that created the token; "" for all others.
	Secret, Until string
}

// ScopeField has a part of the API, for each that a token is for.
const ScopeField = "scope"

// roles returns the roles that a person may have.
func roles() []templates.Option {
	return []templates.Option{{Value: "member", Text: "Member"}, {Value: "owner", Text: "Owner"}, {Value: "read-only", Text: "Read-only"}}
}

// tokenRoles returns the roles that a token may have.
func tokenRoles() []templates.Option {
	return []templates.Option{{Value: "member", Text: "Member"}, {Value: "read-only", Text: "Read-only"}}
}

// lifetimes returns the times for which a token may be valid, in days.
func lifetimes() []templates.Option {
	return []templates.Option{
		{Text: "No end"}, {Value: "30", Text: "30 days"}, {Value: "90", Text: "90 days"}, {Value: "365", Text: "365 days"},
	}
}
