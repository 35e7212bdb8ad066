package templates

// Person is a person as owners see them.
type Person struct {
	RecordView

	// Disabled is since when they may not log in, or "", and Enable lets them in again.
	Disabled string
	Enable   Action
	// Link is where they choose a password; "" if this session cannot show it. Until is when it expires, or "" if there is
	// none.
	Link, Until string
	// Invite makes a link, and Uninvite takes it back. At most one of them has an address.
	Invite, Uninvite Action
}

// Token is an API token as owners see it.
type Token struct {
	RecordView

	// Secret is shown until then to the session that made the token; "" to all others.
	Secret, Until string
}

// Join is the form with which somebody who has a link chooses a password. Without a link it was good for nothing.
type Join struct {
	Link          string
	Email, Tenant string
	MinPassword   int
	Errors        FieldErrors
}

// Account is what somebody sees of themselves.
type Account struct {
	Facts       []Fact
	Owner       Owner
	MinPassword int
	Errors      FieldErrors
}

// roles are those to choose from.
func roles() []Option {
	return []Option{{Value: "member", Text: "Member"}, {Value: "owner", Text: "Owner"}}
}
