package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
)

// TestMailAboutAnEndpoint checks that an owner gets an email when a program has answered that it wants no more events, and none about an
// endpoint that is on again.
func TestMailAboutAnEndpoint(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := linking(t, s.URL, func(c *app.Config) { c.PrivateEndpoints = true })
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }))
	t.Cleanup(program.Close)
	admin := b.DB.Admin()
	must.Exec(t, admin, `INSERT INTO users (tenant_id, email, password_hash) VALUES ($1, 'ada@example.com', 'hash')`, apptest.Company)
	must.Exec(t, admin, `INSERT INTO endpoints (tenant_id, id, address, operations) VALUES ($1, new_id(), $2, 'customer.')`,
		apptest.Company, program.URL)
	status, _, err := apptest.Ask(apptest.CompanyToken, http.MethodPost, b.URL()+"/api/v1/customers", "one", `{"name": "Grace"}`)
	must.Thatf(t, err == nil && status == http.StatusCreated, "%d, %v", status, err)
	must.Until(t, "the email is sent", func() bool { return b.Number(`SELECT count(*) FROM endpoint_mails WHERE state = 'sent'`) == 1 })
	must.Thatf(t, len(s.Messages()) == 1, "%d messages", len(s.Messages()))
	message := s.Messages()[0]
	body, err := io.ReadAll(message.Body)
	must.OK(t, err)
	for _, want := range []string{
		"An endpoint of Acme Studio", program.URL, "it wants no more events.", "The last answer was 410 Gone.",
		"https://invoices.example.com/endpoints/",
	} {
		assert.Thatf(t, strings.Contains(string(body), want), "%q is not in\n%s", want, body)
	}
	assert.Equal(t, message.Header.Get("To"), "<ada@example.com>")
	b.LogsNothingPersonal()

	must.Exec(t, admin, `UPDATE endpoints SET disabled_at = NULL, disabled_reason = ''`)
	must.Exec(t, admin, `
		INSERT INTO endpoint_mails (tenant_id, endpoint_id, disabled_at, user_id, failing_since, answer)
		SELECT tenant_id, endpoint_id, now(), user_id, failing_since, '' FROM endpoint_mails`)
	must.Until(t, "the other email is dropped", func() bool {
		return b.Number(`SELECT count(*) FROM endpoint_mails WHERE reason LIKE 'The endpoint is on again%'`) == 1
	})
	assert.Equal(t, len(s.Messages()), 1, "messages")
}
