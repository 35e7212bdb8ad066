package templates

// HistoryEntry is what somebody did to a record.
type HistoryEntry struct {
	// Text is what was done, such as "Archived". Changes say more, if there are any.
	Text    string
	Changes []HistoryChange
	// Key is the idempotency key that created the record, or "".
	Key string
	By  string // "" if it is not known
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

// HistoryChange is a field that was changed. A value is empty if there was, or is, nothing in it. Both are empty if
// they are too long to be told. Without a label, Is says what was changed.
type HistoryChange struct {
	Label string
	Was   string
	Is    string
}
