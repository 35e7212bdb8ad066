package torture

import "context"

// credit credits an amount of a paid invoice, which becomes credit. Then it reverses the credit note under two keys at once, each from two
// senders, while the credit pays another invoice. In the end the rest of the first invoice is credited.
func (t turn) credit(ctx context.Context) {
	payer := t.customer(ctx, "").ID
	paid := t.issuedTo(ctx, "-paid", payer, "2026-11-21", "2026-12-21")
	open := t.issuedTo(ctx, "-open", payer, "2026-11-22", "2026-12-22")
	if paid == "" || open == "" {
		return
	}
	at := invoicesPath + "/" + paid
	t.twice(ctx, t.wish("payment.create", "-pay", at+"/payments", paymentBody(24_60)))
	made := t.twice(ctx, t.wish("credit_note.create", "-a", at+"/credit-notes", map[string]any{"amount": "10.00"}))
	if !made.ok() {
		return
	}
	receipt := t.read(ctx, "/api/v1/credit-notes/"+made.ID).Receipt
	reverse := func(key string) reply {
		return t.twice(ctx, t.wish("credit_note.reverse", key, "/api/v1/credit-notes/"+made.ID+"/reversals", map[string]any{},
			"receipt-used", "credit-note-reversed"))
	}
	var one, other, used reply
	atOnce(func() { one = reverse("-b") }, func() { other = reverse("-c") }, func() {
		used = t.twice(ctx, t.wish("receipt.apply", "-d", "/api/v1/receipts/"+receipt+"/allocations",
			map[string]any{"invoice_id": open, "amount": "6.00", "date": "2026-11-24"}, "exceeds-credit"))
	})
	reversed := one.ok() || other.ok()
	if one.ok() && other.ok() {
		t.reportf("a credit note is reversed once", "%s: %s and %s", t.name, one.ID, other.ID)
	}
	if ctx.Err() == nil && reversed == used.ok() {
		t.reportf("credit is used, or taken back", "%s: reversed %v, used %v", t.name, reversed, used.ok())
	}
	t.twice(ctx, t.wish("credit_note.create", "-rest", at+"/credit-notes", map[string]any{}))
}
