package templates

// Forgot is the form with which somebody asks for a link to choose another password.
type Forgot struct {
	Email  string // as typed
	Errors FieldErrors
	// Asked is set once a link was asked for, which says nothing about whether there is such an account.
	Asked bool
	// NoMail is set where no link can be mailed.
	NoMail bool
}
