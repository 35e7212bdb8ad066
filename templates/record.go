package templates

// RecordView is what the pages of records have in common.
type RecordView struct {
	Name  string
	Facts []Fact
	// EditHref is where it is edited; "" if it is not.
	EditHref string
	// New is the way on to what is created for this record most often.
	New Link
	// Actions are the transitions that can be done to it, unless it is archived.
	Actions []Action
	// Archive is a sentence about what it means to be archived, and Archived since when it is, or "". Restore undoes it.
	Archive  string
	Archived string
	Restore  Action
}
