package peopleviews

import "onlyonce/templates"

// Attempts are the attempts to create and change a record.
type Attempts struct {
	Summary string // "Created once. At least 3 attempts, 2 ignored."
	Rows    []AttemptRow
	// AllHref is the list of all attempts, "" for those who may not see it.
	AllHref string
}

// AttemptList is a page of recent attempts.
type AttemptList struct {
	templates.Finder

	// Kept is the time for which attempts are kept, such as "7 days"; "" if they are not kept.
	Kept string
	Rows []AttemptRow
	// The search, as chosen or typed.
	Outcome, Operation, Key, Record string
	Outcomes, Operations            []templates.Option
}

// AttemptRow is one attempt.
type AttemptRow struct {
	At      string // "22 Nov 2026, 09:30:12 UTC"
	What    string // "New invoice"
	Href    string // the record of the attempt, or ""
	Outcome string // "Created"
	Kind    string // "done", "idle", "refused" or "failed"
	Detail  string // an explanation of the outcome, or ""
	By      string
	Took    string // "12 ms"
	Key     string // "" without a key
	KeyHref string // all attempts with the key
	Replica string
}

// shortKey returns the beginning of a key, enough to recognise it.
func shortKey(key string) string {
	const enough = 13 // characters; keys are ASCII
	if len(key) <= enough {
		return key
	}
	return key[:enough-1] + "…"
}
