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
