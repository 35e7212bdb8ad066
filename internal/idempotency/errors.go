package idempotency

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

var (
	// ErrInProgress means that another attempt with the same key still runs, after [Store.Wait].
	ErrInProgress = errors.New("the first attempt is still running")
	// ErrBusy means that the work waited too long for something else than its own key, or met what others did each time that it
	// was tried. Nothing was done.
	ErrBusy = errors.New("waited too long for another transaction")
	// ErrUnconfirmed means that the connection was lost and that it could not be found out whether the
	// work was committed. Trying again with the same key is safe, and the only way to know.
	ErrUnconfirmed = errors.New("could not confirm the outcome")
	// ErrUnavailable means that the database could not be reached. Nothing was done.
	ErrUnavailable = errors.New("database unavailable")
	// ErrNoVersion means that a change does not say which version of the record was seen.
	ErrNoVersion = errors.New("the version that was seen is missing")
	// ErrNotVisible means that the work is done, but the caller may no longer see its result.
	ErrNotVisible = errors.New("the result is no longer visible")
)

// MismatchError means that the key was used before, with another command.
type MismatchError struct {
	// Record is the id of what the first command created.
	Record uuid.UUID
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("key already used with another command, which made %s", e.Record)
}

// AlreadyDoneError means that the same command was carried out before, and that its result has expired: what it
// created can be read, as it is now.
type AlreadyDoneError struct {
	// Record is the id of what this key created.
	Record uuid.UUID
}

func (e *AlreadyDoneError) Error() string {
	return fmt.Sprintf("key already used to make %s", e.Record)
}

// StaleError means that the record has another version than the one that was seen: somebody else has changed it
// meanwhile, and it is not what the command makes of it. Nothing was done.
type StaleError struct {
	Record uuid.UUID
}

func (e *StaleError) Error() string { return fmt.Sprintf("%s was changed meanwhile", e.Record) }
