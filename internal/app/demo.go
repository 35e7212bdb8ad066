package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/account"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/templates"
)

const demoPassword = "only-once-demo"

// demoTenant is a business that exists in demo mode only. Its logins are known to everybody.
type demoTenant struct {
	id           uuid.UUID
	name         string
	email, token string
	currency     string
	rate         string
	customers    []customer.Input
	work         []invoice.LineInput
}

func demoTenants() []demoTenant {
	return []demoTenant{
		{
			id: uuid.MustParse("0a3e0000-0000-4000-8000-00000000ac3e"), name: "Acme Studio",
			email: "acme@onlyonce.test", token: "oo_demo_acme", currency: "EUR", rate: "23",
			customers: []customer.Input{
				{Email: "accounts@northwind.example", Name: "Northwind Traders"},
				{Email: "hello@brightline.example", Name: "Brightline Architects"},
				{Email: "billing@halden-books.example", Name: "Halden Books"},
				{Email: "finance@osei-partners.example", Name: "Osei & Partners"},
				{Email: "office@kuma-roasters.example", Name: "Kuma Coffee Roasters"},
			},
			work: []invoice.LineInput{
				{Description: "Brand workshop", Quantity: "1", UnitPrice: "1800.00"},
				{Description: "Website design, hours", Quantity: "12.5", UnitPrice: "95.00"},
				{Description: "Illustration set", Quantity: "6", UnitPrice: "140.00"},
				{Description: "Packaging concept", Quantity: "1", UnitPrice: "2450.00"},
				{Description: "Font licence", Quantity: "2", UnitPrice: "89.90"},
				{Description: "Print supervision, days", Quantity: "1.5", UnitPrice: "620.00"},
				{Description: "Photo retouching", Quantity: "24", UnitPrice: "12.50"},
			},
		},
		{
			id: uuid.MustParse("610be000-0000-4000-8000-0000000610be"), name: "Globex Works",
			email: "globex@onlyonce.test", token: "oo_demo_globex", currency: "USD", rate: "0",
			customers: []customer.Input{
				{Email: "ap@cypress-creek.example", Name: "Cypress Creek Clinics"},
				{Email: "invoices@redwood-mills.example", Name: "Redwood Mills"},
				{Email: "ops@tern-logistics.example", Name: "Tern Logistics"},
				{Email: "accounts@northwind.example", Name: "Northwind Traders Inc."},
			},
			work: []invoice.LineInput{
				{Description: "Site survey", Quantity: "1", UnitPrice: "950.00"},
				{Description: "Controller firmware, hours", Quantity: "18", UnitPrice: "135.00"},
				{Description: "Pressure sensor PS-4", Quantity: "40", UnitPrice: "27.35"},
				{Description: "On-call support, month", Quantity: "1", UnitPrice: "1200.00"},
				{Description: "Calibration", Quantity: "8", UnitPrice: "64.00"},
			},
		},
	}
}

// seed fills in the demo tenants. Each row has a key of its own, so that it may run any number of
// times, on several replicas at once, and be killed in between.
func seed(ctx context.Context, pool *pgxpool.Pool, store *idempotency.Store) error {
	// Not a person's attempts: they would drown the log and the metrics.
	quiet := idempotency.Store{Pool: store.Pool, Wait: store.Wait, Timeout: store.Timeout}
	for _, t := range demoTenants() {
		if err := t.credentials(ctx, pool); err != nil {
			return fmt.Errorf("demo tenant %s: %w", t.name, err)
		}
		if err := t.invoices(ctx, &quiet); err != nil {
			return fmt.Errorf("demo invoices of %s: %w", t.name, err)
		}
	}
	// Without statistics all indexes that begin with the tenant look alike, until autovacuum comes by.
	if _, err := pool.Exec(ctx, `ANALYZE invoices, invoice_lines, customers, idempotency_records`); err != nil {
		return fmt.Errorf("analyze demo data: %w", err)
	}
	return nil
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
			INSERT INTO tenants (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING
		), person AS (
			INSERT INTO users (id, tenant_id, email, password_hash) VALUES ($1, $1, $3, $4) ON CONFLICT DO NOTHING
		)
		INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($5, $1, 'demo') ON CONFLICT DO NOTHING`,
		t.id, t.name, t.email, hash, account.HashToken(t.token))
	return err
}

// invoices creates two dozen, one a week, the last a few days ago.
func (t demoTenant) invoices(ctx context.Context, store *idempotency.Store) error {
	const count = 24
	today := invoice.DateOf(time.Now().UTC())
	for i := range count {
		key, err := idempotency.ParseKey(fmt.Sprintf("demo-%02d", i+1))
		if err != nil {
			return err
		}
		if _, err := invoice.FindByKey(ctx, store.Pool, t.id, key); err == nil {
			continue
		}
		issued := today.AddDays(-7*(count-i) + i%4)
		who := t.customers[(i*3+i/5)%len(t.customers)]
		in := invoice.Input{
			Customer: &who, Currency: t.currency, AllowRepeat: true,
			IssueDate: issued.String(), DueDate: issued.AddDays(14 + 16*(i%2)).String(),
		}
		for n := range 1 + i%3 {
			line := t.work[(i+n*2)%len(t.work)]
			line.TaxRate = t.rate
			in.Lines = append(in.Lines, line)
		}
		d, err := in.Draft()
		if err != nil {
			return err
		}
		_, err = invoice.Create.Do(ctx, store, idempotency.Intent{Tenant: t.id, Key: key, Actor: "demo"}, d)
		// Another replica that started at another date of ours has just been here.
		var mismatch *idempotency.MismatchError
		var done *idempotency.AlreadyDoneError
		if err != nil && !errors.As(err, &mismatch) && !errors.As(err, &done) {
			return err
		}
	}
	return nil
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
	fmt.Fprintf(a.config.Banner, "\n  Onlyonce is ready: %s\n", a.URL())
	if a.config.Demo {
		fmt.Fprintf(a.config.Banner, "\n  Log in with the password %s, or use the API token:\n", demoPassword)
		for _, t := range demoTenants() {
			fmt.Fprintf(a.config.Banner, "    %-13s %-22s %s\n", t.name, t.email, t.token)
		}
	}
	fmt.Fprintln(a.config.Banner)
}
