package torture

import (
	"context"
	"fmt"
	"maps"
	"net/http"
)

// sync sends a customer, an invoice and its payment, each from several clients at once, under different keys and with the same
// external id. Two clients refund the whole payment at once. Then it updates the customer, and repeats the last update.
func (p *programs) sync(ctx context.Context, tenant, n int) {
	name := p.named("sync", n)
	person := map[string]any{"email": name + "@example.com", "name": "Synced"}
	customer := p.sendSame(ctx, synced{tenant, "customer.upsert", customersPath, name, name, person, "name"})
	billed := p.sendSame(ctx, synced{
		tenant, "invoice.create", invoicesPath, name, name, oneLine(map[string]any{"customer_id": customer.ID}), "notes",
	})
	if !billed.ok() {
		return
	}
	at := invoicesPath + "/" + billed.ID
	p.twice(ctx, wish{tenant: tenant, operation: "invoice.issue", key: name, path: at + "/issue"})
	// The whole amount: a second payment would exceed the open amount.
	all := map[string]any{"amount": billed.Total.String(), "date": "2026-11-22", "method": "other"}
	payment := p.sendSame(ctx, synced{tenant, "payment.create", at + "/payments", name, name, all, "method"})
	refund := func(who string) func() {
		return func() {
			p.send(ctx, wish{
				tenant: tenant, operation: "refund.create", key: name + who, path: paymentsPath + "/" + payment.ID + "/refunds",
				body: map[string]any{"amount": billed.Total.String(), "date": "2026-11-23"}, refusals: []string{"exceeds-payment"},
			}, n)
		}
	}
	if payment.ok() {
		atOnce(refund("-one"), refund("-another"))
	}

	person["name"] = "Synced again"
	updated := p.send(ctx, wish{
		tenant: tenant, operation: "customer.edit", key: name, method: http.MethodPut, path: customersPath + "/" + customer.ID,
		seen: customer.Version, body: external(person, name, n),
	}, n)
	if updated.ok() {
		p.sendSame(ctx, synced{tenant, "customer.upsert", customersPath, name, name + "-again", person, "name"})
	}
}

// synced is a record with an external id that clients send under keys with the same prefix.
type synced struct {
	tenant            int
	operation, path   string
	externalID, keyed string
	body              map[string]any
	differs           string // the field that differs in other content
}

// sendSame sends the same record from several clients at once, and then different content from one client.
func (p *programs) sendSame(ctx context.Context, s synced) (made reply) {
	say := func(i int, body map[string]any, refusals ...string) reply {
		return p.send(ctx, wish{
			tenant: s.tenant, operation: s.operation, key: fmt.Sprintf("%s-%d", s.keyed, i), path: s.path,
			body: external(body, s.externalID, i), refusals: refusals,
		}, i)
	}
	var replies [4]reply
	var all []func()
	for i := range replies {
		all = append(all, func() { replies[i] = say(i, s.body) })
	}
	atOnce(all...)
	for _, r := range replies {
		if r.ok() && made.ok() && r.ID != made.ID {
			p.reportf("an external id is of one record", "%s %s: %s and %s", s.operation, s.keyed, made.ID, r.ID)
		}
		if r.ok() {
			made = r
		}
	}
	other := maps.Clone(s.body)
	other[s.differs] = "cash" // a valid value for each of these fields
	if refused := say(len(replies), other, "external-id-taken"); refused.ok() {
		p.reportf("other content of an external id is refused", "%s %s: %s", s.operation, s.keyed, refused.ID)
	}
	return made
}

// external adds the external id to a command. Sources are compared ignoring case.
func external(body map[string]any, id string, n int) map[string]any {
	body = maps.Clone(body)
	body["source"], body["external_id"] = [2]string{"Shop", "SHOP"}[n%2], id
	return body
}
