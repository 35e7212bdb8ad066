// Package customerviews has the pages of customers.
package customerviews

import "onlyonce/templates"

// Duplicates is a page of groups of similar customers.
type Duplicates struct {
	templates.Pager

	Groups []Group
}

// Group is a group of similar customers.
type Group struct {
	Why       string // "Same tax ID and name"
	More      string // the number of further ones, if they are not all shown; or ""
	Customers []Candidate
	MergeHref string
	ApartHref string
}

// Candidate is a customer who may be a duplicate. The Facts of all customers of a group have the same order.
type Candidate struct {
	Name  string
	Href  string
	Email string
	Since string
	Facts []templates.Fact
}

// The names of the fields of ChosenView: the customers, and the one that stays.
const (
	CustomersField = "customers"
	WinnerField    = "winner_id"
)

// ChosenView is a form about customers that were chosen on another page.
type ChosenView struct {
	templates.Form

	// Customers are the chosen customers, and Seen the field that the form sends about them. There are none if the choice has no
	// customers that can be merged.
	Customers []Candidate
	Seen      string
	// Winners are the options for the customer that stays.
	Winners []templates.Option
	Hint    string // another room's sentence about merges
}

// chosen returns the control for the ids of customers, if none were chosen.
func (v ChosenView) chosen() templates.Input {
	return v.Input(templates.Input{
		ID: CustomersField, Label: "Customers", Hint: "Their IDs, separated by spaces. The page Duplicates fills them in.",
	})
}
