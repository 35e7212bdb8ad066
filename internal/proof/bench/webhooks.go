package bench

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	// hook is the address of the demo's source, and hookSecret its secret: see docs/webhooks.md.
	hook       = "/hooks/Cj4AAAAAQACAAAAAAACsPgo-AAAAAHAAgAAAAAAAAPA"
	hookSecret = "whsec_b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v"

	deliveredEvent = "delivered"
)

// webhooks are events of payments of an invoice that was just issued, and one that comes again.
func webhooks() []kind {
	const route = "POST /hooks/{address}"
	again := func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return deliver(ctx, s, s.known.largeInvoice, deliveredEvent)
	}
	return []kind{
		{name: "webhook: an event of a payment", route: route, want: http.StatusOK,
			make: fresh(func(ctx context.Context, s *site, id string) (*http.Request, error) {
				return deliver(ctx, s, id, newKey())
			}, "issue")},
		{name: "webhook: an event that is delivered again", route: route, want: http.StatusOK, make: again, prepare: sent(again)},
	}
}

// deliver sends the event of a payment, as the demo's source does.
func deliver(ctx context.Context, s *site, invoice, event string) (*http.Request, error) {
	signer, err := standardwebhooks.NewWebhook(hookSecret)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"type": "payment.received", "timestamp": "%sT10:00:00Z",
		"data": {"invoice": %q, "payment": %q, "amount": "1.00", "currency": "EUR"}}`, issueDate(), invoice, event)
	at := time.Now()
	signature, err := signer.Sign(event, at, []byte(body))
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.origin+hook, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set(standardwebhooks.HeaderWebhookID, event)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(at.Unix()))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return request, nil
}
