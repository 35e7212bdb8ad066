package invoiceroom

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice/webhook"
)

// source is a webhook source of the demo.
type source struct {
	id   uuid.UUID
	name string
}

// demoSources returns sources of one provider with a public secret. docs/webhooks.md uses the first.
func demoSources() []source {
	return []source{
		{uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f0"), "Demo bank"},
		{uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f1"), "Demo bank, another account"},
	}
}

const demoSecret = "whsec_b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v"

// addSources creates the missing sources and their secrets, without an operation: the address of one is in the documentation, so its id
// must not change.
func (b books) addSources(ctx context.Context, pool *pgxpool.Pool, vault webhook.Vault) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, b.ID)
		if err != nil {
			return err
		}
		for _, s := range b.sources {
			made, err := tx.Exec(ctx, `
				INSERT INTO webhook_sources (tenant_id, id, name, scheme, named_provider) VALUES ($1, $2, $3, 'standard', 'Demo bank')
				ON CONFLICT DO NOTHING`, b.ID, s.id, s.name)
			if err == nil && made.RowsAffected() > 0 {
				_, err = tx.Exec(ctx, `INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES ($1, $2, $2, $3)`,
					b.ID, s.id, vault.Seal(demoSecret, b.ID, s.id))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("add the webhook sources of the demo: %w", err)
	}
	return nil
}
