package peopleviews

import (
	"slices"

	"onlyonce/templates"
)

// The names of hidden fields: the secret of a link, the session to end, and the one that goes on while all others end.
const (
	LinkField    = "link"
	SessionField = "session"
	ButField     = "but"
)

// Join is the form in which a person who has a link chooses a password. Without a link the page explains that the link does not work.
type Join struct {
	Link          string
	Email, Tenant string
	MinPassword   int
	Errors        templates.FieldErrors
	PlainHTTP     *PlainHTTP // see [Login]
}

// Account is the page of the person who is logged in.
type Account struct {
	Facts       []templates.Fact
	Owner       templates.Owner
	MinPassword int
	Errors      templates.FieldErrors
	Sessions    []Session // the newest first
	// ListedSessions is the number of listed sessions, if there are more; else 0.
	ListedSessions int
	Session        string // the id of this browser's session
}

// Session is a login in a browser.
type Session struct {
	ID          string
	Device      string
	Began, Seen string
}

// elsewhere reports whether there is a session besides the one of this browser.
func (v Account) elsewhere() bool {
	return slices.ContainsFunc(v.Sessions, func(s Session) bool { return s.ID != v.Session })
}

// ending returns the fields of a form that ends one session, or all except one.
func (v Account) ending(name, session string) []templates.Field {
	return append(v.Owner.Fields(), templates.Field{Name: name, Value: session})
}
