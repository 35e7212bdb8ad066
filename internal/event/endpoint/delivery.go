package endpoint

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Delivery is an event on its way to an endpoint.
type Delivery struct {
	record.Header

	Endpoint  record.Reference `json:"endpoint"` // with its address
	EventID   uuid.UUID        `json:"event_id"`
	Operation string           `json:"operation"`
	State     string           `json:"state"`
	Attempts  int              `json:"attempts"` // since it was inserted or resent
	// Status is the HTTP status of the last answer, or 0 without one.
	Status int    `json:"status,omitzero"`
	Answer string `json:"answer,omitzero"` // the start of its text, or the reason why there is none
	// NextAt is the time in UTC from which it is tried again, or zero once it has ended.
	NextAt time.Time `json:"next_at,omitzero"`
}

// The states of a delivery.
const (
	StateWaiting   = "waiting"
	StateBehind    = "behind" // waits for an earlier one of its record
	StateSending   = "sending"
	StateDelivered = "delivered"
	StateFailed    = "failed"
)

// Deliveries is the table of deliveries.
var Deliveries = record.Table[Delivery]{Name: "deliveries", Fields: `
	'endpoint', ` + Names.JSON("endpoint_id") + `, 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
	'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at`}

// DeliveryRules returns the uniqueness rules of deliveries.
func DeliveryRules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "deliveries_once",
			Sentence:   "One delivery per endpoint and event.",
			Answer:     "Resending it sends the same event again.",
		},
		{
			Constraint: "endpoint_mails_once",
			Sentence:   "One email per owner when an endpoint is switched off after failures.",
			Answer:     "No second one is sent, whatever else fails at the same time.",
		},
	}
}

// ListDeliveries returns a page of the deliveries to an endpoint, or to all with [uuid.Nil], newest first.
func ListDeliveries(
	ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, page record.Page,
) (record.List[Delivery], error) {
	if of == uuid.Nil {
		return record.ListBy(ctx, pool, Deliveries, tenant, page, `true`, nil)
	}
	return record.ListBy(ctx, pool, Deliveries, tenant, page, `r.endpoint_id = @endpoint_id`, pgx.NamedArgs{"endpoint_id": of})
}

// Resend sends the event of a delivery again that has ended.
var Resend = idempotency.Define(idempotency.Spec[struct{}, Delivery]{
	Kind: idempotency.Transition, Name: "delivery.resend", Table: Deliveries, Made: `r.next_at IS NOT NULL`, Deletes: true,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`
			UPDATE deliveries SET (state, attempts, next_at) = ('waiting', 0, now())
			WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

// Keep is the time for which deliveries are kept.
const Keep = 30 * 24 * time.Hour

// Expire deletes the deliveries of a tenant that are older than [Keep], as [record.Expire] does.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
	_, err := record.Expire(ctx, pool, tenant, `
		DELETE FROM deliveries
		WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM deliveries
			WHERE tenant_id = @tenant_id AND id < (SELECT new_id(now() - @keep::interval))
			ORDER BY id LIMIT @batch
			FOR UPDATE SKIP LOCKED))`, pgx.NamedArgs{"keep": Keep})
	return err
}
