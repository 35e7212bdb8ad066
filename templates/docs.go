package templates

// Problem documents one problem type of the API; its page is what the type
// URL of a problem document opens.
type Problem struct {
	// Href is the page's path, "/problems/number-taken".
	Href   string
	Title  string
	Status int
	// Meaning is what happened, ToDo what the caller does next.
	Meaning string
	ToDo    string
}

// APIDocs is the reference of the JSON API.
type APIDocs struct {
	// Intro paragraphs: authentication, keys, amounts.
	Intro    []string
	Example  string // a request to run in a shell
	Retries  []string
	Programs Programs
	Sections []APISection
	Rules    []Rule
	Problems []Problem
}

// Programs are programs that use the API.
type Programs struct {
	About string // a sentence on what they do
	All   []Program
}

// Program is the text of a program, with the name of its file.
type Program struct{ Name, Text string }

// APISection is the part of the reference about one resource.
type APISection struct {
	Title     string
	Anchor    string
	Endpoints []Endpoint
}

// Rule is one uniqueness rule: what counts as the same thing, and what a second
// one gets.
type Rule struct {
	Sentence string
	Answer   string
}

// Endpoint is one method of an address.
type Endpoint struct {
	Anchor  string
	Method  string
	Path    string
	Summary string
	// Repeats is what a repeat does: "replays the first answer", and Kept how long that is kept: "24 hours".
	Repeats string
	Kept    string
	// Parameters are those of the address, and Body the members of what is sent.
	Parameters []APIField
	Body       []APIField
	Example    string // of the body
	Problems   []Problem
}

// APIField is a parameter, or a member of a body.
type APIField struct {
	Name     string // "lines[].quantity"
	Type     string // "decimal"
	Meaning  string
	Required bool
}

// kind is "decimal, required".
func (f APIField) kind() string {
	if f.Required {
		return f.Type + ", required"
	}
	return f.Type
}
