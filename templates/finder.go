package templates

import "slices"

// Finder is what a list is searched, filtered and sorted by: all of it is in the address of the page.
type Finder struct {
	Pager

	Href        string // where the form leads; "" if there is none
	Many        string // "invoices"
	Search      string // as it was typed
	Placeholder string // of the search
	// Hidden are further parameters that the form keeps.
	Hidden []Field
	// Chips are states to choose one of.
	Chips []NavItem
	// Only is what the list is narrowed to besides.
	Only []Narrowing
	// Dated is what there are a first and a last day of, such as "Issued"; "" if there are none.
	Dated    string
	From, To string
	Choices  []FinderChoice
	// Said is what is looked for, in words, and ClearHref leads to everything; "" if that is everything.
	Said      string
	ClearHref string
	// Problems are what is wrong with what was asked for.
	Problems []string
	// Whole are words of which only whole ones were looked for.
	Whole []string
}

// FinderChoice is a parameter to choose a value of. The first option needs to be in no address.
type FinderChoice struct {
	Name, Label string
	Value       string
	Options     []Option
}

// Narrowing is something that a list is narrowed to, such as one customer, and the way to be rid of that.
type Narrowing struct {
	Text string // behind "Only those", such as "of Ada Lovelace"
	All  string // the text of the link to all others, such as "Show all customers"
	Href string
}

// Pager leads through the pages of a list.
type Pager struct {
	FirstHref    string // empty on the first page
	PreviousHref string // empty if there is nothing before
	NextHref     string // empty on the last page
}

// notFirst is the value of an option, but for the first one.
func notFirst(i int, value string) string {
	if i == 0 {
		return ""
	}
	return value
}

// filtered reports whether anything is chosen besides what is searched for.
func (v Finder) filtered() bool {
	return v.From+v.To != "" || slices.ContainsFunc(v.Choices, func(c FinderChoice) bool { return c.Value != "" })
}
