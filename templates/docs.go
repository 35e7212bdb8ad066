package templates

// Problem documents one problem type of the API. Its page is at the URL that is the type of problem documents.
type Problem struct {
	// Href is the page's path, "/problems/number-taken".
	Href   string
	Title  string
	Status int
	// Meaning is the event in a sentence, and ToDo the caller's next step.
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
	About string // a sentence about their use
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

// Rule is a uniqueness rule: which records are the same, and the answer to a second one.
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
	// Repeats is the effect of a repeat, such as "replays the first answer", and Kept the time for which the answer is kept, such as
	// "24 hours".
	Repeats string
	Kept    string
	// Parameters are the parameters of the address, and Body the members of the request body.
	Parameters []APIField
	Body       []APIField
	Example    string // an example of the body
	Problems   []Problem
}

// APIField is a parameter, or a member of a body.
type APIField struct {
	Name     string // "lines[].quantity"
	Type     string // "decimal"
	Meaning  string
	Required bool
}

// kind returns the type for display, such as "decimal, required".
func (f APIField) kind() string {
	if f.Required {
		return f.Type + ", required"
	}
	return f.Type
}
