package templates

import "slices"

// Join is the form with which somebody who has a link chooses a password. Without a link it was good for nothing.
type Join struct {
	Link          string
	Email, Tenant string
	MinPassword   int
	Errors        FieldErrors
	PlainHTTP     *PlainHTTP // see [Login]
}

// Account is what somebody sees of themselves.
type Account struct {
	Facts       []Fact
	Owner       Owner
	MinPassword int
	Errors      FieldErrors
	Sessions    []Session // the newest first
	// ListedSessions is how many are listed, if there are more; else 0.
	ListedSessions int
	Session        string // the id of that of the browser that asks
}

// Session is a login in a browser.
type Session struct {
	ID          string
	Device      string
	Began, Seen string
}

// elsewhere reports whether there is a session besides that of the browser that asks.
func (v Account) elsewhere() bool {
	return slices.ContainsFunc(v.Sessions, func(s Session) bool { return s.ID != v.Session })
}

// ending is what a form sends that ends one session, or all but one.
func (v Account) ending(name, session string) []Field {
	return append(v.Owner.fields(), Field{Name: name, Value: session})
}
