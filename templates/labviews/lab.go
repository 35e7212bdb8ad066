// Package labviews has the pages of the lab, and its additions to other pages.
package labviews

import (
	"strings"

	"onlyonce/templates"
)

// Lab is the page that lists the experiments.
type Lab struct {
	Experiments []Card
	Links       []templates.Link // to the other pages of the lab
}

// Card is an experiment in the list.
type Card struct {
	Title, Href, Story string

	Layers   string // layers that can be removed: "the form lock, the intent"
	Featured bool   // the first experiment, which has the picture
}

// The names of the fields of the form that starts a run.
const (
	RunField     = "run"
	SentField    = "sent" // how often it was sent before
	WithoutField = "without"
	GuessField   = "guess"
)

// Experiment is the page on which a visitor guesses the result of an experiment and runs it.
type Experiment struct {
	Title, Story, Question string

	Guesses  []string
	Guess    string // the chosen guess; "" for none
	Layers   []Layer
	Action   string // the URL that the form is sent to
	Run      string // the id of the run that the form creates, even if it is sent several times
	FormLock bool   // the browser first tries its own form lock, and sends the result
	Takeaway Takeaway
}

// Layer is a layer of protection that can be removed.
type Layer struct {
	Slug    string
	Name    string // "the intent"
	Removed string // a sentence about the removal
	Away    bool
}

// Takeaway has the means to repeat the experiment outside the lab.
type Takeaway struct {
	Scenario Code
	Curl     string
	SQL      string
	Code     []Code
}

// Code is an excerpt of this program.
type Code struct {
	Place string // "claim_intent in migrations/00102_intents.sql"
	Lines string
}

// Run is a run, finished or not.
type Run struct {
	Title     string
	Milestone string // the progress in a sentence, which screen readers announce
	Over      bool   // it has ended
	Problem   string // the reason if it failed, or ""
	Verdict   string // the result
	Right     *bool  // the visitor guessed it; nil without a guess
	Sides     []Side

	Events   string // the URL of its events
	Picture  string // the URL of its picture
	Again    string // the path of the experiment, with the same layers removed
	Repeat   string // the absolute URL of Again
	FormLock bool   // as in Experiment
	Without  []Without
	Takeaway Takeaway
}

// Without runs the same experiment with one more layer removed, or with all layers.
type Without struct {
	Action string
	Text   string // "Run it without the intent"
	Fields []templates.Field
}

// Side is the experiment in one database.
type Side struct {
	Title    string // "With all layers", "Without the intent"
	Attempts string // "50 attempts"
	Things   string // "1 invoice"
	Money    string // "€123.00"; "" if the experiment has no amounts
	Meant    string // the expected amount, if it differs: "€123.00"
	Why      string // the layer that stopped the others
	Bad      bool   // there are more records than with all layers
	Gates    []Gate
	Lanes    []Lane
	Events   []string // "80 ms: The server was killed."
	// SQL is the query that counts, and Columns and Rows are its result; "" until it was run.
	SQL     string
	Columns []string
	Rows    [][]string
}

// Gate is a layer in the picture.
type Gate struct {
	Name string // "intent"
	Away bool
}

// End is the kind of a lane's end.
type End string

// The ends of a lane.
const (
	Running End = "running"
	Stopped End = "stopped" // at a gate
	Lost    End = "lost"    // unknown: there was no answer, and there is no row
	Made    End = "made"    // a row
)

// Lane is one attempt.
type Lane struct {
	Who     string // "Click 3"
	Key     string
	Request string
	Answer  string // "201 created"
	Took    string // "18 ms"; "" if it was not sent
	Says    string // the message to the person or program
	Stopped string // the gate that stopped it: "the intent"
	Gates   []int  // that it reached, in order, as indexes of Side.Gates
	End     End
	Row     int  // the number of its row, or 0
	Extra   bool // the row would not exist with all layers
}

// asks returns the question without its question mark.
func (v Experiment) asks() string { return strings.TrimSuffix(v.Question, "?") }

// whileOff returns the end of the question, which lab.css shows while layers are ticked.
func (v Experiment) whileOff() string {
	if len(v.Layers) == 1 {
		return " with this layer off"
	}
	return " with these layers off"
}
