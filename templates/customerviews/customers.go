// Package customerviews is the form of a customer.
package customerviews

import "onlyonce/templates"

func emailHint(f templates.Form) string {
	if f.Version != 0 {
		return "No two customers can have the same email address."
	}
	return "One customer per email: if it exists, it's reused."
}
