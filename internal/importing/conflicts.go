package importing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/record"
)

// NotConfirmed is the conflict of stopping, continuing or taking back an import that was never confirmed.
var NotConfirmed = conflict.Kind{
	Slug: "import-not-confirmed", Title: "Import not confirmed",
	Meaning: "The import has not begun, so it can't be stopped, continued or taken back. Nothing was changed. You can use the key again.",
	ToDo:    "Confirm the import first.",
}

func errNotConfirmed() error {
	return &conflict.Error{
		Kind: &NotConfirmed, Title: "This import has not begun.", Text: "Nothing was changed. Confirm it first.",
	}
}

// Over is the conflict of stopping or continuing an import that was taken back.
var Over = conflict.Kind{
	Slug: "import-taken-back", Title: "Import taken back",
	Meaning: "The import was taken back, so it can't be stopped or continued. Nothing was changed. You can use the key again.",
	ToDo:    "Upload the file again.",
}

func errOver() error {
	return &conflict.Error{
		Kind: &Over, Title: "This import was taken back.", Text: "Nothing was changed. To import the rows, upload the file again.",
	}
}

// InProgress is the conflict of taking back an import that is running.
var InProgress = conflict.Kind{
	Slug: "import-running", Title: "Import running",
	Meaning: "The import still creates records. Nothing was taken back. You can use the key again.",
	ToDo:    "Stop the import first, or wait until it is finished.",
}

func errInProgress() error {
	return &conflict.Error{
		Kind: &InProgress, Title: "This import is running.", Text: "Nothing was taken back. Stop it first, or wait until it is finished.",
	}
}

// TakeBackWithin is the time after the confirmation of an import in which it can be taken back.
const TakeBackWithin = 30 * 24 * time.Hour

// TooLate is the conflict of taking back an import after [TakeBackWithin].
var TooLate = conflict.Kind{
	Slug: "import-final", Title: "Import can no longer be taken back",
	Meaning: "An import can be taken back for 30 days. Nothing was taken back.",
	ToDo:    "Archive the records.",
}

func (k *Kind) errTooLate() error {
	return &conflict.Error{
		Kind: &TooLate, Title: "This import is older than 30 days.",
		Text: "It can no longer be taken back. Nothing was changed. Archive its " + k.Many + ".",
	}
}

// InUse is the conflict of taking back an import whose records were changed, or are referred to by others.
var InUse = conflict.Kind{
	Slug: "import-in-use", Title: "Imported records in use",
	Meaning: "A record of the import was changed, or others refer to it. Nothing was taken back. You can use the key again.",
	ToDo:    "Keep the import, and archive or merge single records.",
}

// Used is a record of an import that prevents taking it back.
type Used struct {
	record.Reference

	Changed bool // or else other records refer to it
}

// mostUsed is the maximum number of records that a conflict names.
const mostUsed = 10

// Possible returns a [*conflict.Error] if an import can't be taken back now.
func (k *Kind) Possible(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import) error {
	switch {
	case i.State == Uploaded:
		return errNotConfirmed()
	case i.State == TakenBack:
		return nil
	case i.State == Running && i.Unfinished():
		return errInProgress()
	case time.Since(i.ConfirmedAt) > TakeBackWithin:
		return k.errTooLate()
	}
	used, err := k.used(ctx, pool, tenant, i.ID, mostUsed)
	if err != nil || len(used) == 0 {
		return err
	}
	return k.errInUse(used)
}

// errInUse names records of an import that were changed or used.
func (k *Kind) errInUse(used []Used) error {
	refused := &conflict.Error{
		Kind: &InUse, Title: fmt.Sprintf("A %s of this import is in use.", k.One),
		Text: "An import can be taken back while its " + k.Many + " are unchanged and nothing refers to them. Nothing was taken back.",
		Many: k.Many,
	}
	for n, of := range used {
		if n == 0 {
			refused.Existing, refused.Name, refused.Title = of.ID, of.Name, of.Name+" is used by other records."
			if of.Changed {
				refused.Title = of.Name + " was changed after the import."
			}
			continue
		}
		refused.Others = append(refused.Others, conflict.Other{ID: of.ID, Name: of.Name})
	}
	return refused
}
