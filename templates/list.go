package templates

// ArchivedField is the name of the field that asks for archived records, with the value 1.
const ArchivedField = "archived"

// List is a page of a list with a text in each cell, newest first.
type List struct {
	Finder

	Title     string // "Customers"
	One, Many string // the words for records within a sentence, "customer" and "customers"
	Href      string // the address of the list
	NewHref   string // the form that creates one; "" if the list has no such form
	New       string // the text of the link to it
	First     string // the text of that link while the list is empty
	Columns   []Column
	Rows      []Row
	// Empty is a sentence about how to get the first record.
	Empty string
	// Archive is a sentence that explains archiving, "" if records are not archived. Archived is set on the list of archived records.
	Archive  string
	Archived bool
}

// Column is one of the columns of a [List]. The first one has the names of the records.
type Column struct {
	Label string
	// Class is "name" for text that may be long, "date", "num" for values that are aligned to the right, or "amounts" for several
	// amounts, one a line, which include their label for pages without a table head.
	Class string
	// Sort is the value of the parameter sort for the ascending order by the column; "" if the list can't be sorted by it. The value for
	// the descending order has a - before it.
	Sort string
	// SortHref is the address of the list in the order to which the head of the column leads, and Sorted the order of the list by the
	// column: "ascending", "descending" or "".
	SortHref, Sorted string
}

// SortField is the name of the parameter with the order of a list.
const SortField = "sort"

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
