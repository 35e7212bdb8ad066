package templates

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
