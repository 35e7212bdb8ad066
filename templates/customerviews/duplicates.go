// Package customerviews is the pages of customers.
package customerviews

import "onlyonce/templates"

// Duplicates is a page of groups of customers who look alike.
type Duplicates struct {
	templates.Pager

	Groups []Group
}

// Group is some customers who look alike.
type Group struct {
	Why       string // "Same tax ID and name"
	More      string // how many there are besides, if they are not all shown; or ""
	Customers []Candidate
	MergeHref string
	ApartHref string
}

// Candidate is a customer who may be there twice. Facts are in the same order for all of them.
type Candidate struct {
	Name  string
	Href  string
	Email string
	Since string
	Facts []templates.Fact
}

// ChosenView is a form about some customers, which were chosen elsewhere.
type ChosenView struct {
	templates.Form

	// Customers are those who were chosen, and Seen is what the form sends of them. There are none if what was chosen are not
	// customers that can be merged.
	Customers []Candidate
	Seen      string
	// Winners are the customers to choose from, each with its id.
	Winners []templates.Option
	Hint    string // what another room has to say of a merge
}

// chosen is the control in which customers are named by their ids, where none were chosen.
func (v ChosenView) chosen() templates.Input {
	return v.Input(templates.Input{
		ID: "customers", Label: "Customers", Hint: "Their IDs, separated by spaces. The page Duplicates fills them in.",
	})
}
