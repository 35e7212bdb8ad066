package web

import (
	"context"
	"errors"
	"net/http"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
)

// problem is one kind of failure: its page at /problems/<slug> is the "type" of RFC 9457.
type problem struct {
	slug    string
	status  int
	title   string
	meaning string
	todo    string
	// retry is the Retry-After in seconds, 0 for none. It says that the same request may succeed.
	retry int
}

var (
	keyMissing = problem{"key-missing", http.StatusBadRequest, "Idempotency key missing",
		"The request creates something and carries no idempotency key, so a repeat of it could not be recognised.",
		"Send a header Idempotency-Key with a fresh UUID for each thing that you want created, and the same one with every retry.", 0}
	keyMalformed = problem{"key-malformed", http.StatusBadRequest, "Idempotency key malformed",
		"The key is not 1 to 255 printable ASCII characters, there were two of them, or header and form field disagree.",
		"Send exactly one key, such as a UUID, bare or as a quoted string.", 0}
	keyReused = problem{"key-reused", http.StatusUnprocessableEntity, "Idempotency key already used for something else",
		"This key has created something before, from another request body. Nothing was created or changed now.",
		"Open the first record (existing_id). If you want another one, send this request with a fresh key.", 0}
	inProgress = problem{"in-progress", http.StatusConflict, "Still in progress",
		"The first request with this key is still running.",
		"Wait as long as Retry-After says, then send the same request with the same key. You will get the first one's answer.", 1}
	numberTaken = problem{"number-taken", http.StatusConflict, "Invoice number already exists",
		"Another invoice of that year has this number. The original was kept and no second one was created. The key was not used up.",
		"Open the existing invoice (existing_id), or send the request with another number: next_number is free.", 0}
	looksLikeRepeat = problem{"looks-like-repeat", http.StatusConflict, "Looks like a repeat",
		"An invoice with the same customer and the same lines was created minutes ago. " +
			"Only the form asks; the API creates and says possible_duplicate_of.",
		"Open the earlier invoice, or confirm that you want another.", 0}
	invalidCommand = problem{"invalid", http.StatusUnprocessableEntity, "Invalid fields",
		"Some fields are missing or wrong; errors lists each with a JSON Pointer. The key was not used up.",
		"Correct the fields and send the request again with the same key.", 0}
	malformed = problem{"malformed", http.StatusBadRequest, "Malformed request",
		"The body is not what was announced: broken JSON, unknown fields, fields that come twice, or data behind the end.",
		"Send one JSON object with the documented fields, spelled exactly like that, each of them once.", 0}
	wrongType = problem{"content-type", http.StatusUnsupportedMediaType, "Wrong content type",
		"The API reads application/json only.", "Send Content-Type: application/json.", 0}
	tooLarge = problem{"too-large", http.StatusRequestEntityTooLarge, "Body too large",
		"The body is larger than 1 MiB, or holds more than 500 lines. Nothing was stored.", "Send fewer lines, or shorter texts.", 0}
	longTarget = problem{"address-too-long", http.StatusRequestURITooLong, "Address too long",
		"The address is longer than 8 KiB.", "Send fewer or shorter parameters.", 0}
	unauthorized = problem{"unauthorized", http.StatusUnauthorized, "Not logged in",
		"There is no valid API token or session. Nothing was stored.",
		"Send Authorization: Bearer with a valid token. The same key may be used again.", 0}
	forbidden = problem{"forbidden", http.StatusForbidden, "Not allowed",
		"The request came from another site, or you may not do this. Nothing was stored.", "Send it from this site's own pages.", 0}
	notFound = problem{"not-found", http.StatusNotFound, "Not found",
		"There is no such thing here, or you may not see it.", "Check the address, or start from the list.", 0}
	wrongMethod = problem{"method", http.StatusMethodNotAllowed, "Method not allowed",
		"This address does not take this method.", "See the API documentation.", 0}
	tooMany = problem{"too-many", http.StatusTooManyRequests, "Too many requests",
		"More requests than the limit allows. Nothing was stored.", "Wait as long as Retry-After says. The same key may be used again.", 30}
	busy = problem{"busy", http.StatusServiceUnavailable, "Busy",
		"The request waited too long for others. Nothing was stored.", "Send it again with the same key: that is safe.", 1}
	unconfirmed = problem{"unconfirmed", http.StatusServiceUnavailable, "We could not confirm",
		"The connection to the database was lost, and it is not known whether the request was carried out.",
		"Send it again with the same key: that is safe, and the way to find out.", 2}
	unavailable = problem{"unavailable", http.StatusServiceUnavailable, "Temporarily unavailable",
		"The database cannot be reached. Nothing is created without it. Nothing was stored.",
		"Send it again with the same key: that is safe.", 2}
	internal = problem{"internal", http.StatusInternalServerError, "Internal error",
		"A mistake of ours; it was logged. If something was created, its key knows.", "Send it again with the same key: that is safe.", 0}
)

// problems is the documented list, in the order of the documentation.
func problems() []problem {
	return []problem{
		keyMissing, keyMalformed, keyReused, inProgress, numberTaken, looksLikeRepeat, invalidCommand,
		malformed, wrongType, tooLarge, longTarget, unauthorized, forbidden, notFound, wrongMethod, tooMany,
		busy, unconfirmed, unavailable, internal,
	}
}

var (
	errCrowded      = errors.New("too many large bodies at once")
	errForbidden    = errors.New("forbidden")
	errLongTarget   = errors.New("address too long")
	errMalformed    = errors.New("malformed request")
	errMethod       = errors.New("method not allowed")
	errNotFound     = errors.New("not found")
	errTooLarge     = errors.New("body too large")
	errTooMany      = errors.New("too many requests")
	errUnauthorized = errors.New("unauthorized")
	errWrongType    = errors.New("wrong content type")
)

// problemOf is the one table from errors to HTTP.
func problemOf(err error) problem {
	if is[*http.MaxBytesError](err) { // also where it made a body malformed
		return tooLarge
	}
	for _, row := range []struct {
		target  error
		problem problem
	}{
		{idempotency.ErrNoKey, keyMissing},
		{idempotency.ErrMalformedKey, keyMalformed},
		{idempotency.ErrInProgress, inProgress},
		{idempotency.ErrBusy, busy},
		{idempotency.ErrUnconfirmed, unconfirmed},
		{idempotency.ErrUnavailable, unavailable},
		{idempotency.ErrNotVisible, notFound},
		{invoice.ErrNotFound, notFound},
		{customer.ErrNotFound, notFound},
		{errCrowded, busy},
		{errForbidden, forbidden},
		{errLongTarget, longTarget},
		{errMalformed, malformed},
		{errMethod, wrongMethod},
		{errNotFound, notFound},
		{errTooLarge, tooLarge},
		{errTooMany, tooMany},
		{errUnauthorized, unauthorized},
		{errWrongType, wrongType},
		{context.DeadlineExceeded, unavailable},
	} {
		if errors.Is(err, row.target) {
			return row.problem
		}
	}
	switch {
	case is[*idempotency.MismatchError](err), is[*idempotency.AlreadyDoneError](err):
		return keyReused
	case is[*invoice.NumberTakenError](err):
		return numberTaken
	case is[*invoice.RepeatError](err):
		return looksLikeRepeat
	case is[*invalid.Error](err):
		return invalidCommand
	case isDatabaseDown(err):
		return unavailable
	default:
		return internal
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
