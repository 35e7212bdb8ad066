package templates

// Problem documents one problem type of the API; its page is what the type
// URL of a problem document opens.
type Problem struct {
	// Href is the page's path, "/problems/number-taken".
	Href   string
	Title  string
	Status int
	// Meaning says what happened, ToDo what the caller does next.
	Meaning string
	ToDo    string
}

// APIDocs is the reference of the JSON API.
type APIDocs struct {
	// Intro paragraphs: authentication, keys, amounts.
	Intro     []string
	Endpoints []Endpoint
	Rules     []Rule
	Retention []Retention
	Problems  []Problem
	// Example is a request and its answer as preformatted text.
	Example string
}

// Rule is one uniqueness rule: what counts as the same thing, and what a second
// one gets.
type Rule struct {
	Sentence string
	Answer   string
}

// Endpoint is one row of the reference.
type Endpoint struct {
	Method  string
	Path    string
	Summary string
	// Repeats says what a repeat does: "replays the first answer".
	Repeats string
}

// Retention says how long an operation's answers are replayed exactly.
type Retention struct {
	Operation string // "invoice.create"
	Period    string // "24 hours"
}
