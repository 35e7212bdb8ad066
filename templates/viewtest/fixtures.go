package viewtest

import "onlyonce/templates"

const (
	ship  = "Donaudampfschiff"
	ships = ship + ship + ship + ship
)

// Hostile is a long text without line breaks and full of markup.
const Hostile = ships + ships + ships + ` "><script>alert('x')</script> & <b style="x">`

// Blank returns a page without common data.
func Blank() templates.Page {
	return templates.Page{Asset: func(name string) string { return "/" + name }}
}

// Page returns a page for a person who is logged in.
func Page() templates.Page {
	return templates.Page{
		User: "acme@onlyonce.test", Tenant: "Acme Studio", Flash: "Invoice 2026-0042 created", Asset: Blank().Asset,
		Nav:  []templates.NavItem{{Text: "Invoices", Href: "/invoices", Current: true}, {Text: "API", Href: "/docs/api"}},
		Tabs: []templates.NavItem{{Text: "Business", Href: "/settings"}, {Text: "People", Href: "/people", Current: true}},
	}
}

// WithHistory returns [Page] with a history that has all kinds of entries.
func WithHistory() templates.Page {
	page := Page()
	page.History = []templates.HistoryEntry{
		{Changes: []templates.HistoryChange{{Label: "Name", Was: Hostile, Is: Hostile}, {Label: "Notes", Is: Hostile}}, By: Hostile},
		{Text: "Created", Key: Hostile, By: Hostile},
	}
	page.Technical = []templates.Fact{{Label: "Version", Value: "3"}}
	return page
}

// Archived returns a record with all parts that its page can show.
func Archived() templates.RecordView {
	return templates.RecordView{
		Name: Hostile, Facts: []templates.Fact{{Label: "Email", Value: Hostile, Href: "mailto:" + Hostile}, {Label: "Notes"}},
		Archive: Hostile, Archived: "21 Nov 2026", EditHref: "/things/1/edit",
		Restore: templates.Action{Text: "Restore", Href: "/things/1/restore", Key: "k"},
	}
}

// Finder returns a search with all its parts.
func Finder() templates.Finder {
	return templates.Finder{
		Pager: templates.Pager{FirstHref: "/things", PreviousHref: "?cursor=x", NextHref: "?cursor=y"},
		Href:  "/things", Many: "things", Search: Hostile, Placeholder: "Number",
		Hidden: []templates.Field{{Name: "status", Value: "open"}},
		Chips:  []templates.NavItem{{Text: "All", Href: "/things"}, {Text: "Open", Href: "/things?status=open", Current: true}},
		Only:   []templates.Narrowing{{Text: Hostile, All: Hostile, Href: "/things"}},
		Dated:  "Issued", From: "2026-01-01", To: "never",
		Choices: []templates.FinderChoice{{
			Name: "sort", Label: "Sort by", Value: "due",
			Options: []templates.Option{{Value: "newest", Text: "Newest first"}, {Value: "due", Text: "Due first"}},
		}},
		Said: Hostile, ClearHref: "/things", Problems: []string{Hostile}, Whole: []string{Hostile},
	}
}
