package web

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// format is how one operation is spoken of in HTML forms or in JSON.
type format[C, R any] struct {
	// intent reads key, record and version.
	intent func(*http.Request) (idempotency.Intent, error)
	// decode reads the command.
	decode func(*http.Request) (C, error)
	// respond answers a success, the first and every later one alike.
	respond func(http.ResponseWriter, *http.Request, idempotency.Done[R]) error
	// late answers the repeat of an intent whose result has expired, with the id of its record.
	late func(http.ResponseWriter, *http.Request, uuid.UUID) error
	// refuse answers everything else.
	refuse func(http.ResponseWriter, *http.Request, error) error
}

// operate is the handler of every route that carries out an operation: read the intent, decode the command, do
// it once, respond.
func operate[C, R any](s *Server, op idempotency.Operation[C, R], f format[C, R]) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		intent, err := f.intent(r)
		intent.Tenant, intent.Actor = Principal(r).Tenant, Principal(r).Name
		if err != nil {
			op.Reject(r.Context(), s.store, intent, err)
			return f.refuse(w, r, err)
		}
		command, err := f.decode(r)
		if err != nil {
			op.Reject(r.Context(), s.store, intent, err)
			return f.refuse(w, r, err)
		}

		done, err := op.Do(r.Context(), s.store, intent, command)

		if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
			return f.late(w, r, expired.Record)
		}
		if err != nil {
			return f.refuse(w, r, err)
		}
		return f.respond(w, r, done)
	}
}
