package torture

import "context"

const mergesPath = "/api/v1/merges"

// gone is the problem type of a merged customer.
const gone = "customer-merged"

// merge creates three customers. It merges the first two into each other at once, while it bills, schedules and edits them, and
// edits the third twice. Then it undoes the merge, or merges one into the third, or does both at once, again while it bills,
// schedules and edits.
func (t turn) merge(ctx context.Context) {
	one, other, third := t.customer(ctx, "-one"), t.customer(ctx, "-other"), t.customer(ctx, "-third")
	if !one.ok() || !other.ok() || !third.ok() {
		return
	}
	var merges [2]reply
	meanwhile := func(moment string) []func() {
		return []func(){
			func() { t.billBoth(ctx, one, moment) },
			func() { t.schedule(ctx, one, moment+"-one") },
			func() { t.schedule(ctx, other, moment+"-other") },
			func() { t.rename(ctx, "-one", one, moment) },
		}
	}
	atOnce(append(meanwhile("-before"),
		func() { t.rename(ctx, "-third", third, "-by-one") },
		func() { t.rename(ctx, "-third", third, "-by-another") },
		func() { merges[0] = t.mergeInto(ctx, "-into-other", other, one) },
		func() { merges[1] = t.mergeInto(ctx, "-into-one", one, other) })...)
	undo := func() {
		for _, m := range merges {
			if m.ok() {
				t.twice(ctx, t.wish("customer.undo_merge", "-undo-"+m.ID, mergesPath+"/"+m.ID+"/undo", nil, "merged-further"))
			}
		}
	}
	further := func() { t.mergeInto(ctx, "-further", third, other) }
	atOnce(append(meanwhile("-after"), [3][]func(){{further}, {undo}, {undo, further}}[t.n%3]...)...)
}

func (t turn) person(key string) map[string]any {
	return map[string]any{"email": t.name + key + "@example.com", "name": t.name + key}
}

func (t turn) customer(ctx context.Context, key string) reply {
	return t.send(ctx, t.wish("customer.upsert", key, customersPath, t.person(key)), t.n)
}

// mostLooks bounds the retries of a merge with newer versions of its customers.
const mostLooks = 5

// mergeInto merges a customer into another, from their current versions. It stops if either was merged meanwhile.
func (t turn) mergeInto(ctx context.Context, key string, winner, loser reply) (made reply) {
	for range mostLooks {
		made = t.twice(ctx, t.wish("customer.merge", key, mergesPath, map[string]any{
			"winner_id": winner.ID, "customers": []map[string]any{
				{"id": winner.ID, "version": winner.Version}, {"id": loser.ID, "version": loser.Version},
			},
		}, gone, "customer-changed"))
		if made.ok() {
			return made
		}
		for _, c := range []*reply{&winner, &loser} {
			now := t.read(ctx, customersPath+"/"+c.ID)
			if now.ID != c.ID {
				return made
			}
			*c = now
		}
	}
	return made
}

// billBoth creates an invoice for the email of a customer, and one for its id.
func (t turn) billBoth(ctx context.Context, c reply, moment string) {
	known := t.person("-one")
	known["name"], known["same_email"] = "Its holder", true
	for name, customer := range map[string]any{"customer": known, "customer_id": c.ID} {
		t.send(ctx, t.wish("invoice.create", moment+"-"+name, invoicesPath, oneLine(map[string]any{name: customer})), t.n)
	}
}

// oneLine completes an invoice.
func oneLine(body map[string]any) map[string]any {
	body["issue_date"], body["due_date"], body["currency"] = "2026-11-21", "2026-12-21", "EUR"
	body["lines"] = []map[string]string{{"description": "Work", "quantity": "1", "unit_price": "20.00", "tax_rate": "23"}}
	return body
}

// yearly returns a schedule of drafts, of which none is due.
func yearly(customer string) map[string]any {
	return map[string]any{
		"customer_id": customer, "currency": "EUR", "every": "1", "unit": "year", "first_day": "2099-01-01", "bill_as": "draft",
		"missed": "each", "lines": oneLine(map[string]any{})["lines"],
	}
}

// schedule creates a schedule for a customer. A merged customer is refused as invalid.
func (t turn) schedule(ctx context.Context, c reply, moment string) {
	t.send(ctx, t.wish("schedule.create", moment, schedulesPath, yearly(c.ID), "invalid"), t.n)
}

// rename edits a customer, from the version after its creation.
func (t turn) rename(ctx context.Context, key string, c reply, moment string) {
	body := t.person(key)
	body["name"] = "Renamed " + moment
	t.send(ctx, t.wish("customer.edit", moment, customersPath+"/"+c.ID, body, gone, "changed-meanwhile").from(c.Version), t.n)
}
