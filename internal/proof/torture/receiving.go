package torture

import "context"

// receive records one transfer for two invoices under two keys at once, each from two senders. Its credit is allocated and paid back at
// once, which fits once. Then all is taken back as a mistake: the uses of its credit, a refund of another payment, and the receipt
// with its payments, each under two keys at once.
func (t turn) receive(ctx context.Context) {
	payer := t.customer(ctx, "").ID
	one := t.issuedTo(ctx, "-one", payer, "2026-11-21", "2026-12-21")
	two := t.issuedTo(ctx, "-two", payer, "2026-11-22", "2026-12-22")
	if one == "" || two == "" {
		return
	}
	received := func(key string) reply {
		return t.twice(ctx, t.wish("receipt.create", key, "/api/v1/receipts", map[string]any{
			"customer_id": payer, "currency": "EUR", "amount": "45.00", "date": "2026-11-23", "method": "bank_transfer",
			"provider": "Bank", "reference": t.name, "allocations": []map[string]string{
				{"invoice_id": two, "amount": "15.00"}, {"invoice_id": one, "amount": "20.00"},
			},
		}, "payment-taken"))
	}
	var made, other reply
	atOnce(func() { made = received("-a") }, func() { other = received("-b") })
	if made.ok() && other.ok() {
		t.reportf("a transfer is recorded once", "%s: %s and %s", t.name, made.ID, other.ID)
	}
	if other.ok() {
		made = other
	}
	if !made.ok() {
		return
	}
	at := "/api/v1/receipts/" + made.ID
	var used [3]reply // of 6.00 each, of a credit of 10.00
	apply := func(key string) reply {
		return t.twice(ctx, t.wish("receipt.apply", key, at+"/allocations",
			map[string]any{"invoice_id": two, "amount": "6.00", "date": "2026-11-24"}, "exceeds-credit"))
	}
	atOnce(func() { used[0] = apply("-c") }, func() { used[1] = apply("-d") }, func() {
		used[2] = t.twice(ctx, t.wish("repayment.create", "-e", at+"/repayments",
			map[string]any{"amount": "6.00", "date": "2026-11-25"}, "exceeds-credit"))
	})
	uses := 0
	for _, use := range used {
		if use.ok() {
			uses++
		}
	}
	if uses > 1 {
		t.reportf("credit is used once", "%s: %v", t.name, used)
	}
	for _, paid := range used[:2] {
		if paid.ok() {
			t.twice(ctx, t.wish("payment.remove", "-f", paymentsPath+"/"+paid.ID+"/remove", nil))
		}
	}
	remove := func(of, key, path string, refusals ...string) {
		t.twice(ctx, t.wish(of+".remove", key, path+"/remove", nil, refusals...))
	}
	if used[2].ok() {
		path := "/api/v1/repayments/" + used[2].ID
		atOnce(func() { remove("repayment", "-g", path) }, func() { remove("repayment", "-h", path) })
	}
	t.refundByMistake(ctx, one)
	atOnce(func() { remove("receipt", "-k", at, "receipt-used") }, func() { remove("receipt", "-l", at, "receipt-used") }, func() {
		apply("-late")
	})
}

// refundByMistake pays a part of an invoice, refunds a part of that, and removes the refund under two keys while another one is recorded.
func (t turn) refundByMistake(ctx context.Context, invoice string) {
	paid := t.twice(ctx, t.wish("payment.create", "-paid", invoicesPath+"/"+invoice+"/payments", paymentBody(4_00)))
	if !paid.ok() {
		return
	}
	refund := func(key string) reply {
		return t.twice(ctx, t.wish("refund.create", key, paymentsPath+"/"+paid.ID+"/refunds",
			map[string]any{"amount": "3.00", "date": "2026-11-26"}, "exceeds-payment"))
	}
	back := refund("-back")
	if !back.ok() {
		return
	}
	remove := func(key string) {
		t.twice(ctx, t.wish("refund.remove", key, "/api/v1/refunds/"+back.ID+"/remove", nil))
	}
	atOnce(func() { remove("-i") }, func() { remove("-j") }, func() { refund("-more") })
}
