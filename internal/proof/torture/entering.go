package torture

import (
	"context"
	"net/http"
	"time"
)

// enter has both sources of a provider report one payment while a person enters it with its reference. Then a person enters it
// without the reference and is asked. In the end it must be recorded once.
func (t turn) enter(ctx context.Context) {
	billed := t.issued(ctx, "")
	if billed == "" {
		return
	}
	event := encode(map[string]any{
		"type": "payment.received", "timestamp": "2026-11-21T10:00:00Z",
		"data": map[string]string{"invoice": billed, "payment": t.name, "amount": "1.00", "currency": "EUR"},
	})
	path := "/invoices/" + billed + "/payments"
	referring, typed := t.paymentForm("-reference", "2026-11-21", "bank_transfer")
	typed.Set("provider", hookProvider)
	typed.Set("reference", t.name)
	report := func(path string, first int) {
		Pause(ctx, time.Duration(t.n%4)*100*time.Millisecond) // a form takes longer than an event, which would nearly always be first
		t.deliver(ctx, path, event, first)
	}
	atOnce(func() { report(hookPath, t.n) }, func() { report(otherHookPath, t.n+1) }, func() { t.post(ctx, referring, path, typed, t.n) })
	plain, typed := t.paymentForm("-plain", "2026-11-21", "bank_transfer")
	if asked := t.post(ctx, plain, path, typed, t.n); ctx.Err() == nil && !asked {
		t.reportf("what comes by two ways is recorded once", "nobody is asked about %+v", plain)
	}
	if ctx.Err() == nil {
		t.mu.Lock()
		t.paid = append(t.paid, t.name)
		first := "webhook.receive before a person and another source"
		if _, entered := t.answered[referring]; entered {
			first = "payment.create before two sources"
		}
		t.counts[first]++
		t.mu.Unlock()
	}
}

// deliver sends an event with the turn's name as its id until it is stored.
func (t turn) deliver(ctx context.Context, path string, event []byte, first int) {
	for n := 0; ctx.Err() == nil; n++ {
		header := http.Header{"Content-Type": {"application/json"}}
		sign(header, t.name, event)
		addr := t.addrs[t.tenant][(first+n)%len(t.addrs[t.tenant])]
		seen, err := exchange(ctx, t.http, http.MethodPost, "http://"+addr+path, header, event)
		switch {
		case err != nil || seen.busy():
			seen.backOff(ctx, n)
			continue
		case seen.status != http.StatusOK:
			t.reportf(contract, "the event %s got %d", t.name, seen.status)
		}
		return
	}
}
