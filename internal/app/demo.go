package app

import (
	"context"
	_ "embed" // for demo.json
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	business "onlyonce/internal/people/settings"
	"onlyonce/internal/room"
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
				return fmt.Errorf("%s: %w", t.Name, err)
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
	for n, c := range slices.Concat(t.Customers, t.Twice) {
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
	err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM api_tokens WHERE token_hash = $1)`, account.HashToken(t.Token)).Scan(&known)
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
		t.ID, t.Name, t.Email, hash, account.HashToken(t.Token), t.Member)
	return err
}

func demoLogins(on bool) []templates.DemoLogin {
	if !on {
		return nil
	}
	var list []templates.DemoLogin
	for _, t := range demoTenants() {
		list = append(list, templates.DemoLogin{Tenant: t.Name, Email: t.Email, Password: demoPassword})
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

	Name         string
	Email, Token string           // of its owner
	Member       string           // the email of a second user; "" for none
	Twice        []customer.Input // customers again under another email
}

//go:embed demo.json
var demoData string

func demoTenants() (all []demoTenant) {
	data := json.NewDecoder(strings.NewReader(demoData))
	data.DisallowUnknownFields()
	if err := data.Decode(&all); err != nil { //nolint:musttag // the file has the names of the fields
		panic(err) // cannot be: the file is part of the program
	}
	return all
}
