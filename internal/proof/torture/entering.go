package torture

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// enter has both sources of a provider report one payment while a person enters it with its reference. Then a person enters it
// without the reference and is asked. In the end it must be recorded once.
func (p *programs) enter(ctx context.Context, tenant, n int) {
	name := p.named("enter", n)
	billed := p.issued(ctx, tenant, name, n)
	if billed == "" {
		return
	}
	event := encode(map[string]any{
		"type": "payment.received", "timestamp": "2026-11-21T10:00:00Z",
		"data": map[string]string{"invoice": billed, "payment": name, "amount": "1.00", "currency": "EUR"},
	})
	path := "/invoices/" + billed + "/payments"
	form := func(key string) (origin, url.Values) {
		return origin{tenant, "payment.create", key}, url.Values{
			"idempotency_key": {key}, "amount": {"1.00"}, "date": {"2026-11-21"}, "answer_date": {"2026-11-21"},
			"method": {"bank_transfer"},
		}
	}
	referring, typed := form(name + "-reference")
	report := func(path string, first int) {
		Pause(ctx, time.Duration(n%4)*100*time.Millisecond) // a form takes longer than an event, which would nearly always be first
		p.deliver(ctx, tenant, path, name, event, first)
	}
	atOnce(
		func() { report(hookPath, n) },
		func() { report(otherHookPath, n+1) },
		func() {
			typed.Set("provider", hookProvider)
			typed.Set("reference", name)
			p.post(ctx, referring, path, typed, n)
		},
	)
	plain, typed := form(name + "-plain")
	if asked := p.post(ctx, plain, path, typed, n); ctx.Err() == nil && !asked {
		p.reportf("what comes by two ways is recorded once", "nobody is asked about %+v", plain)
	}
	if ctx.Err() == nil {
		p.mu.Lock()
		p.paid = append(p.paid, name)
		first := "webhook.receive before a person and another source"
		if _, entered := p.answered[referring]; entered {
			first = "payment.create before two sources"
		}
		p.counts[first]++
		p.mu.Unlock()
	}
}

// deliver sends an event until it is stored.
func (p *programs) deliver(ctx context.Context, tenant int, path, id string, body []byte, first int) {
	for n := 0; ctx.Err() == nil; n++ {
		addr := p.addrs[tenant][(first+n)%len(p.addrs[tenant])]
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+path, io.NopCloser(bytes.NewReader(body)))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		sign(request.Header, id, body)
		response, err := p.http.Do(request)
		if err == nil {
			_ = response.Body.Close()
			switch response.StatusCode {
			case http.StatusOK:
				return
			case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			default:
				p.reportf("every answer is one that the contract knows", "the event %s got %d", id, response.StatusCode)
				return
			}
		}
		Pause(ctx, time.Duration(min(n, 10))*25*time.Millisecond)
	}
}
