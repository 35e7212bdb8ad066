package torture

import (
	"context"
	"fmt"
	"maps"
)

// sync sends a customer, an invoice and its payment, each from several clients at once, under different keys and with the same
// external id. Two clients refund the whole payment at once. Then it updates the customer, and repeats the last update.
func (t turn) sync(ctx context.Context) {
	person := map[string]any{"email": t.name + "@example.com", "name": "Synced"}
	customer := t.sendSame(ctx, "customer.upsert", "", customersPath, person, "name")
	billed := t.sendSame(ctx, "invoice.create", "", invoicesPath, oneLine(map[string]any{"customer_id": customer.ID}), "notes")
	if !billed.ok() {
		return
	}
	at := invoicesPath + "/" + billed.ID
	t.twice(ctx, t.wish("invoice.issue", "", at+"/issue", nil))
	// The whole amount: a second payment would exceed the open amount.
	payment := t.sendSame(ctx, "payment.create", "", at+"/payments", paymentBody(billed.Total), "method")
	refund := func(who string) func() {
		all := map[string]any{"amount": billed.Total.String(), "date": "2026-11-23"}
		return func() {
			t.send(ctx, t.wish("refund.create", who, paymentsPath+"/"+payment.ID+"/refunds", all, "exceeds-payment"), t.n)
		}
	}
	if payment.ok() {
		atOnce(refund("-one"), refund("-another"))
	}

	person["name"] = "Synced again"
	edit := t.wish("customer.edit", "", customersPath+"/"+customer.ID, external(person, t.name, t.n))
	if t.send(ctx, edit.from(customer.Version), t.n).ok() {
		t.sendSame(ctx, "customer.upsert", "-again", customersPath, person, "name")
	}
}

func paymentBody(amount cents) map[string]any {
	return map[string]any{"amount": amount.String(), "date": "2026-11-22", "method": "other"}
}

// sendSame sends the same record, with the turn's name as its external id, from several clients at once, and then other content in the
// field that differs from one client.
func (t turn) sendSame(ctx context.Context, operation, key, path string, body map[string]any, differs string) (made reply) {
	say := func(i int, body map[string]any, refusals ...string) reply {
		return t.send(ctx, t.wish(operation, fmt.Sprint(key, "-", i), path, external(body, t.name, i), refusals...), i)
	}
	var replies [4]reply
	var all []func()
	for i := range replies {
		all = append(all, func() { replies[i] = say(i, body) })
	}
	atOnce(all...)
	for _, r := range replies {
		if r.ok() && made.ok() && r.ID != made.ID {
			t.reportf("an external id is of one record", "%s %s%s: %s and %s", operation, t.name, key, made.ID, r.ID)
		}
		if r.ok() {
			made = r
		}
	}
	other := maps.Clone(body)
	other[differs] = "cash" // a valid value for each of these fields
	if refused := say(len(replies), other, "external-id-taken"); refused.ok() {
		t.reportf("other content of an external id is refused", "%s %s%s: %s", operation, t.name, key, refused.ID)
	}
	return made
}

// external adds the external id to a command. Sources are compared ignoring case.
func external(body map[string]any, id string, n int) map[string]any {
	body = maps.Clone(body)
	body["source"], body["external_id"] = [2]string{"Shop", "SHOP"}[n%2], id
	return body
}
