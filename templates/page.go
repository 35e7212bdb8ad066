// Package templates is the user interface: pages as templ components over flat
// view models. Everything in a view model is ready to show (money, dates and
// messages are strings); links are paths of this site. The package knows
// nothing of the domain and imports none of it.
package templates

// Product is what the app is called.
const Product = "Onlyonce"

// Page is what every page shares: who is looking, and where the assets are.
type Page struct {
	// Title names the page without the product's name. The page components
	// set it, and handlers leave it empty.
	Title string
	// Failed puts "Error: " in front of the title, set like Title.
	Failed bool

	// User is the email of the person logged in; empty when nobody is.
	User string
	// Tenant is the name of the business they work for.
	Tenant string
	// LoginUnknown says that somebody may be logged in, but that it could not be
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
	// Attempts is how often it was tried to make and change that record.
	Attempts Attempts
	// Nav is the main navigation, and Tabs the parts of the section that the page is in; nil if it has none.
	Nav  []NavItem
	Tabs []NavItem
	// begin lab

	// Lab is what the page says of the lab; nil without one.
	Lab *AroundLab
	// end lab

	// Asset gives the URL of a file in package static, by its name. It panics if there is none.
	Asset func(name string) string
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

func (p Page) titled(title string) Page {
	p.Title = title
	return p
}

func (p Page) failed(yes bool) Page {
	p.Failed = yes
	return p
}

func (p Page) documentTitle() string {
	title := p.Title + " · " + Product
	if p.Failed {
		return "Error: " + title
	}
	return title
}
