package peopleviews

import "onlyonce/templates"

// Attempts is how often it was tried to make and change a record.
type Attempts struct {
	Summary string // "Created once. At least 3 attempts, 2 ignored."
	Rows    []AttemptRow
	// AllHref is the list with all of them, for those who may see it.
	AllHref string
}

// AttemptList is a page of what was tried lately.
type AttemptList struct {
	templates.Finder

	// Kept is for how long attempts are kept, such as "7 days"; "" if none are.
	Kept string
	Rows []AttemptRow
	// What is looked for, as it was chosen or typed.
	Outcome, Operation, Key, Record string
	Outcomes, Operations            []templates.Option
}

// AttemptRow is one attempt.
type AttemptRow struct {
	At      string // "22 Nov 2026, 09:30:12 UTC"
	What    string // "New invoice"
	Href    string // the record that it was about, or ""
	Outcome string // "Created"
	Kind    string // "done", "idle", "refused" or "failed"
	Detail  string // what that means, or ""
	By      string
	Took    string // "12 ms"
	Key     string // "" if there was none
	KeyHref string // all attempts with the key
	Replica string
}

// shortKey is enough of a key to tell it from others.
func shortKey(key string) string {
	const enough = 13 // characters, which are ASCII
	if len(key) <= enough {
		return key
	}
	return key[:enough-1] + "…"
}
