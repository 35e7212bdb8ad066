package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The demo's webhook sources for its first tenant, from docs/webhooks.md: their paths, their common provider, and their secret.
const (
	hookPath      = "/hooks/Cj4AAAAAQACAAAAAAACsPgo-AAAAAHAAgAAAAAAAAPA"
	otherHookPath = "/hooks/Cj4AAAAAQACAAAAAAACsPgo-AAAAAHAAgAAAAAAAAPE"
	hookProvider  = "Demo bank"
	hookSecret    = "whsec_b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v"
)

// delivering chooses an event. A refund's event has its amount and may arrive before or after its payment. A payment's event gets
// its invoice when it begins.
func (in intent) delivering(rng *rand.Rand) intent {
	in.tenant, in.email, in.reference = 0, "", in.someReference(rng)
	in.change = change{place: rng.IntN(nearby), fit: rng.IntN(6) != 0, look: rng.IntN(2) == 0, seed: rng.Uint64()}
	if in.kind == paid {
		return in
	}
	asked := cents(1 + rng.IntN(50_000))
	for n := range in.commands {
		in.commands[n] = in.event("payment.refunded", "refunded", "", asked+cents(n))
	}
	return in
}

// eventOf returns the intent with the commands of a payment event: the event, and another content under the same id.
func (in intent) eventOf(inv profile) intent {
	asked := someOf(dice(in.change.seed, in.n), inv.open(), inv.Total)
	for n := range in.commands {
		in.commands[n] = in.event("payment.received", "amount", inv.ID, asked+cents(n))
	}
	return in
}

func (in intent) event(what, amount, invoice string, asked cents) command {
	source := []string{hookPath, otherHookPath}[in.change.seed%2]
	return command{method: http.MethodPost, path: source, record: invoice, asked: asked, body: encode(map[string]any{
		"type": what, "timestamp": "2026-11-21T10:00:00Z",
		"data": map[string]string{"invoice": invoice, "payment": in.reference, amount: asked.String(), "currency": "EUR"},
	})}
}

// sign signs a delivery like its source, which signs each one anew.
func sign(header http.Header, id string, body []byte) {
	at := time.Now()
	source, err := standardwebhooks.NewWebhook(hookSecret)
	if err != nil {
		panic(err) // the secret is valid
	}
	signature, err := source.Sign(id, at, body)
	if err != nil {
		panic(err) // SHA-256 signs any message
	}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
}

// readKept reads the answer to a stored event.
func (a *attempt) readKept(header http.Header, answer []byte) error {
	var kept struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(answer, &kept); err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	a.Outcome, a.ID = created, kept.ID
	if header.Get("Idempotent-Replayed") == "true" {
		a.Outcome = replayed
	}
	return nil
}

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
func loadEvents(ctx context.Context, conn *pgx.Conn) (events []row, err error) {
	var r row
	e := &r.event
	err = each(ctx, conn, "the events", []any{
		&r.tenant, &r.operation, &r.key, &r.id, (*int64)(&r.total), &r.notes, &r.invoice, &e.apart, &e.kind, &e.state, &e.reason,
		&e.payment, (*int64)(&e.refunded), &e.refundOf, &e.waited,
	}, func() { events = append(events, r) }, `
		WITH `+numberedTenants+`
		SELECT n, COALESCE(o.operation, ''), event_id, e.id::text, COALESCE(e.amount, 0), e.reference, e.invoice,
			first_id IS NOT NULL, COALESCE(e.kind, ''), state, reason, COALESCE(e.payment_id::text, ''),
			COALESCE(f.amount, 0), COALESCE(f.invoice_id::text, ''), COALESCE(f.created_at <> e.created_at, false)
		FROM webhook_events e JOIN tenant USING (tenant_id)
		LEFT JOIN intents o ON o.tenant_id = e.tenant_id AND o.record_id = e.id AND o.operation = 'webhook.receive'
		LEFT JOIN refunds f ON f.tenant_id = e.tenant_id AND f.id = e.refund_id`, tokens[:])
	return events, err
}

// recordDelivery adds the result of an event to the timelines of its invoice and its payment. A waiting refund is recorded with its
// payment, regardless of the request that recorded that.
func (e *evidence) recordDelivery(n int, of func(record string) *timeline) {
	attempts := slices.DeleteFunc(slices.Clone(e.attempts[n]), func(a attempt) bool { return a.Command != 0 })
	found := e.rows.of(e.intents[n], attempts)
	if len(found) != 1 {
		return
	}
	made, came, from, to := found[0], found[0].event, firstCall(attempts), doneBy(attempts)
	if came.waited {
		to = atRest
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
