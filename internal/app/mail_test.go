package app_test

import (
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
)

// company is a tenant outside the demo, so its mails are sent.
const company = "0190a000-0000-7000-8000-000000000001"

const companyToken = "oo_company"

// mailing returns a bundle whose app sends mails of a company to a mail server.
func mailing(t *testing.T, url string, settings ...func(*app.Config)) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t)}
	b.foundCompany("Acme Studio")
	b.App = b.start(append([]func(*app.Config){b.sendingTo(url)}, settings...)...)
	return b
}

func (b *bundle) sendingTo(url string) func(*app.Config) {
	b.Helper()
	server, err := mailer.ParseServer(url)
	must.OK(b, err)
	return func(c *app.Config) {
		c.Demo, c.MailServer, c.MailSender = false, &server, "invoices@example.com"
		c.MailTimeout, c.MailRetry = 5*time.Second, 10*time.Millisecond
	}
}

func (b *bundle) foundCompany(name string) {
	b.Helper()
	admin := b.db.Admin()
	must.Exec(b, admin, `INSERT INTO tenants (id, name) VALUES ($1, $2)`, company, name)
	must.Exec(b, admin, `INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($1, $2, 'test')`,
		account.HashToken(companyToken), company)
}

// badSender keeps the jobs from starting.
func badSender(c *app.Config) { c.MailSender = "no address" }
