package torture

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// happened is the result of an event.
type happened struct {
	apart         bool // another event had its id first
	kind          string
	state, reason string
	payment       string // id of the payment that it recorded or found
	refunded      cents  // amount of the refund that it recorded
	refundOf      string // the invoice of that refund
	waited        bool   // the refund waited for its payment, so that another transaction recorded it, which may have begun before
}

// loadEvents reads the events with their results.
func loadEvents(ctx context.Context, conn *pgx.Conn) ([]row, error) {
	result, err := conn.Query(ctx, `
		WITH `+numberedTenants+`
		SELECT n, COALESCE(o.operation, ''), event_id, e.id::text, COALESCE(e.amount, 0), e.reference, e.invoice,
			first_id IS NOT NULL, COALESCE(e.kind, ''), state, reason, COALESCE(e.payment_id::text, ''),
			COALESCE(f.amount, 0), COALESCE(f.invoice_id::text, ''), COALESCE(f.created_at <> e.created_at, false)
		FROM webhook_events e JOIN tenant USING (tenant_id)
		LEFT JOIN intents o ON o.tenant_id = e.tenant_id AND o.record_id = e.id AND o.operation = 'webhook.receive'
		LEFT JOIN refunds f ON f.tenant_id = e.tenant_id AND f.id = e.refund_id`, tokens[:])
	if err != nil {
		return nil, err
	}
	events, err := pgx.CollectRows(result, func(scan pgx.CollectableRow) (r row, err error) {
		e := &r.event
		return r, scan.Scan(&r.tenant, &r.operation, &r.key, &r.id, (*int64)(&r.total), &r.notes, &r.invoice, &e.apart, &e.kind,
			&e.state, &e.reason, &e.payment, (*int64)(&e.refunded), &e.refundOf, &e.waited)
	})
	if err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	return events, nil
}

// recordDelivery adds the result of an event to the timelines of its invoice and its payment. A waiting refund is recorded with its
// payment, regardless of the request that recorded that.
func (e *evidence) recordDelivery(n int, of func(record string) *timeline) {
	attempts := slices.DeleteFunc(slices.Clone(e.attempts[n]), func(a attempt) bool { return a.Command != 0 })
	found := e.rows.of(e.intents[n], attempts)
	if len(found) != 1 {
		return
	}
	made, came, from, to := found[0], found[0].event, firstCall(attempts), atRest
	for _, a := range attempts {
		if a.Outcome.acknowledges() && !came.waited {
			to = min(to, a.Done)
		}
	}
	switch {
	case came.kind == "payment" && came.state == "applied" && came.reason == "":
		of(made.invoice).add(from, to, event{kind: pay, amount: made.total, outcome: itChanged})
	case came.kind == "payment" && came.reason == "not-issued":
		of(made.invoice).add(from, to, event{kind: pay, amount: made.total, outcome: itBarred})
	case came.kind == "payment" && came.reason == "more-than-open": // the open amount is in no answer
		of(made.invoice).add(from, to, event{kind: pay, amount: made.total, outcome: itExceeds, limit: byOpen, open: made.total - 1})
	case came.kind == "refund" && came.refunded > 0:
		of(came.payment).add(from, to, event{kind: refund, amount: came.refunded, outcome: itChanged})
		of(came.refundOf).add(from, to, event{kind: unpay, amount: came.refunded, outcome: itChanged})
	}
}
