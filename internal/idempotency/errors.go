package idempotency

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

var (
	// ErrInProgress means that another attempt with the same key was still running after [Store.Wait].
	ErrInProgress = errors.New("the first attempt is still running")
	// ErrBusy means that the work waited too long for a lock other than its key's, or conflicted with concurrent transactions each time
	// it was sent. Nothing was done.
	ErrBusy = errors.New("waited too long for another transaction")
	// ErrUnconfirmed means that the connection was lost and that the server could not find out whether the work was committed. A retry with
	// the same key is safe, and the only way to find out.
	ErrUnconfirmed = errors.New("could not confirm the outcome")
	// ErrUnavailable means that the database could not be reached. Nothing was done.
	ErrUnavailable = errors.New("database unavailable")
	// ErrNoVersion means that a change lacks the version of the record that was seen.
	ErrNoVersion = errors.New("the version that was seen is missing")
	// ErrNotVisible means that the work is done, but the caller may no longer see its result.
	ErrNotVisible = errors.New("the result is no longer visible")
)

// MismatchError means that the key was used before with another command.
type MismatchError struct {
	// Record is the id of the record of the first command.
	Record uuid.UUID
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("key already used with another command, which made %s", e.Record)
}

// AlreadyDoneError means that the same command was carried out before and that its result has expired. The current state of the record
// can be read.
type AlreadyDoneError struct {
	// Record is the id of the record that this key created or changed.
	Record  uuid.UUID
	Outcome Outcome // of the attempt that was carried out
}

func (e *AlreadyDoneError) Error() string {
	return fmt.Sprintf("key already used to make %s", e.Record)
}

// StaleError means that the record was changed since the version that was seen, and that it doesn't match the command. Nothing was done.
type StaleError struct {
	Record uuid.UUID
}

func (e *StaleError) Error() string { return fmt.Sprintf("%s was changed meanwhile", e.Record) }
