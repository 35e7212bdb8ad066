// Package templates is the user interface: pages as templ components over flat
// view models. Everything in a view model is ready to show (money, dates and
// messages are strings); links are paths of this site. Here are the pages that
// package web shows by itself, and what the pages of a domain are made of: those
// are in the folders below. The package knows no domain and imports none.
package templates

import "github.com/a-h/templ"

// Product is what the app is called.
const Product = "Onlyonce"

// Page is what every page shares: who is looking, and where the assets are.
type Page struct {
	title  string // see [Page.Titled]
	failed bool   // see [Page.Failed]

	// User is the email of the person logged in; empty when nobody is.
	User string
	// Tenant is the name of the business they work for.
	Tenant string
	// LoginUnknown is set if somebody may be logged in, and that could not be
	// found out. User is then empty.
	LoginUnknown bool
	// Flash is said once at the top of the page, such as "Invoice 2026-0042
	// created". Empty for none.
	Flash string
	// Done is the key of a form that is done, so that the browser need not keep what was typed into it. Empty for none.
	Done string
	// History is what was done to the record that the page shows, newest first.
	History []HistoryEntry
	// HistoryHref is the page with all of it; "" if History is all.
	HistoryHref string
	// Technical is what only those look for who follow a request, such as the version of the record.
	Technical []Fact
	// Attempts are those to make and change that record; nil if they are not known.
	Attempts templ.Component
	// Nav is the main navigation, and Tabs the parts of the section that the page is in; nil if it has none.
	Nav  []NavItem
	Tabs []NavItem
	// Slots are filled by rooms that add to pages which are not theirs.
	Slots Slots

	// Asset returns the URL of a file in package static, by its name. It panics if there is none.
	Asset func(name string) string
}

// Slots are places of every page that are empty unless a room fills them.
type Slots struct {
	// Styles are names of further stylesheets.
	Styles []string
	// Above stands above the content, BelowHistory ends the history of a record, and EmptyList stands where a list has nothing yet.
	Above, BelowHistory, EmptyList templ.Component
	// Promise is what the app is for, on the login page.
	Promise string
	// Login returns what the login page begins with, whose button is then its main one; nil if it adds nothing.
	Login func(demo []DemoLogin, next string) templ.Component
}

// NavItem is an entry of the main navigation.
type NavItem struct {
	Text    string
	Href    string
	Current bool
}

// Link is a way on to another page of this site.
type Link struct {
	Text string
	Href string
	// NewTab opens it beside this page, which keeps what was typed here.
	NewTab bool
}

// Field is one name and value as a form posts them. Names may repeat.
type Field struct {
	Name  string
	Value string
}

// Titled returns the page under a title, which does not have the product's name in it.
func (p Page) Titled(title string) Page {
	p.title = title
	return p
}

// Failed returns the page with "Error: " in front of its title if yes.
func (p Page) Failed(yes bool) Page {
	p.failed = yes
	return p
}

func (p Page) documentTitle() string {
	title := p.title + " · " + Product
	if p.failed {
		return "Error: " + title
	}
	return title
}
