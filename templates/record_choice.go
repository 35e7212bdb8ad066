package templates

import (
	"slices"

	"github.com/a-h/templ"
)

// Choices are the records that a control for a reference offers.
type Choices struct {
	// URL responds to a search with [ChoicesPage]. FormURL shows the form again with the result of a search without JavaScript; "" if it
	// has no such search, whose label is Find, and whose text is Search.
	URL, FormURL string
	Find, Search string
	Options      []Option // the first one chooses none
}

// FindRecord begins the value of the button for that search: see [RedisplayField]. The name of the control follows.
const FindRecord = "find:"

// SearchField returns the name of the field for that search. Fields of records have no hyphen in their names.
func SearchField(control string) string { return "search-" + control }

// choices returns the records that a control offers.
func (f Form) choices(c Control) Choices {
	of, none := f.Offers[c.Name], Option{}
	if c.Optional {
		none.Text = "None"
	}
	of.Find, of.Options = "Search: "+c.Label, slices.Insert(slices.Clone(of.Options), 0, none)
	return of
}

// Found are the records that a search finds while a person types.
type Found struct {
	All  []FoundRecord
	More bool // there are more than these
}

// FoundRecord is one of them. Data are attributes for scripts: the text data-hint is shown below the name.
type FoundRecord struct {
	Option

	Data templ.Attributes
}
