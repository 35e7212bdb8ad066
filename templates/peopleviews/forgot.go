package peopleviews

import "onlyonce/templates"

// Forgot is the form that requests a link to choose another password.
type Forgot struct {
	Email  string // as typed
	Errors templates.FieldErrors
	// Asked is set after a link was requested, whether or not there is such an account.
	Asked bool
	// NoMail is set if the app cannot send email.
	NoMail bool
}
