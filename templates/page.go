// Package templates is the user interface: pages as templ components over flat
// view models. Everything in a view model is ready to show (money, dates and
// messages are strings); links are paths of this site. The package knows
// nothing of the domain and imports none of it.
package templates

// Page is what every page shares: who is looking, and where the assets are.
type Page struct {
	// Title names the page without the product's name. The page components
	// set it, and handlers leave it empty.
	Title string
	// Section is the part of the navigation that is current, set like Title.
	Section Section
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
	// Assets are the URLs of stylesheet, scripts and icon.
	Assets Assets
}

// Assets are the content-hashed URL paths of the files in package static.
type Assets struct {
	Stylesheet   string // app.css
	SubmitGuard  string // submit-guard.js
	PageScript   string // page.js
	InvoiceLines string // invoice-lines.js, loaded by the invoice form only
	Icon         string // icon.svg
}

// Section is an entry of the main navigation.
type Section string

// The entries of the main navigation; the zero value is none of them.
const (
	SectionInvoices  Section = "/invoices"
	SectionCustomers Section = "/customers"
	SectionAPI       Section = "/docs/api"
)

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

func (p Page) titled(title string, section Section) Page {
	p.Title, p.Section = title, section
	return p
}

func (p Page) failed(yes bool) Page {
	p.Failed = yes
	return p
}

func (p Page) documentTitle() string {
	title := p.Title + " · Onlyonce"
	if p.Failed {
		return "Error: " + title
	}
	return title
}
