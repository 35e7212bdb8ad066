// Package templates is the user interface: pages as templ components over flat view models. All values of a view model are ready to
// show (money, dates and messages are strings); links are paths of this site. It has the pages of package web and the components of all
// pages. The pages of a domain are in the folders below. The package knows no domain and imports none.
package templates

import "github.com/a-h/templ"

// Product is the name of the app.
const Product = "Onlyonce"

// Page has the common data of all pages: the person, and the URLs of the assets.
type Page struct {
	title  string // see [Page.Titled]
	failed bool   // see [Page.Failed]

	// User is the email of the person logged in; empty without a login.
	User string
	// Tenant is the name of the person's business.
	Tenant string
	// LoginUnknown is set if the session could not be checked. User is then empty.
	LoginUnknown bool
	// Flash is shown once at the top of the page, such as "Invoice 2026-0042 created". Empty for none.
	Flash string
	// Done is the key of a form that was carried out, so that the browser can delete its kept input. Empty for none.
	Done string
	// History is the history of the record on the page, newest first.
	History []HistoryEntry
	// HistoryHref is the page with the whole history; "" if History is all.
	HistoryHref string
	// Technical has details for following a request, such as the version of the record.
	Technical []Fact
	// Attempts shows the attempts to create and change that record; nil if they are not known.
	Attempts templ.Component
	// Nav is the main navigation, and Tabs the parts of the section that the page is in; nil if it has none.
	Nav  []NavItem
	Tabs []NavItem
	// Slots are filled by other rooms.
	Slots Slots

	// Asset returns the URL of a file in package static, by its name. It panics if there is no such file.
	Asset func(name string) string
}

// Slots are places on every page for the components of other rooms.
type Slots struct {
	// Styles are names of further stylesheets.
	Styles []string
	// Above is shown above the content, BelowHistory after the history of a record, and EmptyList in an empty list.
	Above, BelowHistory, EmptyList templ.Component
	// Promise is a sentence about the app on the login page.
	Promise string
	// Login returns the component at the start of the login page, which then has its main button; nil for none.
	Login func(demo []DemoLogin, next string) templ.Component
}

// NavItem is an entry of the main navigation.
type NavItem struct {
	Text    string
	Href    string
	Current bool
}

// Link is a link to another page of this site.
type Link struct {
	Text string
	Href string
	// NewTab opens it in a new tab, so that this page keeps its input.
	NewTab bool
}

// Field is a name and value of a form. Names may repeat.
type Field struct {
	Name  string
	Value string
}

// contentHref returns the target of the skip link, behind the tabs of a section.
func (p Page) contentHref() string {
	if len(p.Tabs) > 0 {
		return "#content"
	}
	return "#main"
}

// Titled returns the page with a title, to which the product's name is added.
func (p Page) Titled(title string) Page {
	p.title = title
	return p
}

// Failed returns the page with "Error: " before its title if yes.
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

// The names of the fields of a login. NextField has the path of the page after it.
const (
	EmailField    = "email"
	PasswordField = "password"
	NextField     = "next"
)

// DemoLogin is one known login of the demo.
type DemoLogin struct {
	Tenant   string
	Email    string
	Password string
}

// Fields returns the fields of the login form for this login, which leads to next.
func (d DemoLogin) Fields(next string) []Field {
	return []Field{{Name: EmailField, Value: d.Email}, {Name: PasswordField, Value: d.Password}, {Name: NextField, Value: next}}
}
