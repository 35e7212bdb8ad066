// Package importviews has the pages of imports.
package importviews

import "onlyonce/templates"

// The names of the fields of imports.
const (
	ColumnField      = "column"      // of the page, once for each column
	ColumnsField     = "columns"     // of the question: the fields of all columns, with commas between them
	SourceField      = "source"      // the system that the file comes from
	TakesAlikeField  = "takes_alike" // "true" to import rows that look like other records
	DateOrderField   = "dates"       // "dmy" or "mdy"
	DecimalSignField = "decimals"    // "point" or "comma"
	VerdictField     = "show"        // the verdict of the rows on the page
	PageField        = "page"        // the number of the page of rows, from 1
)

// Words are the words for the records of an import: "customer", "customers" and "Customer".
type Words struct{ One, Many, Heading string }

// Import is the page of an import.
type Import struct {
	templates.RecordView
	Words

	// Preview is set before the confirmation.
	Preview *ImportPreview

	Reloads      bool   // until the import is finished or stopped
	ListHref     string // the records that it has created, among others; "" for none
	Gone         bool   // the file was deleted
	TakenBack    bool
	Left         []ImportLeft // the first rows that were left out
	More         bool         // whether there are more of them
	DownloadHref string       // the file with all of them; "" without one
}

// ImportPreview shows the verdict on each row of an import.
type ImportPreview struct {
	Href    string // the address of the page, to which the choice of fields is sent
	Columns []ImportColumn
	Fields  []templates.Option
	Source  string
	// Days and Numbers are texts of the file whose meaning depends on the choices below; "" for none.
	Days, Numbers          string
	DateOrder, DecimalSign string
	Problems               []string // why the choice of fields can't be imported

	Filters []templates.NavItem // by verdict, with the number of rows
	Rows    []ImportRow
	Pager   templates.Pager
	Confirm templates.Action // the way to the question; zero for read-only users
}

// ImportColumn is a column of a file.
type ImportColumn struct {
	ID, Heading, Sample, Field string
}

// ImportRow is a row of a file.
type ImportRow struct {
	Line, Name, Detail string
	Verdict, Problem   string
	Href               string // the record that it is, differs from or looks like; "" for none
}

// ImportLeft is a row that was left out.
type ImportLeft struct{ Line, Problem string }

// ConfirmImport is the page that asks before an import.
type ConfirmImport struct {
	templates.Form
	Words

	File, Href string // the name of the file, and the page of its import
	// New, Known and Alike count the rows with these verdicts, and LeftOut all others.
	New, Known, Alike, LeftOut string
	HasAlike                   bool
	Caution                    string // a sentence about the effects; "" for none
	Begun                      bool   // it was confirmed before
}

// TakeBack is the page that asks before an import is taken back.
type TakeBack struct {
	templates.Form
	Words

	File, Href string // the name of the file, and the page of its import
	Created    string // the number of records
	Done       bool   // it was taken back before
}
