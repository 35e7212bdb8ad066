package attempt

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Of is an attempt about a record.
type Of struct {
	Attempt

	// Making reports whether the attempt belongs to the intent that created the record.
	Making bool `json:"making"`
}

// most is the maximum number of attempts for a record.
const most = "20"

// OfRecord returns the newest attempts about a record, at most twenty: those that found or changed it, and those of the intent that created
// it, with any outcome.
func OfRecord(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) ([]Of, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowTo[Of], `
		WITH made AS MATERIALIZED (
			SELECT operation, key FROM (
				SELECT operation, key, outcome FROM intents WHERE tenant_id = @tenant_id AND record_id = @record
				ORDER BY at LIMIT 1) AS first
			WHERE outcome = 'created'
		), about AS (
			(SELECT a.id FROM attempts a WHERE a.tenant_id = @tenant_id AND a.record_id = @record ORDER BY a.id DESC LIMIT `+most+`)
			UNION
			(SELECT a.id FROM made, LATERAL (
				SELECT a.id FROM attempts a WHERE a.tenant_id = @tenant_id AND a.key = made.key AND a.operation = made.operation
				ORDER BY a.id DESC LIMIT `+most+`) AS a)
		)
		SELECT jsonb_build_object('making', EXISTS (
			SELECT FROM made WHERE made.key = a.key AND made.operation = a.operation)) || `+fields+`::jsonb
		FROM (SELECT id FROM about ORDER BY id DESC LIMIT `+most+`) AS newest, LATERAL (
			SELECT a.id, a.at, a.duration, a.operation, a.key, a.outcome, a.record_id, a.actor, a.reason, a.replica
			FROM attempts a WHERE a.tenant_id = @tenant_id AND a.id = newest.id LIMIT 1) AS a
		ORDER BY a.id DESC`, pgx.NamedArgs{"record": id})
}
