package bench

import (
	"context"
	"net/http"
)

// mails are those of an invoice that was just issued, and what is read of the outbox.
func mails() []kind {
	return []kind{
		{name: "API: send", route: "POST /api/v1/invoices/{id}/send", want: http.StatusCreated,
			make: fresh(func(ctx context.Context, s *site, id string) (*http.Request, error) {
				return apiPost(ctx, s.origin+invoicesPath+"/"+id+"/send", newKey(), `{}`)
			}, "issue")},
		{name: "form: send", route: "POST /invoices/{id}/send", want: http.StatusSeeOther,
			make: fresh(press("/invoices/", "/send"), "issue")},
		{name: "email form", route: "GET /invoices/{id}/send/new", want: http.StatusOK,
			make: largePage(func() string { return "/send/new?key=" + newKey() })},
		apiAt("API: outbox", "GET /api/v1/outbox", func(*site) string { return "/outbox" }),
		apiAt("API: one email", "GET /api/v1/outbox/{id}", func(s *site) string { return "/outbox/" + s.known.middleMail }),
		pageAt("outbox", "GET /outbox", func(*site) string { return "/outbox" }),
		pageAt("page of an email", "GET /outbox/{id}", func(s *site) string { return "/outbox/" + s.known.middleMail }),
	}
}
