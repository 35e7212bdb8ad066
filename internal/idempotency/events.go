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

	Place   EventPlace
	Record  uuid.UUID
	Effects []Effect
}

// EventPlace is the place of an event in the feed of its tenant. The zero value is the start.
type EventPlace struct {
	N  int64
	ID uuid.UUID // of the event, for life
}

// Effect is a record besides its own that an intent created or changed.
type Effect struct {
	Record uuid.UUID `json:"record_id"`
	What   string    `json:"what" doc:"Such as customer created."`
}

// LastEvent returns the number up to which the feed of a tenant is complete: no event with this number or a lower one will appear later. If
// there are events after a place, it waits for the commits that are under way, and returns [ErrUnavailable] if one takes more than 5
// seconds. It returns [record.ErrKey] if the feed doesn't have the place, as after a backup was restored.
func LastEvent(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, after EventPlace) (int64, error) {
	last, err := record.One(ctx, pool, tenant, pgx.RowTo[*int64],
		`SELECT last_event(@tenant_id, @after, @event)`, pgx.NamedArgs{"after": after.N, "event": after.ID})
	switch refused, ok := refusal(err); {
	case ok && isTimeout(refused.Code):
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case err != nil:
		return 0, err
	case last == nil:
		return 0, record.ErrKey
	default:
		return *last, nil
	}
}

// Events returns the events after a place and through the number that [LastEvent] has returned for it: the first ones, at most limit, in
// their order.
func Events(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, after EventPlace, last int64, limit int,
) ([]Event, error) {
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
		pgx.NamedArgs{"after": after.N, "last": last, "limit": limit})
}

func scanEvent(row pgx.CollectableRow) (e Event, err error) {
	err = row.Scan(&e.Place.N, &e.Place.ID, &e.Record, &e.Operation, &e.Key, &e.What, &e.Actor, &e.At, &e.Changes, &e.Effects)
	return e, err
}
