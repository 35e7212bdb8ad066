package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// merges are those of two customers who were just created, of whom the one that does not stay has an invoice.
func merges() []kind {
	return []kind{
		{name: "API: merge two customers", route: "POST /api/v1/merges", want: http.StatusCreated,
			make: alikes(func(ctx context.Context, s *site, stays, goes string) (*http.Request, error) {
				return apiPost(ctx, s.origin+apiPrefix+"/merges", newKey(), fmt.Sprintf(
					`{"customers":[{"id":%q,"version":1},{"id":%q,"version":1}],"winner_id":%[1]q}`, stays, goes))
			})},
		{name: "form: merge two customers", route: "POST /merges", want: http.StatusSeeOther,
			make: alikes(func(ctx context.Context, s *site, stays, goes string) (*http.Request, error) {
				return formPost(ctx, s.origin+"/merges", s.cookie, url.Values{
					"idempotency_key": {newKey()}, "customers": {stays + "@1 " + goes + "@1"}, "winner_id": {stays},
				})
			})},
		{name: "form to merge two customers", route: "GET /merges/new", want: http.StatusOK,
			make: alikes(func(ctx context.Context, s *site, stays, goes string) (*http.Request, error) {
				return pageGet(ctx, s.origin+"/merges/new?key="+newKey()+"&customers="+stays+"+"+goes, s.cookie)
			})},
	}
}

// alikes makes requests about two customers, who are created for them outside of the measurement.
func alikes(from func(ctx context.Context, s *site, stays, goes string) (*http.Request, error)) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		var ids [2]string
		for i := range ids {
			name := newKey()
			email := name + "@new.example"
			id, err := created(ctx, s, "/customers", fmt.Sprintf(`{"email":%q,"name":%q}`, email, name))
			if err != nil {
				return nil, err
			}
			ids[i] = id
			if i == 0 {
				continue
			}
			if _, err := created(ctx, s, "/invoices", strings.Replace(
				apiInvoice(newNumber(), email, newKey()), "Northwind Traders", name, 1)); err != nil {
				return nil, err
			}
		}
		return from(ctx, s, ids[0], ids[1])
	}
}
