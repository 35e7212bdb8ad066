package idempotency

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Event is an intent that created or changed its record, in the feed of the tenant.
type Event struct {
	Entry

	N       int64     // the place in the feed
	ID      uuid.UUID // for life
	Record  uuid.UUID
	Effects []Effect
}

// Effect is a record besides its own that an intent created or changed.
type Effect struct {
	Record uuid.UUID `json:"record_id"`
	What   string    `json:"what" doc:"Such as customer created."`
}

// LastEvent returns the place up to which the feed of a tenant is complete: nothing will appear at or before it later. If there are events
// after a place, it waits for the commits that are under way. It returns [record.ErrKey] if the place is neither 0, the start, nor that of
// an event.
func LastEvent(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, after int64) (int64, error) {
	last, err := record.One(ctx, pool, tenant, pgx.RowTo[*int64],
		`SELECT last_event(@tenant_id, @after)`, pgx.NamedArgs{"after": after})
	switch refused, ok := refusal(err); {
	case ok && isTimeout(refused.Code):
		return 0, fmt.Errorf("%w: %w", ErrBusy, err)
	case err != nil:
		return 0, err
	case last == nil:
		return 0, record.ErrKey
	default:
		return *last, nil
	}
}

// Events returns the events after a place of the feed and through last, which [LastEvent] has returned: the first ones, at most limit, in
// their order.
func Events(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, after, last int64, limit int) ([]Event, error) {
	return record.Collect(ctx, pool, tenant, scanEvent, `
		SELECT n, i.attempt_id, i.record_id, i.operation, i.key, i.outcome, i.actor, i.at, i.changes - 'version', (
			SELECT json_agg(json_build_object('record_id', record_id, 'what', effect) ORDER BY record_id)
			FROM intent_effects e
			WHERE e.tenant_id = i.tenant_id AND e.operation = i.operation AND e.key = i.key)
		FROM (
			SELECT n, operation, key FROM events
			WHERE tenant_id = @tenant_id AND n > @after AND n <= @last
			ORDER BY n LIMIT `+record.MaxRows+`) AS page,
			LATERAL (
				SELECT tenant_id, operation, key, attempt_id, record_id, outcome, actor, at, changes FROM intents i
				WHERE i.tenant_id = @tenant_id AND i.operation = page.operation AND i.key = page.key LIMIT 1) AS i
		ORDER BY n LIMIT @limit`,
		pgx.NamedArgs{"after": after, "last": last, "limit": limit})
}

func scanEvent(row pgx.CollectableRow) (e Event, err error) {
	err = row.Scan(&e.N, &e.ID, &e.Record, &e.Operation, &e.Key, &e.What, &e.Actor, &e.At, &e.Changes, &e.Effects)
	return e, err
}
