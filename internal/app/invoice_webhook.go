package app

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/invoice/webhook"
)

// webhookPart deletes the bodies of events that are old, and creates a source of the demo to try on.
func webhookPart() part {
	return part{
		start: func(ctx context.Context, a *App) error {
			if !a.config.Demo || a.config.SecretKey.IsZero() {
				return nil
			}
			return a.seedWebhooks(ctx, demoTenants()[0])
		},
		expire: func(ctx context.Context, a *App, tenant uuid.UUID) error {
			_, err := webhook.Expire(ctx, a.pool, tenant, time.Now().Add(-webhook.KeepBody))
			return err
		},
	}
}

// The source of the demo, which docs/webhooks.md tries on. Everybody knows its secret.
var demoSource = uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f0")

const demoSecret = "whsec_b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v"

// seedWebhooks adds the source with its secret, unless it is there. An address in the documentation leads to it, so it has an id that
// is known, which no operation would give it.
func (a *App) seedWebhooks(ctx context.Context, t demoTenant) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, t.id)
		if err != nil {
			return err
		}
		made, err := tx.Exec(ctx, `
			INSERT INTO webhook_sources (tenant_id, id, name, scheme) VALUES ($1, $2, 'Demo bank', 'standard') ON CONFLICT DO NOTHING`,
			t.id, demoSource)
		if err != nil || made.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES ($1, $2, $2, $3)`,
			t.id, demoSource, webhook.NewVault(a.config.SecretKey).Seal(demoSecret, t.id, demoSource))
		return err
	})
	if err != nil {
		return fmt.Errorf("add the webhook source of the demo: %w", err)
	}
	return nil
}
