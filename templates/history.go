package templates

// HistoryEntry is an event in the history of a record.
type HistoryEntry struct {
	// Text is the event, such as "Archived". Changes are its details, if there are any.
	Text    string
	Changes []HistoryChange
	// Key is the idempotency key that created the record, or "".
	Key string
	By  string // "" if unknown
	At  string // "22 Nov 2026, 09:30 UTC"
}

// created returns the key that created the record, or "".
func created(entries []HistoryEntry) string {
	for _, e := range entries {
		if e.Key != "" {
			return e.Key
		}
	}
	return ""
}

// HistoryView is a page of the history of a record.
type HistoryView struct {
	Of      Record
	Entries []HistoryEntry
	Pager   Pager
}

// HistoryChange is a change of a field. Was or Is is empty if the field was empty before or after. Both are empty if they are too long
// for the page. Without a label, Is is a sentence about the change.
type HistoryChange struct {
	Label string
	Was   string
	Is    string
}
