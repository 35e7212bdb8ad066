package webhook_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	sql := b.Executed()
	draft, err := webhook.Input{Name: "Shop", Scheme: webhook.Standard, Secret: secretOf("second")}.Draft(b.vault)
	must.OK(t, err)
	source := storetest.Execute(sql, "", webhook.Create, uuid.Nil, 0, draft)
	added, err := webhook.SecretInput{Secret: secretOf("third!")}.Draft(source, b.vault)
	must.OK(t, err)
	secret := storetest.Execute(sql, "", webhook.AddSecret, uuid.Nil, 0, added)
	storetest.Execute(sql, "", webhook.EndSecret, secret.ID, 0, struct{}{})
	storetest.Execute(sql, "", webhook.Disable, source.ID, 0, struct{}{})
	storetest.Execute(sql, "", webhook.Enable, source.ID, 0, struct{}{})

	receive := func(note, id, of string) webhook.Event {
		body := received(of, "pay "+id, "10.00")
		arrival, err := b.verified(b.standard, b.standard.sign(t, id, time.Now(), body), body)
		must.OK(t, err)
		return storetest.Execute(sql, note, webhook.Receive, uuid.Nil, 0, arrival)
	}
	receive("of a payment", "1", inv.Number)
	unknown := receive("of a payment of an unknown invoice", "2", "2099-0001")
	other := receive("of another unknown invoice", "3", "2099-0002")
	storetest.Execute(sql, "", webhook.Apply, unknown.ID, 0, webhook.Choice{Invoice: inv.Number})
	storetest.Execute(sql, "", webhook.Dismiss, other.ID, 0, struct{}{})

	storetest.Pages(sql, "events", storetest.By(webhook.List, ""))
	storetest.List(sql, "applied events", storetest.By(webhook.List, webhook.StateApplied))
	storetest.List(sql, "secrets of a source", storetest.By(webhook.SecretsOf, source.ID))
	storetest.Record(sql, "event", webhook.Events, unknown.ID)
	storetest.Find(sql, "body of an event", webhook.Body, unknown.ID)
	storetest.Record(sql, "source", webhook.Sources, source.ID)
	sql.Lookup("source by its address", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := webhook.FindSender(ctx, pool, b.vault, source.Address(b.Tenant))
		return err
	})
	sql.Lookup("secrets sealed with another key", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := webhook.Locked(ctx, pool, b.vault, b.Tenant, source.ID)
		return err
	})
	sql.Section("expire", "bodies of old events", func() error {
		_, err := webhook.Expire(t.Context(), sql.Pool, b.Tenant, time.Now().Add(-webhook.KeepBody))
		return err
	})
}
