package web

import (
	"context"
	"net/http"
	"reflect"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// ListUnder reads a page of what belongs to the record that the path names.
func ListUnder[P, L Entity](
	parent *Mounted[P],
	list func(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, page record.Page) (record.List[L], error),
) func(*http.Request, record.Page) (record.List[L], error) {
	return func(r *http.Request, page record.Page) (record.List[L], error) {
		found, err := parent.Find(r)
		if err != nil {
			return record.List[L]{}, err
		}
		id, _ := found.Identity()
		return list(r.Context(), parent.s.Pool, Principal(r).Tenant, id, page)
	}
}

// NewFormUnder is [NewForm] for what belongs to the record that the path names, of which check needs to know. A body whose
// members may all be left out may be left out itself.
func NewFormUnder[I, C any, P, R Entity](parent *Mounted[P], m *Mounted[R], check func(I, P) (C, error), f Form[R]) Command[C] {
	m.Enter(f)
	checked := func(r *http.Request, decode func(*I) error) (C, error) {
		var none C
		found, err := parent.Find(r)
		if err != nil {
			return none, err
		}
		var in I
		if err := decode(&in); err != nil {
			return none, err
		}
		return check(in, found)
	}
	set := fieldsInto[I](f.Fields)
	optional := len(required(reflect.TypeFor[I]())) == 0
	return Command[C]{
		Form: func(r *http.Request) (C, error) {
			return checked(r, func(in *I) error {
				set(in, r.PostForm)
				return nil
			})
		},
		JSON: func(r *http.Request) (C, error) {
			return checked(r, func(in *I) error {
				if optional && r.ContentLength == 0 {
					return nil
				}
				return DecodeJSON(r, in)
			})
		},
		Input: reflect.TypeFor[I](),
	}
}
