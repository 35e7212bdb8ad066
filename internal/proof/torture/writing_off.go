package torture

import "context"

// writeOff writes off what is open on an invoice under two keys at once, each from two senders, while a part of it is paid. The write-off
// is taken back in the same way, and then the rest is paid in part.
func (t turn) writeOff(ctx context.Context) {
	billed := t.issued(ctx, "")
	if billed == "" {
		return
	}
	at := invoicesPath + "/" + billed
	write := func(key string) reply {
		body := map[string]any{"date": "2026-11-23", "reason": "bad_debt"}
		return t.twice(ctx, t.wish("write_off.create", key, at+"/write-offs", body, "write-off-exceeds-open"))
	}
	pay := func(key string) {
		t.twice(ctx, t.wish("payment.create", key, at+"/payments", paymentBody(10_00), "exceeds-open-amount"))
	}
	var made, other reply
	atOnce(func() { made = write("-a") }, func() { other = write("-b") }, func() { pay("-meanwhile") })
	if made.ok() && other.ok() {
		t.reportf("what is open is written off once", "%s: %s and %s", t.name, made.ID, other.ID)
	}
	if other.ok() {
		made = other
	}
	if !made.ok() {
		return
	}
	back := func(key string) {
		t.twice(ctx, t.wish("write_off.reverse", key, "/api/v1/write-offs/"+made.ID+"/reverse", nil))
	}
	atOnce(func() { back("-c") }, func() { back("-d") })
	pay("-after") // refused if a lost attempt under the key that was refused writes off what is open again
}

// writeOffRules are about the write-offs of invoices.
func writeOffRules() []rule {
	return []rule{
		{"what is written off is the sum of the write-offs, and of their postings", `
			SELECT format('invoice %s: written off %s, write-offs %s, postings %s', id, written_off, summed, postings)
			FROM invoices i,
				LATERAL (SELECT COALESCE(sum(amount), 0) AS summed FROM write_offs w
					WHERE w.tenant_id = i.tenant_id AND w.invoice_id = i.id AND reversed_at IS NULL) AS w,
				LATERAL (SELECT COALESCE(sum(amount), 0) AS postings FROM postings l
					WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id AND kind IN ('write_off', 'reversal')) AS l
			WHERE written_off <> summed OR written_off <> postings`},
		{"a write-off is taken back by one intent", `
			SELECT format('write-off %s: taken back %s, %s times', id, reversed_at, times)
			FROM write_offs w, LATERAL (
				SELECT count(*) AS times FROM intents o
				WHERE o.tenant_id = w.tenant_id AND record_id = id AND operation = 'write_off.reverse' AND outcome = 'changed') AS o
			WHERE times <> (reversed_at IS NOT NULL)::int`},
	}
}
