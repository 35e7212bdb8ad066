package web

import (
	"context"
	"net/http"
	"reflect"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// What belongs to another record, which the path of its list and of its creation names.

// recordOfPath finds the record that the path names.
func recordOfPath[P entity](s *Server, r *http.Request, table record.Table[P]) (P, error) {
	id, err := pathID(r)
	if err != nil {
		var none P
		return none, err
	}
	return table.Find(r.Context(), s.pool, principal(r).Tenant, id)
}

// exists says whether the path names a record.
func exists[P entity](of func(*http.Request) (P, error)) func(*http.Request) error {
	return func(r *http.Request) error {
		_, err := of(r)
		return err
	}
}

// listUnder reads a page of what belongs to the record that the path names.
func listUnder[P, L entity](
	s *Server, of func(*http.Request) (P, error),
	list func(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, page record.Page) (record.List[L], error),
) func(*http.Request, record.Page) (record.List[L], error) {
	return func(r *http.Request, page record.Page) (record.List[L], error) {
		found, err := of(r)
		if err != nil {
			return record.List[L]{}, err
		}
		id, _ := found.Identity()
		return list(r.Context(), s.pool, principal(r).Tenant, id, page)
	}
}

// readUnder is read for what belongs to the record that the path names: check needs to know it. A body whose members
// may all be left out may be left out itself.
func readUnder[I, C any, P, R entity](
	m *mounted[R], of func(*http.Request) (P, error), check func(I, P) (C, error),
) command[C] {
	checked := func(r *http.Request, decode func(*I) error) (C, error) {
		var none C
		found, err := of(r)
		if err != nil {
			return none, err
		}
		var in I
		if err := decode(&in); err != nil {
			return none, err
		}
		return check(in, found)
	}
	set := fieldsInto[I](m.fields)
	optional := len(required(reflect.TypeFor[I]())) == 0
	return command[C]{
		form: func(r *http.Request) (C, error) {
			return checked(r, func(in *I) error {
				set(in, r.PostForm)
				return nil
			})
		},
		json: func(r *http.Request) (C, error) {
			return checked(r, func(in *I) error {
				if optional && r.ContentLength == 0 {
					return nil
				}
				return decodeJSON(r, in)
			})
		},
		input: reflect.TypeFor[I](),
	}
}
