package templates

// List is a page of a list whose cells are texts, newest first.
type List struct {
	Finder

	Title     string // "Customers"
	One, Many string // what people call them within a sentence, "customer" and "customers"
	Href      string // the address of the list
	NewHref   string // where one is made; "" if that is not begun here
	New       string // what leads there
	First     string // likewise, while there is none
	Columns   []Column
	Rows      []Row
	// Empty is a sentence about where the first one comes from.
	Empty string
	// Archive is a sentence about what it means to be archived, "" where nothing is archived. Archived is set if these are archived.
	Archive  string
	Archived bool
}

// Column is one of the columns of a [List]. The first one has the names of the records.
type Column struct {
	Label string
	// Class is "name" for text that may be long, "date", "num" for what is aligned to the right, or "amounts" for some, one a line,
	// which say what they are where there is no head.
	Class string
}

// Row is one record in a [List], with a text for each column.
type Row struct {
	Href  string
	Cells []string
}

func (v List) title() string {
	if v.Archived {
		return "Archived " + v.Many
	}
	return v.Title
}
