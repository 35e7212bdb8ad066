package templates

import (
	"slices"

	"github.com/a-h/templ"
)

// Finder has the search, the filters and the order of a list. All are parameters in the URL of the page.
type Finder struct {
	Pager

	Above       templ.Component // above the form of a plain list, such as sums; nil for nothing
	Href        string          // the URL that the form is sent to; "" hides the form
	Many        string          // "invoices"
	Search      string          // the text of the search, as typed
	Placeholder string          // in the search field; "" for a list without a search
	// Hidden are further parameters that the form keeps.
	Hidden []Field
	// Chips are states to choose one of.
	Chips []NavItem
	// Only are further filters, such as one customer.
	Only []Narrowing
	// Dated is the label of a range of dates, such as "Issued"; "" if there is none.
	Dated    string
	From, To string
	Choices  []FinderChoice
	// Said describes the search in words, and ClearHref is the list without it; "" if all is shown.
	Said      string
	ClearHref string
	// Problems are errors in the parameters.
	Problems []string
	// Whole are words that were matched as whole words only.
	Whole []string
}

// FinderChoice is a parameter with options. The first option is the default, which no URL needs.
type FinderChoice struct {
	Name, Label string
	Value       string
	Options     []Option
}

// Narrowing is a filter, such as one customer, with the link that removes it.
type Narrowing struct {
	Text string // after "Only", such as "of Ada Lovelace"
	All  string // the text of the link, such as "Show all customers"
	Href string
}

// Pager has the links between the pages of a list.
type Pager struct {
	FirstHref    string // empty on the first page
	PreviousHref string // empty if there is no earlier page
	NextHref     string // empty on the last page
	CSVHref      string // the file with all pages; empty without one
}

// notFirst returns the value of an option, or "" for the first one.
func notFirst(i int, value string) string {
	if i == 0 {
		return ""
	}
	return value
}

// filtered reports whether a filter is set, besides the search.
func (v Finder) filtered() bool {
	return v.From+v.To != "" || slices.ContainsFunc(v.Choices, func(c FinderChoice) bool { return c.Value != "" })
}
