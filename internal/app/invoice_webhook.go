package app

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/invoice/webhook"
)

// webhookPart deletes the bodies of old events, and creates webhook sources for the demo.
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

// The sources of the demo, which are of one provider and have a public secret. docs/webhooks.md uses the first.
var (
	demoSource      = uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f0")
	otherDemoSource = uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f1")
)

const demoSecret = "whsec_b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v"

// seedWebhooks creates the missing sources with their secret. The documentation has the address of one, so their ids are fixed, which no
// operation allows.
func (a *App) seedWebhooks(ctx context.Context, t demoTenant) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, t.id)
		if err != nil {
			return err
		}
		for name, id := range map[string]uuid.UUID{"Demo bank": demoSource, "Demo bank, another account": otherDemoSource} {
			made, err := tx.Exec(ctx, `
				INSERT INTO webhook_sources (tenant_id, id, name, scheme, named_provider) VALUES ($1, $2, $3, 'standard', 'Demo bank')
				ON CONFLICT DO NOTHING`, t.id, id, name)
			if err == nil && made.RowsAffected() > 0 {
				_, err = tx.Exec(ctx, `INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES ($1, $2, $2, $3)`,
					t.id, id, webhook.NewVault(a.config.SecretKey).Seal(demoSecret, t.id, id))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("add the webhook source of the demo: %w", err)
	}
	return nil
}
