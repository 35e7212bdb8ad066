package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

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
