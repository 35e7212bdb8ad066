package idempotency

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres"
)

// Entry is what an intent did to a record.
type Entry struct {
	Operation string
	Key       string
	// What says what was done: "created", "reused", "changed", "unchanged", or an effect besides the intent's own
	// record.
	What  string
	Actor string
	At    time.Time // UTC
	// Changes are the fields of the record that differ since, with the JSON of what was and what is.
	Changes map[string][2]json.RawMessage
}

// History gives the last limit entries of a record, newest first.
func History(ctx context.Context, pool *pgxpool.Pool, tenant, record uuid.UUID, limit int) ([]Entry, error) {
	return postgres.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Entry], `
		(
			SELECT operation, key, outcome, actor, at, changes FROM intents
			WHERE tenant_id = @tenant_id AND record_id = @record
			ORDER BY at DESC LIMIT @limit
		) UNION ALL (
			SELECT e.operation, e.key, e.effect, i.actor, i.at, NULL
			FROM intent_effects e, LATERAL (
				SELECT actor, at FROM intents i
				WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key LIMIT 1) AS i
			WHERE e.tenant_id = @tenant_id AND e.record_id = @record
			LIMIT @limit
		)
		ORDER BY at DESC, outcome LIMIT @limit`, // in a fixed order where an intent has an effect on its own record
		pgx.NamedArgs{"record": record, "limit": limit})
}
