// Package lab runs experiments: real requests to real server processes, with all layers of protection or without some. Each run has
// its own database, which is dropped afterwards. The lab is part of the demo and never touches the app's database.
package lab

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Experiment is one way to try to make a duplicate.
type Experiment struct {
	Slug  string // the last part of its address: "five-clicks"
	Title string // "Click five times"
	Story string // the course of events, in one or two sentences
	// Question asks for a number before the run, such as "How many invoices will there be?". Guesses are the offered answers.
	Question string
	Guesses  []int
	// Layers can be removed. They are in the order in which an attempt meets them.
	Layers []Layer
	// Takeaway repeats the experiment outside the lab.
	Takeaway Takeaway
}

// Layer is a layer of protection.
type Layer struct {
	Slug    string // "intent"
	Name    string // "the intent"
	Removed string // the part that is removed, in a sentence
}

// Takeaway is an experiment for outside the lab.
type Takeaway struct {
	Scenario Code   // the browser test
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
	ID         uuid.UUID // of the run; a second order with this ID returns the same run
	Visitor    string    // the visitor who may see it, for the limit per visitor
	Experiment string    // slug
	Without    []string  // slugs of layers
	// Sent is the number of the visitor's clicks that the form lock let through, as measured with the real script in their browser.
	// 0 means that it was not measured, such as without JavaScript.
	Sent int
}

// State is the progress of a run.
type State string

// The states of a run.
const (
	Waiting State = "waiting" // for other visitors' runs
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed" // see Result.Problem
)

// Result is a snapshot of a run.
type Result struct {
	ID         uuid.UUID
	Experiment Experiment
	Without    []Layer
	State      State
	Ahead      int    // number of runs that come first, while this one waits
	Problem    string // the reason of a failure, for people
	// Sides has one side with all layers, and a second one if some were removed. Both make the same attempts.
	Sides []Side
	Began time.Time // UTC
}

// Side is the experiment in one database.
type Side struct {
	Without  []Layer
	Attempts []Attempt
	Events   []Event // other events, such as a killed server
	Done     bool
	// SQL is a SELECT that returned Columns and Rows when the side was done: one row for each record.
	SQL     string
	Columns []string
	Rows    [][]string
	// Things is the number that Question asks for. Things times Amount was billed, paid, or the like.
	Things int
	Amount int64  // minor units of Currency; 0 without money at stake
	Money  string // total cost of Things, for people: "€6,150.00"
	Meant  string // intended cost: "€123.00"
	Noun   string // "invoice", "payment", "change"; its plural ends in s
}

// Attempt is one lane: one click, one request or one retry.
type Attempt struct {
	N       int    // from 1
	Who     string // "Click 3", "Tab 2", "Try 2, replica 1"
	Key     string // the idempotency key, shortened for people; "" if it was not sent
	Request string // "POST /api/v1/invoices", "job schedules"
	// Began is in milliseconds since the beginning of the side, and Took is the duration in milliseconds.
	Began, Took float64
	// Met has the slugs of the layers that the attempt reached, in order, without removed ones. The last one stopped it, unless Row
	// is set.
	Met []string
	// Row is the number, from 1, of the row in Side.Rows that the attempt made, or 0.
	Row     int
	Status  int    // HTTP status; 0 if there was no answer, and for a job
	Outcome string // "created", "replayed", "conflict", …, "not sent", "no answer"
	Says    string // the message to the person or the program, in a sentence
	Done    bool
}

// Event is an event that affected the servers.
type Event struct {
	At   float64 // milliseconds since the beginning of the side
	What string  // "The server was killed after the commit."
}

// ErrUnknown is returned for an unknown experiment, a layer that the experiment does not have, or another visitor's run.
var ErrUnknown = errors.New("there is no such experiment")

// ErrClosed is returned once the lab is closing, with the app.
var ErrClosed = errors.New("the app is stopping, and the lab with it")

// TooManyError is returned if a visitor must wait before the next run.
type TooManyError struct {
	Running bool          // a run of the visitor is under way
	After   time.Duration // the time to wait otherwise
}

func (e *TooManyError) Error() string {
	if e.Running {
		return "One of your experiments is still running. You can start the next one when it's done."
	}
	return fmt.Sprintf("That was a lot of experiments in one minute. You can start the next one in %d seconds.",
		int(e.After.Seconds())+1)
}

// FullError is returned if too many visitors are waiting.
type FullError struct{ Waiting int }

func (e *FullError) Error() string {
	return fmt.Sprintf("%d other people are waiting for the lab. Please try again in a minute.", e.Waiting)
}

// UnavailableError is returned if the lab cannot start. The next order tries again.
type UnavailableError struct {
	Reason string // a sentence, for people
	Err    error  // for the log; may be nil
}

func (e *UnavailableError) Error() string {
	return "The lab can't start on this machine right now. " + e.Reason
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
