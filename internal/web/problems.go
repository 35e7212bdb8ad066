package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/web/apidoc"
)

// problem is one kind of failure.
type problem apidoc.Problem

var (
	keyMissing = problem{"key-missing", http.StatusBadRequest, "Idempotency key missing",
		"The request creates something but carries no idempotency key, so a repeat couldn't be recognised.",
		"Send an Idempotency-Key header with a new UUID for each record you want to create, and the same key with every retry.", 0}
	keyMalformed = problem{"key-malformed", http.StatusBadRequest, "Idempotency key malformed",
		"The key is not 1 to 255 printable ASCII characters, or more than one key was sent, perhaps joined with a comma.",
		"Send exactly one key, such as a UUID, bare or as a quoted string. A key that has a comma must be quoted.", 0}
	keyReused = problem{"key-reused", http.StatusUnprocessableEntity, "Idempotency key already used for something else",
		"This key was already used for a different request. Nothing was created or changed this time.",
		"Open the first record (existing_id). If you want another one, send this request with a new key.", 0}
	changedMeanwhile = problem{"changed-meanwhile", http.StatusPreconditionFailed, "Changed meanwhile",
		"Somebody else has changed the record since the version that If-Match names. Nothing was changed this time. " +
			"The ETag of the answer is the current version. (A person is shown both versions, with status 409.)",
		"Read the record again, decide what it should be now, and send that with If-Match and the same key.", 0}
	versionMissing = problem{"version-missing", http.StatusPreconditionRequired, "Version missing",
		"A change must say which version of the record it was made from, so that it doesn't undo other people's changes.",
		"Send If-Match with the ETag of the record as you read it.", 0}
	inProgress = problem{"in-progress", http.StatusConflict, "Still in progress",
		"The first request with this key is still running.",
		"Wait for the time in Retry-After, then send the same request with the same key. You will get the first request's answer.", 1}
	invalidCommand = problem{"invalid", http.StatusUnprocessableEntity, "Invalid fields",
		"Some fields are missing or wrong; errors lists each with a JSON Pointer. You can use the key again.",
		"Correct the fields and send the request again with the same key.", 0}
	malformed = problem{"malformed", http.StatusBadRequest, "Malformed request",
		"The request couldn't be read: its body isn't valid JSON, has unknown or repeated fields, " +
			"or has more data after the JSON object; or If-Match doesn't name exactly one version.",
		"Send one JSON object with the documented fields, each spelled exactly as documented and sent once, and an ETag as If-Match.", 0}
	wrongType = problem{"content-type", http.StatusUnsupportedMediaType, "Wrong content type",
		"The API reads application/json only.", "Send Content-Type: application/json.", 0}
	tooLarge = problem{"too-large", http.StatusRequestEntityTooLarge, "Body too large",
		"The body is larger than 1 MiB, or than this address allows, or has more than 500 entries in a list. Nothing was saved.",
		"Send fewer entries, shorter text or a smaller file.", 0}
	longTarget = problem{"address-too-long", http.StatusRequestURITooLong, "Address too long",
		"The address is longer than 8 KiB.", "Send fewer or shorter parameters.", 0}
	unauthorized = problem{"unauthorized", http.StatusUnauthorized, "Not logged in",
		"The request has no valid API token or session. Nothing was saved.",
		"Send a valid token in the header Authorization: Bearer. You can use the same key again.", 0}
	forbidden = problem{"forbidden", http.StatusForbidden, "Not allowed",
		"The request came from another site, or you are not allowed to do this. Nothing was saved.", "Send it from a page of this site.", 0}
	readOnly = problem{"read-only", http.StatusForbidden, "Only members can change this",
		"Read-only users and API tokens can see everything, but can't change anything. Nothing was saved.",
		"Ask an owner to make you a member, or ask a member to do it. A program needs a token with the role member. " +
			"You can use the same key again.", 0}
	outOfScope = problem{"insufficient-scope", http.StatusForbidden, "Not within the token's scope",
		"The token's scope doesn't include this part of the API. Nothing was saved.",
		"Ask an owner for a token with this part in its scope. You can use the same key again.", 0}
	ownersOnly  = problem{Slug: "owners-only", Status: http.StatusForbidden} // see Logins
	otherTenant = problem{Slug: "other-tenant", Status: http.StatusConflict} // see Logins
	notFound    = problem{"not-found", http.StatusNotFound, "Not found",
		"There's nothing at this address, or you're not allowed to see it.", "Check the address, or start from the list.", 0}
	wrongMethod = problem{"method", http.StatusMethodNotAllowed, "Method not allowed",
		"This URL doesn't support this method.", "See the API documentation.", 0}
	tooMany = problem{"too-many", http.StatusTooManyRequests, "Too many requests",
		"You have sent more requests than the limit allows. Nothing was saved.",
		"Wait for the time in Retry-After. You can use the same key again.", 30}
	busy = problem{"busy", http.StatusServiceUnavailable, "Busy",
		"Too many requests are waiting for others to finish, or this one waited too long. " +
			"This attempt saved nothing, but an earlier one may have.",
		"Send it again with the same key. That's safe, and it's how you find out.", 1}
	unconfirmed = problem{"unconfirmed", http.StatusServiceUnavailable, "We couldn't confirm",
		"The connection to the database was lost, so we don't know whether the request was carried out.",
		"Send it again with the same key. That's safe, and it's how you find out.", 2}
	badSignature = problem{Slug: "bad-signature", Status: http.StatusBadRequest} // see Receive
	notKept      = problem{"not-kept", http.StatusServiceUnavailable, "Event not kept",
		"The event couldn't be saved, and nothing was recorded.",
		"Deliver it again after the time in Retry-After. That's safe.", 5}
	unavailable = problem{"unavailable", http.StatusServiceUnavailable, "Temporarily unavailable",
		"The database can't be reached. This attempt saved nothing, but an earlier one may have.",
		"Send it again with the same key. That's safe, and it's how you find out.", 2}
	internal = problem{"internal", http.StatusInternalServerError, "Internal error",
		"The server failed to answer this request, and logged the failure. If anything was created, the same key finds it.",
		"Send it again with the same key. That's safe.", 0}
)

// conflictProblem is a conflict of the domain as a problem.
func conflictProblem(kind *conflict.Kind) problem {
	return problem{kind.Slug, http.StatusConflict, kind.Title, kind.Meaning, kind.ToDo, 0}
}

// problems are all kinds of failures: those of the resources, and then those that any request may have, in the
// order of the documentation. Without [Receive] there are none of deliveries.
func (s *Server) problems() []problem {
	var all []problem
	for _, reg := range s.resources {
		for _, kind := range reg.conflicts {
			if p := conflictProblem(kind); !slices.Contains(all, p) { // some belong to several resources
				all = append(all, p)
			}
		}
	}
	for _, p := range problems() {
		if s.receives || p.Slug != badSignature.Slug && p.Slug != notKept.Slug {
			all = append(all, s.withExplanation(p))
		}
	}
	return all
}

// Explanation is what a room knows about a problem, for callers.
type Explanation struct{ Title, Meaning, ToDo string }

// withExplanation returns a problem with the texts of the room that knows more about it.
func (s *Server) withExplanation(p problem) problem {
	if e, ok := s.explained[p.Slug]; ok {
		p.Title, p.Meaning, p.ToDo = e.Title, e.Meaning, e.ToDo
	}
	return p
}

// problems returns the problems that any request may have.
func problems() []problem {
	return []problem{
		keyMissing, keyMalformed, keyReused, changedMeanwhile, versionMissing, inProgress, invalidCommand,
		malformed, wrongType, tooLarge, longTarget, unauthorized,
		forbidden, readOnly, outOfScope, ownersOnly, otherTenant, notFound, wrongMethod, tooMany,
		busy, unconfirmed, badSignature, notKept, unavailable, internal,
	}
}

// Errors that pages return too; see [problemOf].
var (
	// ErrMalformed means that a request can't be parsed.
	ErrMalformed = errors.New("malformed request")
	// ErrNotFound means that nothing at the address is visible to the caller.
	ErrNotFound = errors.New("not found")
	// ErrSignature means that a delivery has no valid signature.
	ErrSignature = errors.New("signature not valid")
	// ErrTooMany means that a rate limit was exceeded.
	ErrTooMany = errors.New("too many requests")
	// ErrUnauthorized means that a request has no valid credential.
	ErrUnauthorized = errors.New("unauthorized")
)

// What else a request may be refused for, besides what its operation returns.
var (
	errCrowded     = errors.New("too many at once")
	errForbidden   = errors.New("forbidden")
	errLongTarget  = errors.New("address too long")
	errMethod      = errors.New("method not allowed")
	errOutOfScope  = errors.New("out of scope")
	errOtherTenant = errors.New("form of another tenant")
	errReadOnly    = errors.New("read-only")
	errNotKept     = errors.New("event not kept")
	errNotOwner    = errors.New("for owners only")
	errTooLarge    = errors.New("body too large")
	errWrongType   = errors.New("wrong content type")
)

// problemOf is the one table from errors to HTTP. What only one resource knows comes as a [*conflict.Error].
func problemOf(err error) problem {
	if errors.As(err, new(*http.MaxBytesError)) { // also where it made a body malformed
		return tooLarge
	}
	for _, row := range []struct {
		target  error
		problem problem
	}{
		{errNotKept, notKept}, // for any cause
		{idempotency.ErrNoKey, keyMissing},
		{idempotency.ErrMalformedKey, keyMalformed},
		{idempotency.ErrInProgress, inProgress},
		{idempotency.ErrBusy, busy},
		{idempotency.ErrUnconfirmed, unconfirmed},
		{idempotency.ErrUnavailable, unavailable},
		{idempotency.ErrNotVisible, notFound},
		{idempotency.ErrNoVersion, versionMissing},
		{record.ErrNotFound, notFound},
		{errCrowded, busy},
		{errForbidden, forbidden},
		{errLongTarget, longTarget},
		{ErrMalformed, malformed},
		{errMethod, wrongMethod},
		{ErrNotFound, notFound},
		{errNotOwner, ownersOnly},
		{errReadOnly, readOnly},
		{errOutOfScope, outOfScope},
		{ErrSignature, badSignature},
		{errTooLarge, tooLarge},
		{errOtherTenant, otherTenant},
		{ErrTooMany, tooMany},
		{ErrUnauthorized, unauthorized},
		{errWrongType, wrongType},
		{context.DeadlineExceeded, unavailable},
		{context.Canceled, unavailable}, // the program ends
	} {
		if errors.Is(err, row.target) {
			return row.problem
		}
	}
	if c, ok := errors.AsType[*conflict.Error](err); ok {
		return conflictProblem(c.Kind)
	}
	switch {
	case errors.As(err, new(*idempotency.MismatchError)), errors.As(err, new(*idempotency.AlreadyDoneError)):
		return keyReused
	case errors.As(err, new(*idempotency.StaleError)):
		return changedMeanwhile
	case errors.As(err, new(*invalid.Error)):
		return invalidCommand
	case isDatabaseDown(err):
		return unavailable
	default:
		return internal
	}
}

// ProblemName is the slug of the problem that an error is: its page is /problems/<slug>. That the same was done before, and its
// result has expired, is none.
func ProblemName(err error) string {
	if errors.As(err, new(*idempotency.AlreadyDoneError)) {
		return ""
	}
	return problemOf(err).Slug
}

// ProblemTitle is the title of the problem with a slug, "" if there is none.
func (s *Server) ProblemTitle(slug string) (title string) {
	for _, p := range s.problems() {
		if p.Slug == slug {
			title = p.Title
		}
	}
	return title
}
