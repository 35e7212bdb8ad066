package peopleviews

import "onlyonce/templates"

// SignUpSent is the page after a sign-up was asked for. It is the same whether or not the address has an account.
type SignUpSent struct {
	Email string
	// Link is the link in the email, in the demo, which sends none; "" otherwise.
	Link string
}

// TimeZoneField is the hidden field with the time zone of the browser, which static/page.js fills in.
const TimeZoneField = "time_zone"

// SignUpBusiness is the form of the business that a sign-up begins.
type SignUpBusiness struct {
	templates.Form

	Email, Link string
	// Started is set if the business exists.
	Started     bool
	MinPassword int
}

// password returns the control of the password, which is never shown again.
func (v SignUpBusiness) password() templates.Input {
	return templates.Input{
		ID: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Hint: atLeast(v.MinPassword),
		Error: v.Wrong("password"),
	}
}
