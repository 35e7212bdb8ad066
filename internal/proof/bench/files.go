package bench

import (
	"context"
	"net/http"
)

// files are the documents of the largest invoice, which is issued and has more payments than any other, and that of a
// credit note.
func files() []kind {
	var all []kind
	for _, name := range []string{"pdf", "ubl"} {
		all = append(all,
			kind{name: "API: invoice as " + name, route: "GET /api/v1/invoices/{id}/" + name, want: http.StatusOK,
				make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
					return apiGet(ctx, s.origin+invoicesPath+"/"+s.known.largeInvoice+"/"+name)
				}},
			kind{name: "invoice as " + name, route: "GET /invoices/{id}/" + name, want: http.StatusOK,
				make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
					return pageGet(ctx, s.origin+"/invoices/"+s.known.largeInvoice+"/"+name, s.cookie)
				}})
	}
	return append(all,
		kind{name: "API: credit note as pdf", route: "GET /api/v1/credit-notes/{id}/pdf", want: http.StatusOK,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return apiGet(ctx, s.origin+"/api/v1/credit-notes/"+s.known.middleNote+"/pdf")
			}},
		kind{name: "credit note as pdf", route: "GET /credit-notes/{id}/pdf", want: http.StatusOK,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return pageGet(ctx, s.origin+"/credit-notes/"+s.known.middleNote+"/pdf", s.cookie)
			}})
}
