package torture

import (
	"context"
	"net/http"
)

const mergesPath = "/api/v1/merges"

// gone is the problem type of a merged customer.
const gone = "customer-merged"

// merge creates three customers. It merges the first two into each other at once, while it bills, schedules and edits them, and
// edits the third twice. Then it undoes the merge, or merges one into the third, or does both at once, again while it bills,
// schedules and edits.
func (p *programs) merge(ctx context.Context, tenant, n int) {
	var all [3]reply
	for i := range all {
		all[i] = p.customer(ctx, tenant, n, i)
		if !all[i].ok() {
			return
		}
	}
	one, other, third := all[0], all[1], all[2]
	var merges [2]reply
	meanwhile := func(moment string) []func() {
		return []func(){
			func() { p.billBoth(ctx, tenant, n, one, moment) },
			func() { p.schedule(ctx, tenant, n, one, moment+"-one") },
			func() { p.schedule(ctx, tenant, n, other, moment+"-other") },
			func() { p.rename(ctx, tenant, n, 0, one, moment) },
		}
	}
	atOnce(append(meanwhile("before"),
		func() { p.rename(ctx, tenant, n, 2, third, "by-one") },
		func() { p.rename(ctx, tenant, n, 2, third, "by-another") },
		func() { merges[0] = p.mergeInto(ctx, tenant, n, "into-other", other, one) },
		func() { merges[1] = p.mergeInto(ctx, tenant, n, "into-one", one, other) })...)
	undo := func() {
		for _, m := range merges {
			if m.ok() {
				p.twice(ctx, wish{
					tenant: tenant, operation: "customer.undo_merge", key: p.named("undo-"+m.ID, n),
					path: mergesPath + "/" + m.ID + "/undo", refusals: []string{"merged-further"},
				})
			}
		}
	}
	further := func() { p.mergeInto(ctx, tenant, n, "further", third, other) }
	atOnce(append(meanwhile("after"), [3][]func(){{further}, {undo}, {undo, further}}[n%3]...)...)
}

// called has the names of the customers of a round.
var called = [3]string{"merge-one", "merge-other", "merge-third"}

// customer creates a customer of a round.
func (p *programs) customer(ctx context.Context, tenant, n, i int) reply {
	key := p.named(called[i], n)
	return p.send(ctx, wish{tenant: tenant, operation: "customer.upsert", key: key, path: customersPath, body: map[string]any{
		"email": key + "@example.com", "name": key,
	}}, i)
}

// mostLooks bounds the retries of a merge with newer versions of its customers.
const mostLooks = 5

// mergeInto merges a customer into another, from their current versions. It stops if either was merged meanwhile.
func (p *programs) mergeInto(ctx context.Context, tenant, n int, name string, winner, loser reply) (made reply) {
	for range mostLooks {
		made = p.twice(ctx, wish{
			tenant: tenant, operation: "customer.merge", key: p.named(name, n), path: mergesPath,
			body: map[string]any{"winner_id": winner.ID, "customers": []map[string]any{
				{"id": winner.ID, "version": winner.Version}, {"id": loser.ID, "version": loser.Version},
			}},
			refusals: []string{gone, "customer-changed"},
		})
		if made.ok() {
			return made
		}
		for _, c := range []*reply{&winner, &loser} {
			now := p.send(ctx, wish{tenant: tenant, method: http.MethodGet, path: customersPath + "/" + c.ID}, n)
			if now.ID != c.ID {
				return made
			}
			*c = now
		}
	}
	return made
}

// billBoth creates an invoice for the email of a customer, and one for its id.
func (p *programs) billBoth(ctx context.Context, tenant, n int, c reply, moment string) {
	known := map[string]any{"email": p.named(called[0], n) + "@example.com", "name": "Its holder", "same_email": true}
	for name, customer := range map[string]any{"customer": known, "customer_id": c.ID} {
		p.send(ctx, wish{
			tenant: tenant, operation: "invoice.create", key: p.named("merge-"+moment+"-"+name, n), path: invoicesPath,
			body: oneLine(map[string]any{name: customer}),
		}, n)
	}
}

// oneLine completes an invoice.
func oneLine(body map[string]any) map[string]any {
	body["issue_date"], body["due_date"], body["currency"] = "2026-11-21", "2026-12-21", "EUR"
	body["lines"] = []map[string]string{{"description": "Work", "quantity": "1", "unit_price": "20.00", "tax_rate": "23"}}
	return body
}

// schedule creates a schedule for a customer. A merged customer is refused as invalid.
func (p *programs) schedule(ctx context.Context, tenant, n int, c reply, moment string) {
	p.send(ctx, wish{
		tenant: tenant, operation: "schedule.create", key: p.named("merge-"+moment, n), path: schedulesPath, refusals: []string{"invalid"},
		body: map[string]any{
			"customer_id": c.ID, "currency": "EUR", "every": "1", "unit": "year", "first_day": "2099-01-01", "bill_as": "draft",
			"missed": "each", "lines": oneLine(map[string]any{})["lines"],
		},
	}, n)
}

// rename edits a customer, from the version after its creation.
func (p *programs) rename(ctx context.Context, tenant, n, i int, c reply, moment string) {
	p.send(ctx, wish{
		tenant: tenant, operation: "customer.edit", key: p.named("merge-"+moment, n), method: http.MethodPut,
		path: customersPath + "/" + c.ID, seen: c.Version, refusals: []string{gone, "changed-meanwhile"},
		body: map[string]any{"email": p.named(called[i], n) + "@example.com", "name": "Renamed " + moment},
	}, n)
}
