package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/account"
	"onlyonce/internal/date"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/templates"
)

// seed fills in what is missing of the demo tenants. Each row has a key of its own, so that it may run
// any number of times, on several replicas at once, and be killed in between.
func seed(ctx context.Context, pool *pgxpool.Pool, store *idempotency.Store) error {
	// Not a person's attempts: they would drown the log and the metrics.
	quiet := idempotency.Store{Pool: store.Pool, Wait: store.Wait, Timeout: store.Timeout}
	created := false
	for _, t := range demoTenants() {
		if err := t.credentials(ctx, pool); err != nil {
			return fmt.Errorf("demo tenant %s: %w", t.name, err)
		}
		if err := t.settle(ctx, &quiet); err != nil {
			return fmt.Errorf("demo settings of %s: %w", t.name, err)
		}
		missing, err := t.missing(ctx, &quiet)
		if err != nil {
			return fmt.Errorf("look for demo invoices of %s: %w", t.name, err)
		}
		for _, week := range missing {
			if err := t.live(ctx, &quiet, week); err != nil {
				return fmt.Errorf("demo invoice %s of %s: %w", demoKey(week), t.name, err)
			}
		}
		created = created || len(missing) > 0
	}
	if err := analyze(ctx, pool, created); err != nil {
		return fmt.Errorf("analyze demo data: %w", err)
	}
	return nil
}

// analyze gives the planner its statistics, if there is news. Without them all indexes that begin with
// the tenant look alike, and so little data is nothing that autovacuum would come by for.
func analyze(ctx context.Context, pool *pgxpool.Pool, news bool) error {
	if !news {
		// A start may have been killed after its last invoice and before it got here. The planner's own count
		// of rows tells: it is below one until the table has been analyzed.
		var known bool
		err := pool.QueryRow(ctx, `SELECT reltuples > 0 FROM pg_class WHERE oid = 'invoices'::regclass`).Scan(&known)
		if err != nil || known {
			return err
		}
	}
	// One after the other, each for good: the table that is asked about comes last.
	_, err := pool.Exec(ctx, `
		ANALYZE intents, customers, settings, invoice_lines, payments, refunds, credit_notes, credit_note_lines, postings, mails, invoices`)
	return err
}

func (t demoTenant) credentials(ctx context.Context, pool *pgxpool.Pool) error {
	var known bool
	err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM api_tokens WHERE token_hash = $1)`, account.HashToken(t.token)).Scan(&known)
	if err != nil || known {
		return err
	}
	hash, err := account.HashPassword(demoPassword)
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, `
		WITH tenant AS (
			INSERT INTO tenants (id, name, demo) VALUES ($1, $2, true) ON CONFLICT (id) DO NOTHING
		), person AS (
			INSERT INTO users (id, tenant_id, email, password_hash) VALUES ($1, $1, $3, $4) ON CONFLICT DO NOTHING
		)
		INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($5, $1, 'demo') ON CONFLICT DO NOTHING`,
		t.id, t.name, t.email, hash, account.HashToken(t.token))
	return err
}

// demoWeeks is how many invoices a tenant has: one a week, the last a few days ago.
const demoWeeks = 24

func demoKey(week int) string { return fmt.Sprintf("demo-%02d", week+1) }

// draft is the invoice of one week.
func (t demoTenant) draft(week int) (invoice.Draft, error) {
	issued := date.Of(time.Now().UTC()).AddDays(-7*(demoWeeks-week) + week%4)
	who := t.customers[(week*3+week/5)%len(t.customers)]
	in := invoice.Input{
		Customer: &who, Currency: t.currency, AllowRepeat: true,
		IssueDate: issued.String(), DueDate: issued.AddDays(14 + 16*(week%2)).String(),
	}
	for n := range 1 + week%3 {
		line := t.work[(week+n*2)%len(t.work)]
		line.TaxRate = t.rate
		in.Lines = append(in.Lines, line)
	}
	return in.Draft()
}

func demoLogins(on bool) []templates.DemoLogin {
	if !on {
		return nil
	}
	var list []templates.DemoLogin
	for _, t := range demoTenants() {
		list = append(list, templates.DemoLogin{Tenant: t.name, Email: t.email, Password: demoPassword})
	}
	return list
}

// banner tells a person who started the app where to go.
func (a *App) banner() {
	if a.config.Banner == nil {
		return
	}
	fmt.Fprintf(a.config.Banner, "\n  Onlyonce is ready: %s\n", cmp.Or(a.config.PublicURL, a.URL()))
	if a.config.Demo {
		fmt.Fprintf(a.config.Banner, "\n  Log in with the password %s, or use the API token:\n", demoPassword)
		for _, t := range demoTenants() {
			fmt.Fprintf(a.config.Banner, "    %-13s %-22s %s\n", t.name, t.email, t.token)
		}
	}
	fmt.Fprintln(a.config.Banner)
}
