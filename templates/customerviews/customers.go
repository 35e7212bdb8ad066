// Package customerviews is the form of a customer.
package customerviews

import "onlyonce/templates"

func emailHint(f templates.Form) string {
	if f.Version != 0 {
		return "No other customer can have the same email."
	}
	return "One customer per email: an existing one is reused."
}
