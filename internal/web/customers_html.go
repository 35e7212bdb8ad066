package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/templates"
)

func (s *Server) listCustomers(w http.ResponseWriter, r *http.Request) error {
	before, limit, err := listParameters(r)
	if err != nil {
		return errNotFound
	}
	found, next, err := pageOf(limit, func(limit int) ([]customer.Customer, error) {
		return customer.List(r.Context(), s.pool, principal(r).Tenant, before, limit)
	})
	if err != nil {
		return err
	}
	var list templates.CustomerList
	for _, c := range found {
		list.Rows = append(list.Rows, templates.CustomerRow{
			Href: "/customers/" + c.ID.String(), Name: c.Name, Email: c.Email, Since: day(c.CreatedAt.UTC()),
		})
	}
	if next {
		list.NextHref = "/customers?cursor=" + found[len(found)-1].ID.String()
	}
	if before != uuid.Max {
		list.FirstHref = "/customers"
	}
	return s.render(w, r, http.StatusOK, templates.CustomerListPage(s.page(w, r), list))
}

func (s *Server) showCustomer(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	c, err := customer.Find(r.Context(), s.pool, principal(r).Tenant, id)
	if err != nil {
		return err
	}
	before, limit, err := listParameters(r)
	if err != nil {
		return errNotFound
	}
	invoices, next, err := pageOf(limit, func(limit int) ([]invoice.Summary, error) {
		return invoice.ListOf(r.Context(), s.pool, principal(r).Tenant, id, before, limit)
	})
	if err != nil {
		return err
	}
	view := templates.Customer{
		Name: c.Name, Email: c.Email, Since: day(c.CreatedAt.UTC()), Invoices: invoiceRows(invoices),
		NewInvoiceHref: "/invoices/new?customer=" + id.String(),
	}
	if next {
		view.NextHref = r.URL.Path + "?cursor=" + invoices[len(invoices)-1].ID.String()
	}
	if before != uuid.Max {
		view.FirstHref = r.URL.Path
	}
	shared := s.page(w, r)
	switch shared.Flash {
	case flashCreated:
		shared.Flash = "Customer " + c.Name + " created."
	case flashReused:
		shared.Flash = c.Name + " already exists and was reused. Nothing was changed."
	case flashReplayed:
		shared.Flash = "Customer saved. We ignored the duplicate submission and kept your first request."
	}
	return s.render(w, r, http.StatusOK, templates.CustomerPage(shared, view))
}

// newCustomer shows the form under a key of its own, which stays with this intent through refresh, Back
// and duplicated tabs.
func (s *Server) newCustomer(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotency.ParseKey(r.URL.Query().Get("key"))
	if err != nil {
		return seeOther(w, r, "/customers/new?key="+idempotency.NewKey().String())
	}
	tenant := principal(r).Tenant
	id, used, err := customer.Upsert.Used(r.Context(), s.store, tenant, key)
	if err != nil {
		return err
	}
	if used {
		made, err := customer.Find(r.Context(), s.pool, tenant, id)
		if err != nil {
			return err
		}
		return s.render(w, r, http.StatusOK, templates.FormUsedPage(s.page(w, r), templates.FormUsed{
			Kind: "customer", NewHref: "/customers/new",
			Existing: templates.Record{Name: made.Name, Href: "/customers/" + id.String()},
		}))
	}
	form := templates.CustomerForm{Key: key.String(), Owner: formOwner(r)}
	return s.render(w, r, http.StatusOK, templates.CustomerFormPage(s.page(w, r), form))
}

// customerForm is the HTML face of customer.Upsert.
func (s *Server) customerForm() face[customer.Draft, customer.Upserted] {
	return face[customer.Draft, customer.Upserted]{
		key: formKey,
		decode: func(r *http.Request) (customer.Draft, error) {
			if err := eachOnce(r.PostForm); err != nil {
				return customer.Draft{}, err
			}
			var problems invalid.Error
			in := customer.Input{Email: r.PostForm.Get("email"), Name: r.PostForm.Get("name")}
			return in.Draft("", &problems), problems.Err()
		},
		respond: func(w http.ResponseWriter, r *http.Request, done idempotency.Done[customer.Upserted]) error {
			path := "/customers/" + done.Value.ID.String()
			switch {
			case done.Value.Created && done.Replayed:
				s.setFlash(w, path, flashReplayed)
			case done.Value.Created:
				s.setFlash(w, path, flashCreated)
			default:
				s.setFlash(w, path, flashReused)
			}
			return seeOther(w, r, path)
		},
		refuse: s.refuseCustomer,
		late: func(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
			path := "/customers/" + id.String()
			s.setFlash(w, path, flashReplayed)
			return seeOther(w, r, path)
		},
	}
}

// refuseCustomer shows the form again, as typed, with what stands in the way.
func (s *Server) refuseCustomer(w http.ResponseWriter, r *http.Request, err error) error {
	key, _ := postedKey(r)
	form := templates.CustomerForm{
		Key: key.String(), Owner: formOwner(r), Email: r.PostForm.Get("email"), Name: r.PostForm.Get("name"),
	}
	if problems, ok := errors.AsType[*invalid.Error](err); ok {
		for _, f := range problems.Fields {
			form.Errors = append(form.Errors, templates.FieldError{Control: strings.TrimPrefix(f.Pointer, "/"), Message: f.Message})
		}
	} else if id, spent := spentOn(err); spent {
		c, err := customer.Find(r.Context(), s.pool, principal(r).Tenant, id)
		if err != nil {
			return err
		}
		record := templates.Record{Name: c.Name, Href: "/customers/" + id.String()}
		form.Notice = templates.FormSpent(record, "customer", idempotency.NewKey().String())
	} else if form.Notice = commonNotice(r, err); form.Notice == nil {
		return err
	}
	kind := s.classify(r, err)
	retryAfter(w, kind)
	return s.render(w, r, kind.status, templates.CustomerFormPage(s.page(w, r), form))
}
