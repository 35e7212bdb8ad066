// Package lab runs experiments: real requests to real server processes, on a database that is made for one run and dropped
// after it, with all layers of protection or with some taken away. It is part of the demo, and never touches the database of
// the app.
package lab

import (
	"time"

	"github.com/google/uuid"
)

// Experiment is one way to try to make a duplicate.
type Experiment struct {
	Slug  string // of its address: "five-clicks"
	Title string // "Click five times"
	Story string // what happens, in one or two sentences
	// Question asks for a number before the run, such as "How many invoices will there be?", of which Guesses are offered.
	Question string
	Guesses  []int
	// Layers are those that can be taken away, in the order in which an attempt meets them.
	Layers []Layer
	// Takeaway is what somebody can carry home.
	Takeaway Takeaway
}

// Layer is a layer of protection.
type Layer struct {
	Slug    string // "intent"
	Name    string // "the intent"
	Removed string // what exactly is taken away, in a sentence
}

// Takeaway is an experiment outside the lab.
type Takeaway struct {
	Scenario Code   // the test in a browser
	Curl     string // shell commands against the demo
	SQL      string // the SELECT that counts
	Code     []Code // the lines that stopped the repeats
}

// Code is a place in this repository.
type Code struct {
	File  string // "internal/idempotency/do.go"
	Func  string // the function, test or, in SQL, the object: "claim_intent"
	Lines string // an excerpt, word for word
}

// Order asks for a run.
type Order struct {
	ID         uuid.UUID // of the run: ordering it again gives the run that there is
	Visitor    string    // who may see it, and whose runs are counted
	Experiment string    // slug
	Without    []string  // slugs of layers
	// Sent is how many of the visitor's clicks the form lock let through, as their own browser found out with the real script;
	// 0 if it was not tried, such as without JavaScript.
	Sent int
}

// State is how far a run is.
type State string

// The states of a run.
const (
	Waiting State = "waiting" // for other visitors' runs
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed" // see Result.Problem
)

// Result is what is known of a run so far. It is a copy: it does not change any more.
type Result struct {
	ID         uuid.UUID
	Experiment Experiment
	Without    []Layer
	State      State
	Ahead      int    // runs that come first, while it waits
	Problem    string // why it failed, for people
	// Sides has one of all layers, and a second one without some if some were taken away. Both have the same attempts.
	Sides []Side
	Began time.Time // UTC
}

// Side is the experiment in one database.
type Side struct {
	Without  []Layer
	Attempts []Attempt
	Events   []Event // what else happened, such as a server that was killed
	Done     bool
	// SQL is the SELECT whose answer is Columns and Rows, once the side is done: one row for each thing that there is.
	SQL     string
	Columns []string
	Rows    [][]string
	// Things counts what the question asks for, and Things times Amount was billed, paid, or the like.
	Things int
	Amount int64  // minor units of Currency; 0 where no money is at stake
	Money  string // what Things cost, for people: "€6,150.00"
	Meant  string // what they should cost: "€123.00"
	Noun   string // "invoice", "payment", "change"; its plural has an s
}

// Attempt is one lane: one click, one request or one retry.
type Attempt struct {
	N       int    // from 1
	Who     string // "Click 3", "Tab 2", "Try 2, replica 1"
	Key     string // the idempotency key, shortened for people; "" if it was not sent
	Request string // "POST /api/v1/invoices", "job schedules"
	// Began and Took are milliseconds since the beginning of the side, and of the attempt.
	Began, Took float64
	// Met are the slugs of the layers that the attempt reached, in order; the last one stopped it, unless Row is set.
	// A layer that was taken away is not among them.
	Met []string
	// Row is the number of the row in Side.Rows that the attempt made, from 1, or 0.
	Row     int
	Status  int    // HTTP status; 0 if there was no answer, and for a job
	Outcome string // "created", "replayed", "conflict", …, "not sent", "no answer"
	Says    string // what the person or the program is told, in a sentence
	Done    bool
}

// Event is something that happened to the servers.
type Event struct {
	At   float64 // milliseconds since the beginning of the side
	What string  // "The server was killed after the commit."
}
