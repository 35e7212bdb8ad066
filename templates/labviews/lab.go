// Package labviews is the pages of the lab, and what it adds to others.
package labviews

import (
	"strings"

	"onlyonce/templates"
)

// Lab is the page that lists the experiments.
type Lab struct {
	Experiments []Card
	// Links are the other pages of the lab.
	Links []templates.Link
}

// Card is an experiment in the list.
type Card struct {
	Title  string
	Href   string
	Story  string
	Layers string // that can be taken away: "the form lock, the intent"
	// Featured is set for the first one, which has the picture.
	Featured bool
}

// Experiment is the page that asks for a guess, and runs the experiment.
type Experiment struct {
	Title    string
	Story    string
	Question string
	Guesses  []string
	Guess    string // the one that is chosen; "" for none
	Layers   []Layer
	// Action is where the form is sent, and Run names the run that it makes, however often it is sent.
	Action string
	Run    string
	// FormLock means that the browser tries its own form lock first, and sends what it let through.
	FormLock bool
	Takeaway Takeaway
}

// Layer is a layer of protection that can be taken away.
type Layer struct {
	Slug    string
	Name    string // "the intent"
	Removed string // what exactly is taken away, in a sentence
	Away    bool
}

// Takeaway is the experiment outside the lab.
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

// Run is a run, as far as it is.
type Run struct {
	Title string
	// Milestone is how far it is, in a sentence, for those who listen too.
	Milestone string
	// Over means that nothing more will come. Problem is why it failed then; "" if it did not.
	Over    bool
	Problem string
	// Verdict is what came out. Right is whether the visitor guessed it; nil if they did not guess.
	Verdict string
	Right   *bool
	Sides   []Side

	Events   string // the address of what happens while it runs
	Picture  string // the address of its picture
	Again    string // the address of the experiment, with the same layers taken away
	Repeat   string // the whole of that address
	FormLock bool   // as in Experiment
	Without  []Without
	Takeaway Takeaway
}

// Without runs the same experiment with one more layer taken away, or with all of them.
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
	Money    string // "€123.00"; "" where no money is at stake
	Meant    string // what it should have been, if it is something else: "€123.00"
	Why      string // who stopped the others
	Bad      bool   // there is more than with all layers
	Gates    []Gate
	Lanes    []Lane
	Events   []string // "80 ms: The server was killed."
	// SQL is the question to the database, and Columns and Rows its answer; "" until it was asked.
	SQL     string
	Columns []string
	Rows    [][]string
}

// Gate is a layer in the picture.
type Gate struct {
	Name string // "intent"
	Away bool
}

// End is how a lane ends.
type End string

// The ends of a lane.
const (
	Running End = "running"
	Stopped End = "stopped" // at a gate
	Lost    End = "lost"    // nobody knows where: there was no answer, and there is no row
	Made    End = "made"    // a row
)

// Lane is one attempt.
type Lane struct {
	Who     string // "Click 3"
	Key     string
	Request string
	Answer  string // "201 created"
	Took    string // "18 ms"; "" if it was not sent
	Says    string // what the person or the program is told
	Stopped string // the gate that stopped it: "the intent"
	// Gates are the gates that it met, by their places in Side.Gates, from 0, in order.
	Gates []int
	End   End
	Row   int  // the number of the row that it made, or 0
	Extra bool // the row is one that would not be there with all layers
}

// asks is the question without its mark.
func (v Experiment) asks() string { return strings.TrimSuffix(v.Question, "?") }

// whileOff ends the question while layers are ticked, which lab.css knows.
func (v Experiment) whileOff() string {
	if len(v.Layers) == 1 {
		return " with this layer off"
	}
	return " with these layers off"
}
