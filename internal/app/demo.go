package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	business "onlyonce/internal/people/settings"
	"onlyonce/internal/room"
	"onlyonce/internal/value/party"
	"onlyonce/internal/value/secretkey"
	"onlyonce/templates"
)

// seed creates the missing demo data. Each row has its own key, so that seed may be repeated, run on several replicas at once, and be
// killed at any point. Tenants are filled concurrently, and each in a fixed order.
func (a *App) seed(ctx context.Context) error {
	// These are no attempts of users, and would drown the log and the metrics.
	quiet := idempotency.Store{Pool: a.pool, Wait: a.store.Wait, Timeout: a.store.Timeout}
	var created atomic.Bool
	var tenants errgroup.Group // independent of each other's errors
	for _, t := range demoTenants() {
		tenants.Go(func() error {
			news, err := t.fill(ctx, &quiet, a.config.SecretKey, a.config.Site.Rooms)
			if news {
				created.Store(true)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			return nil
		})
	}
	if err := tenants.Wait(); err != nil {
		return fmt.Errorf("fill in demo data: %w", err)
	}
	if err := analyze(ctx, a.pool, created.Load()); err != nil {
		return fmt.Errorf("analyze demo data: %w", err)
	}
	return nil
}

// fill creates the missing data of a tenant, and reports whether there was any.
func (t demoTenant) fill(
	ctx context.Context, store *idempotency.Store, secret secretkey.Key, rooms []room.Room,
) (news bool, err error) {
	if err := t.credentials(ctx, store.Pool); err != nil {
		return false, err
	}
	if err := t.settle(ctx, store); err != nil {
		return false, fmt.Errorf("settings: %w", err)
	}
	for n, c := range slices.Concat(t.Customers, t.twice) {
		added, err := t.add(ctx, store, n, c)
		news = news || added
		if err != nil {
			return news, fmt.Errorf("customer %d: %w", n, err)
		}
	}
	for _, r := range rooms {
		if r.Demo == nil {
			continue
		}
		made, err := r.Demo(ctx, store, secret, t.Tenant)
		news = news || made
		if err != nil {
			return news, err
		}
	}
	return news, nil
}

// add creates one customer, and reports whether it was missing.
func (t demoTenant) add(ctx context.Context, store *idempotency.Store, n int, c customer.Input) (news bool, err error) {
	key, err := idempotency.ParseKey(fmt.Sprintf("demo-customer-%d", n+1))
	if err != nil {
		return false, err
	}
	if _, used, err := customer.Upsert.Definition.Used(ctx, store, t.ID, key); err != nil || used {
		return false, err
	}
	draft, err := c.Draft()
	if err != nil {
		return false, err
	}
	_, err = customer.Upsert.Do(ctx, store, idempotency.Intent{Tenant: t.ID, Key: key, Actor: "demo"}, draft)
	return true, err
}

// analyze collects the planner's statistics if rows were created. Without statistics all indexes that begin with the tenant have the same
// cost, and autovacuum ignores so few rows.
func analyze(ctx context.Context, pool *pgxpool.Pool, news bool) error {
	if !news {
		// A start may have been killed between its last record and this point. The planner's row count shows that: it is below
		// one until the table has been analyzed.
		var known bool
		err := pool.QueryRow(ctx, `SELECT reltuples > 0 FROM pg_class WHERE oid = 'customers'::regclass`).Scan(&known)
		if err != nil || known {
			return err
		}
	}
	// Each is committed separately, and the table that shows the progress comes last.
	rows, err := pool.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename = 'customers'`)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := pool.Exec(ctx, "ANALYZE "+pgx.Identifier{table}.Sanitize()); err != nil {
			return err
		}
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
			INSERT INTO tenants (id, name, demo) VALUES ($1, $2, true) ON CONFLICT (id) DO NOTHING
		), person AS (
			INSERT INTO users (id, tenant_id, email, password_hash, role) VALUES ($1, $1, $3, $4, 'owner') ON CONFLICT DO NOTHING
		), member AS (
			INSERT INTO users (tenant_id, email, name, password_hash, role)
			SELECT $1, $6, 'Kim Nolan', $4, 'member' WHERE $6 <> '' ON CONFLICT DO NOTHING
		)
		INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($5, $1, 'demo') ON CONFLICT DO NOTHING`,
		t.ID, t.name, t.email, hash, account.HashToken(t.token), t.member)
	return err
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

// settle saves the settings of the tenant once. It keeps settings that a user has changed.
func (t demoTenant) settle(ctx context.Context, store *idempotency.Store) error {
	key, err := idempotency.ParseKey("demo-settings")
	if err != nil {
		return err
	}
	if _, used, err := business.Edit.Definition.Used(ctx, store, t.ID, key); err != nil || used {
		return err
	}
	d, err := t.Business.Draft()
	if err != nil {
		return err
	}
	_, err = business.Edit.Do(ctx, store, idempotency.Intent{Tenant: t.ID, Key: key, Actor: "demo", Record: t.ID, Seen: 1}, d)
	if _, stale := errors.AsType[*idempotency.StaleError](err); stale {
		return nil
	}
	return err
}

const demoPassword = "only-once-demo"

// demoTenant is a business of the demo. Its logins are public.
type demoTenant struct {
	room.Tenant

	name         string
	email, token string           // of its owner
	member       string           // the email of a second user; "" for none
	twice        []customer.Input // customers again under another email
}

func demoTenants() []demoTenant {
	return []demoTenant{
		{
			name:  "Acme Studio",
			email: "acme@onlyonce.test", member: "kim@onlyonce.test", token: "oo_demo_acme",
			Tenant: room.Tenant{
				ID: uuid.MustParse("0a3e0000-0000-4000-8000-00000000ac3e"),
				Business: business.Input{
					Name: "Acme Studio Ltd", Email: "accounts@acme-studio.example",
					Details: party.Details{Address: "12 Dame Street\nDublin 2\nD02 X285", Country: "IE", TaxID: "IE6388047V"},
					BankAccount: party.BankAccount{
						AccountHolder: "Acme Studio Ltd", AccountNumber: "IE29 AIBK 9311 5212 3456 78", BIC: "AIBKIE2D",
					},
					Currency: "EUR", TaxRate: "23", PaymentDays: "30",
				},
				Customers: []customer.Input{
					{
						Email: "accounts@northwind.example", Name: "Northwind Traders", PaymentDays: "45",
						Texts: customer.Texts{Details: party.Details{
							Address: "7 Harbour Road\nCork\nT12 W8XK", Country: "IE", TaxID: "IE8256796U",
						}},
					},
					{
						Email: "hello@brightline.example", Name: "Brightline Architects", PaymentDays: "45",
						Texts: customer.Texts{Details: party.Details{
							Address: "24 Rue des Lilas\n69003 Lyon", Country: "FR", TaxID: "FR40303265045",
						}},
					},
					{
						Email: "billing@halden-books.example", Name: "Halden Books",
						Texts: customer.Texts{Details: party.Details{
							Address: "Torggata 11\n1767 Halden", Country: "NO", TaxID: "NO995525828MVA",
						}},
					},
					{
						Email: "finance@osei-partners.example", Name: "Osei & Partners", PaymentDays: "14",
						Texts: customer.Texts{Details: party.Details{
							Address: "48 O’Connell Street\nLimerick\nV94 T8R3", Country: "IE",
						}},
					},
					{
						Email: "office@kuma-roasters.example", Name: "Kuma Coffee Roasters",
						Texts: customer.Texts{Details: party.Details{
							Address: "Kastanienallee 82\n10435 Berlin", Country: "DE", TaxID: "DE136695976",
						}},
					},
				},
			},
			twice: []customer.Input{
				{
					Email: "accounts+orders@northwind.example", Name: "Northwind Traders Ltd.",
					Texts: customer.Texts{Details: party.Details{
						Address: "7 Harbour Road, Cork", Country: "IE", TaxID: "IE 8256796 U",
					}},
				},
			},
		},
		{
			name: "Globex Works", email: "globex@onlyonce.test", token: "oo_demo_globex",
			Tenant: room.Tenant{
				ID: uuid.MustParse("610be000-0000-4000-8000-0000000610be"),
				Business: business.Input{
					Name: "Globex Works Inc.", Email: "billing@globex-works.example",
					Details: party.Details{Address: "400 Industrial Way\nPortland, OR 97209", Country: "US", TaxID: "93-1234567"},
					BankAccount: party.BankAccount{
						AccountHolder: "Globex Works Inc.", AccountNumber: "123000220 / 153912345678", BIC: "USBKUS44",
					},
					Currency: "USD", TaxRate: "0", PaymentDays: "14",
				},
				Customers: []customer.Input{
					{
						Email: "ap@cypress-creek.example", Name: "Cypress Creek Clinics", PaymentDays: "45",
						Texts: customer.Texts{Details: party.Details{
							Address: "1800 Cypress Creek Boulevard\nSpringfield, OR 97477", Country: "US",
						}},
					},
					{
						Email: "accounts@redwood-mills.example", Name: "Redwood Mills", PaymentDays: "30",
						Texts: customer.Texts{Details: party.Details{Address: "55 Mill Road\nEureka, CA 95501", Country: "US"}},
					},
					{
						Email: "ops@tern-logistics.example", Name: "Tern Logistics",
						Texts: customer.Texts{Details: party.Details{
							Address: "900 Marine Drive\nVancouver, BC V6P 5Y7", Country: "CA",
						}},
					},
					{
						Email: "accounts@northwind.example", Name: "Northwind Traders Inc.",
						Texts: customer.Texts{Details: party.Details{Address: "310 Lake Street\nSeattle, WA 98101", Country: "US"}},
					},
				},
			},
		},
	}
}
