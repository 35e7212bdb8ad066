package torture

import (
	"context"
	"fmt"
)

// batch issues three drafts by two batches at once, each from two senders, while one of the drafts is issued singly and another one is
// voided. Then a batch sends all three. The jobs of both replicas work on them, which faults kill.
func (t turn) batch(ctx context.Context) {
	body := oneLine(map[string]any{"customer_id": t.customer(ctx, "").ID})
	body["issue_date"], body["due_date"] = "2026-11-21", "2026-12-21"
	var drafts []string
	for i := range 3 {
		made := t.send(ctx, t.wish("invoice.create", fmt.Sprint("-", i), invoicesPath, body), t.n)
		if !made.ok() {
			return
		}
		drafts = append(drafts, made.ID)
	}
	start := func(key, action string) {
		t.twice(ctx, t.wish("invoice_batch.create", key, "/api/v1/invoice-batches", map[string]any{"action": action, "invoices": drafts}))
	}
	atOnce(func() { start("-a", "issue") }, func() { start("-b", "issue") }, func() {
		t.twice(ctx, t.wish("invoice.issue", "-singly", invoicesPath+"/"+drafts[0]+"/issue", nil))
	}, func() {
		t.twice(ctx, t.wish("invoice.void", "", invoicesPath+"/"+drafts[1]+"/void", nil))
	})
	start("-send", "send")
}
