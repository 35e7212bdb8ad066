package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// formKey finds the key of a posted form. It is one of a tenant: a form that belongs to another tenant than
// the one logged in is refused with errOtherTenant.
func formKey(r *http.Request) (idempotency.Key, error) {
	if err := parseForm(r); err != nil {
		return idempotency.Key{}, err
	}
	if formOwner(r) != owner(r) {
		return idempotency.Key{}, errOtherTenant
	}
	return postedKey(r)
}

// owner is the tenant that is logged in, as forms carry it.
func owner(r *http.Request) templates.Owner {
	who := principal(r)
	return templates.Owner{ID: who.Tenant.String(), Name: who.TenantName}
}

// formOwner is the tenant that a form belongs to: the one logged in for a new form, and for a posted one
// what it says itself, unless the person decided to use it for the one logged in.
func formOwner(r *http.Request) templates.Owner {
	here, tenant := owner(r), r.PostForm.Get("tenant")
	if tenant == "" || tenant == here.ID || r.PostForm.Get("use_tenant") == here.ID {
		return here
	}
	return templates.Owner{ID: tenant, Name: r.PostForm.Get("tenant_name")}
}

// postedKey is the key that a form carries: the hidden field, or the fresh one that a button carries
// when the person decided for a new record. A header, if there is one, must agree.
func postedKey(r *http.Request) (idempotency.Key, error) {
	if err := parseForm(r); err != nil {
		return idempotency.Key{}, err
	}
	if fresh := r.PostForm.Get("fresh_key"); fresh != "" {
		return idempotency.ParseKey(fresh)
	}
	values := r.PostForm["idempotency_key"]
	if len(values) > 1 {
		return idempotency.Key{}, fmt.Errorf("%w: two keys in one form", idempotency.ErrMalformedKey)
	}
	key, err := idempotency.ParseKey(r.PostForm.Get("idempotency_key"))
	if err != nil || len(r.Header.Values("Idempotency-Key")) == 0 {
		return key, err
	}
	if header, err := headerKey(r); err != nil || header != key {
		return idempotency.Key{}, fmt.Errorf("%w: header and form field disagree", idempotency.ErrMalformedKey)
	}
	return key, nil
}

// spentOn tells what the key of a form was used for before.
func spentOn(err error) (record uuid.UUID, spent bool) {
	var mismatch *idempotency.MismatchError
	var expired *idempotency.AlreadyDoneError
	switch {
	case errors.As(err, &mismatch):
		return mismatch.Record, true
	case errors.As(err, &expired):
		return expired.Record, true
	default:
		return uuid.Nil, false
	}
}

// commonNotice is what any form can say about an error, or nil.
func commonNotice(r *http.Request, err error) *templates.Notice {
	switch {
	case errors.Is(err, errOtherTenant):
		return templates.OtherTenant(formOwner(r), owner(r))
	case errors.Is(err, idempotency.ErrNoKey), errors.Is(err, idempotency.ErrMalformedKey):
		return templates.NoKey(idempotency.NewKey().String())
	case errors.Is(err, idempotency.ErrInProgress):
		return templates.StillSaving()
	case errors.Is(err, idempotency.ErrUnconfirmed):
		return templates.Unconfirmed()
	default:
		return nil
	}
}

func sortedNames(form url.Values) []string { return slices.Sorted(maps.Keys(form)) }
