package bench

import (
	"context"
	"net/http"
	"net/url"
)

// mails are those of an invoice that was just issued, and what is read of the outbox.
func mails() []kind {
	return []kind{
		{name: "API: send", route: "POST /api/v1/invoices/{id}/send", want: http.StatusCreated,
			make: fresh(func(ctx context.Context, s *site, id string) (*http.Request, error) {
				return apiPost(ctx, s.origin+invoicesPath+"/"+id+"/send", newKey(), `{}`)
			}, "issue")},
		{name: "form: send", route: "POST /invoices/{id}/send", want: http.StatusSeeOther,
			make: fresh(func(ctx context.Context, s *site, id string) (*http.Request, error) {
				return formPost(ctx, s.origin+"/invoices/"+id+"/send", s.cookie, url.Values{"idempotency_key": {newKey()}})
			}, "issue")},
		{name: "email form", route: "GET /invoices/{id}/send/new", want: http.StatusOK,
			make: largePage(func() string { return "/send/new?key=" + newKey() })},
		{name: "API: outbox", route: "GET /api/v1/outbox", want: http.StatusOK, make: apiPage(func(*site) string { return "/outbox" })},
		{name: "API: one email", route: "GET /api/v1/outbox/{id}", want: http.StatusOK,
			make: apiPage(func(s *site) string { return "/outbox/" + s.known.middleMail })},
		{name: "outbox", route: "GET /outbox", want: http.StatusOK,
			make: page(func(*site) string { return "/outbox" })},
		{name: "page of an email", route: "GET /outbox/{id}", want: http.StatusOK,
			make: page(func(s *site) string { return "/outbox/" + s.known.middleMail })},
	}
}
