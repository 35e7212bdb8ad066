package web

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// face is one of the two faces of an operation: a form or JSON.
type face[C, R any] struct {
	// key finds the idempotency key of the request.
	key func(*http.Request) (idempotency.Key, error)
	// decode reads the command.
	decode func(*http.Request) (C, error)
	// respond answers a success, the first and every later one alike.
	respond func(http.ResponseWriter, *http.Request, idempotency.Done[R]) error
	// refuse answers everything else.
	refuse func(http.ResponseWriter, *http.Request, error) error
	// late answers the repeat of an intent whose result has expired, with the id of what it created.
	// Without it, that is refused.
	late func(http.ResponseWriter, *http.Request, uuid.UUID) error
}

// create is the handler of every keyed route: find the key, decode the command, do it once, respond.
func create[C, R any](s *Server, op idempotency.Operation[C, R], f face[C, R]) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		who := principal(r)
		key, err := f.key(r)
		intent := idempotency.Intent{Tenant: who.Tenant, Key: key, Actor: who.Name}
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

		var expired *idempotency.AlreadyDoneError
		if errors.As(err, &expired) && f.late != nil {
			return f.late(w, r, expired.Record)
		}
		if err != nil {
			return f.refuse(w, r, err)
		}
		return f.respond(w, r, done)
	}
}
