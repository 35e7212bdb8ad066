package apptest

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
)

// Company is a tenant outside the demo, so its mails are sent.
const Company = "0190a000-0000-7000-8000-000000000001"

// CompanyToken is a token of the company.
const CompanyToken = "oo_company"

// Mailing returns a bundle whose app sends mails of a company to a mail server.
func Mailing(t *testing.T, url string, settings ...func(*app.Config)) *Bundle {
	t.Helper()
	t.Parallel()
	b := On(t, pgtest.New(t))
	b.FoundCompany("Acme Studio")
	b.App = b.Start(append([]func(*app.Config){b.sendingTo(url)}, settings...)...)
	return b
}

func (b *Bundle) sendingTo(url string) func(*app.Config) {
	b.Helper()
	server, err := mailer.ParseServer(url)
	must.OK(b, err)
	return func(c *app.Config) {
		c.Demo, c.MailServer, c.MailSender = false, &server, "app@example.com"
		c.MailTimeout, c.MailRetry = 5*time.Second, 10*time.Millisecond
	}
}

// FoundCompany creates the company.
func (b *Bundle) FoundCompany(name string) {
	b.Helper()
	admin := b.DB.Admin()
	must.Exec(b, admin, `INSERT INTO tenants (id, name) VALUES ($1, $2)`, Company, name)
	must.Exec(b, admin, `INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($1, $2, 'test')`,
		account.HashToken(CompanyToken), Company)
}

// LogsNothingPersonal fails if the address of Ada is in the log, or in River's tables.
func (b *Bundle) LogsNothingPersonal() {
	b.Helper()
	jobs, err := b.DB.Admin().Query(b.Context(), `SELECT to_jsonb(j)::text FROM river.river_job j`)
	must.OK(b, err)
	rows, err := pgx.CollectRows(jobs, pgx.RowTo[string])
	if err != nil || len(rows) == 0 {
		b.Fatalf("%d jobs, %v", len(rows), err)
	}
	if told := b.Logs.String() + strings.Join(rows, "\n"); strings.Contains(told, "ada@example.com") {
		b.Errorf("an address is in the log or in a job:\n%s", told)
	}
}
