package lab

import (
	"errors"
	"fmt"
	"time"
)

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
