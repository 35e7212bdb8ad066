package lab

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnknown means that there is no such experiment, no such layer in it, or no such run of this visitor.
var ErrUnknown = errors.New("there is no such experiment")

// ErrClosed means that the lab is closing, with the app.
var ErrClosed = errors.New("the app is stopping, and the lab with it")

// TooManyError means that a visitor has to wait before the next run.
type TooManyError struct {
	Running bool          // because one is under way
	After   time.Duration // how long, if not
}

func (e *TooManyError) Error() string {
	if e.Running {
		return "One of your experiments is still running. You can start the next one when it's done."
	}
	return fmt.Sprintf("That was a lot of experiments in one minute. You can start the next one in %d seconds.",
		int(e.After.Seconds())+1)
}

// FullError means that too many visitors are waiting already.
type FullError struct{ Waiting int }

func (e *FullError) Error() string {
	return fmt.Sprintf("%d other people are waiting for the lab. Please try again in a minute.", e.Waiting)
}

// UnavailableError is why the lab cannot start. The next order tries again.
type UnavailableError struct {
	Reason string // a sentence, for people
	Err    error  // for the log; may be nil
}

func (e *UnavailableError) Error() string {
	return "The lab can't start on this machine right now. " + e.Reason
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
