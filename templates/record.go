package templates

// RecordView has the common data of all pages of records.
type RecordView struct {
	Name  string
	Facts []Fact
	// EditHref is the form that edits it; "" if there is none.
	EditHref string
	// New links to the form that is most often used from this record.
	New Link
	// Actions are its transitions, unless it is archived.
	Actions []Action
	// Archive is a sentence that explains archiving, and Archived the date on which it was archived, or "". Restore undoes that.
	Archive  string
	Archived string
	Restore  Action
}
