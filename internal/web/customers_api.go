package web

import (
	"net/http"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

// customerAPI is the JSON face of customer.Upsert.
func (s *Server) customerAPI() face[customer.Draft, customer.Upserted] {
	return face[customer.Draft, customer.Upserted]{
		key: headerKey,
		decode: func(r *http.Request) (customer.Draft, error) {
			var in customer.Input
			if err := decodeJSON(r, &in); err != nil {
				return customer.Draft{}, err
			}
			var problems invalid.Error
			return in.Draft("", &problems), problems.Err()
		},
		respond: func(w http.ResponseWriter, _ *http.Request, done idempotency.Done[customer.Upserted]) error {
			status := http.StatusOK
			if done.Value.Created {
				status = http.StatusCreated
			}
			replayed(w, done.Replayed)
			return writeCustomer(w, status, done.Value.Customer)
		},
		refuse: refuseJSON,
		late: func(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
			c, err := customer.Find(r.Context(), s.pool, principal(r).Tenant, id)
			if err != nil {
				return err
			}
			replayed(w, true)
			return writeCustomer(w, http.StatusOK, c)
		},
	}
}

func writeCustomer(w http.ResponseWriter, status int, c customer.Customer) error {
	c.CreatedAt = c.CreatedAt.UTC()
	w.Header().Set("Location", "/api/v1/customers/"+c.ID.String())
	w.Header().Set("ETag", etag(c.Version))
	return writeJSON(w, status, "application/json", c)
}

func (s *Server) getCustomerJSON(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	c, err := customer.Find(r.Context(), s.pool, principal(r).Tenant, id)
	if err != nil {
		return err
	}
	return writeCustomer(w, http.StatusOK, c)
}
