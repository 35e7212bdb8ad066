package app_test

import (
	"net/http"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// addInvoice adds calls for a document and a mail of an invoice. The mail was sent once before.
func (f *frozen) addInvoice(calls map[string]call) {
	f.Helper()
	var id string
	err := f.admin.QueryRow(f.Context(), `
		SELECT i.id::text FROM invoices i JOIN tenants t ON t.id = i.tenant_id
		WHERE t.name = 'Acme Studio' AND i.state = 'issued' LIMIT 1`).Scan(&id)
	must.OK(f, err)
	calls["document"] = call{method: http.MethodGet, path: "/invoices/" + id + "/pdf"}
	calls["mail"] = call{
		method: http.MethodPost, path: "/api/v1/invoices/" + id + "/send", header: keyed("mail"),
		json: `{"recipient": "frozen@example.com"}`,
	}
	f.send(calls["mail"])
}

// mailIsSentOnce checks that the mail of addInvoice exists once, and is sent.
func (f *frozen) mailIsSentOnce(calls map[string]call) {
	f.Helper()
	a := f.send(calls["mail"])
	assert.Thatf(f, a.status < http.StatusBadRequest, "mail, sent again: %+v", a)
	must.Until(f, "the mail is sent", func() bool {
		return f.ask(`SELECT count(*) FROM mails WHERE recipient = 'frozen@example.com' AND state = 'sent'`) == 1
	})
	n := f.ask(`SELECT count(*) FROM mails WHERE recipient = 'frozen@example.com'`)
	assert.Thatf(f, n == 1, "%d mails", n)
}
