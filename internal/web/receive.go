package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// maxDelivery is the largest body of a delivery, in bytes.
const maxDelivery = 256 << 10

// Sender is a program outside that may send deliveries.
type Sender[C any] struct {
	Tenant uuid.UUID
	Demo   bool   // whether the tenant is one of the demo
	Actor  string // on whose behalf, for the history
	// Verify returns the delivery of a request. It returns [ErrSignature] or [ErrMalformed] for one that is none.
	Verify func(header http.Header, body []byte) (Delivery[C], error)
}

// Delivery is a verified message of a sender.
type Delivery[C any] struct {
	// Key names the intent: the same for each delivery of an event.
	Key     idempotency.Key
	Command C
}

// Receive registers an operation that programs outside ask for, as in a webhook: POST to a public path, without login, session or check
// of the site. unsigned explains [ErrSignature]. find returns the sender, or [ErrNotFound]. apart returns the delivery for one whose key
// was used with another command before, for the record first.
//
// The answer is 200 if the event is kept, now or before. Where it could not be kept it is 503, so that it comes again.
func Receive[C any, R Entity](
	m *Mounted[R], path string, op idempotency.Operation[C, R], unsigned Explanation,
	find func(*http.Request) (Sender[C], error), apart func(Delivery[C], uuid.UUID) (Delivery[C], error),
) {
	m.untyped.receive(path, op.Definition, unsigned, func(r *http.Request) (Sender[any], error) {
		from, err := find(r)
		return Sender[any]{from.Tenant, from.Demo, from.Actor, func(header http.Header, body []byte) (Delivery[any], error) {
			d, err := from.Verify(header, body)
			return Delivery[any]{d.Key, d.Command}, err
		}}, err
	}, func(d Delivery[any], first uuid.UUID) (Delivery[any], error) {
		other, err := apart(Delivery[C]{d.Key, as[C](d.Command)}, first)
		return Delivery[any]{other.Key, other.Command}, err
	})
}

func (m *resource) receive(
	path string, op *idempotency.Definition, unsigned Explanation,
	find func(*http.Request) (Sender[any], error), apart func(Delivery[any], uuid.UUID) (Delivery[any], error),
) {
	words := creatingWords(m.one)
	words.Did = "received"
	m.own(op, words)
	s := m.s
	s.receives, s.explained[badSignature.Slug] = true, unsigned
	m.hooks.add(http.MethodPost, path, Once, op.Name(), func(w http.ResponseWriter, r *http.Request) error {
		from, err := find(r)
		who := Caller{Tenant: from.Tenant, Demo: from.Demo, Name: from.Actor}
		switch {
		case err != nil && problemOf(err) == internal:
			return fmt.Errorf("%w: %w", errNotKept, err)
		case err != nil:
			return err
		case who.Demo && !s.logins.Demo:
			return ErrNotFound
		}
		if err := toStrangers(r); err != nil {
			return err
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return fmt.Errorf("%w: read body: %w", ErrMalformed, err)
		}
		d, err := from.Verify(r.Header, body)
		if err != nil {
			return err
		}
		s.limitSenders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := operate(s, op, m.received(op, d, apart))(w, r); err != nil {
				m.hooks.fail(w, r, err)
			}
		})).ServeHTTP(w, WithCaller(r, who))
		return nil
	})
}

// received returns the format for a delivery. apart is nil for a delivery that already has a key apart.
func (m *resource) received(
	op *idempotency.Definition, d Delivery[any], apart func(Delivery[any], uuid.UUID) (Delivery[any], error),
) format {
	kept := func(w http.ResponseWriter, id uuid.UUID, replayed bool) error {
		if replayed {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		return writeJSON(w, http.StatusOK, "application/json", map[string]any{"id": id})
	}
	return format{
		intent: func(*http.Request) (idempotency.Intent, error) { return idempotency.Intent{Key: d.Key}, nil },
		decode: func(*http.Request) (any, error) { return d.Command, nil },
		respond: func(w http.ResponseWriter, _ *http.Request, found Entity, done idempotency.Done[any]) error {
			id, _ := found.Identity()
			return kept(w, id, done.Replayed)
		},
		late: func(w http.ResponseWriter, _ *http.Request, id uuid.UUID) error { return kept(w, id, true) },
		refuse: func(w http.ResponseWriter, r *http.Request, refused error) error {
			first, other := errors.AsType[*idempotency.MismatchError](refused)
			if !other || apart == nil {
				return fmt.Errorf("%w: %w", errNotKept, refused)
			}
			d, err := apart(d, first.Record)
			if err != nil {
				return err
			}
			return operate(m.s, op, m.received(op, d, nil))(w, r)
		},
	}
}
