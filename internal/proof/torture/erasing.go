package torture

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"strings"
	"time"
)

// erasing is a customer that is going to be erased, with its open records.
type erasing struct {
	turn

	text      string // in each text of the customer: see rules.sql
	id        string
	drafts    []string
	schedules []string
}

// erase erases a customer by two forms at once, each from two senders, while it is edited, restored, billed and scheduled. Then it closes
// what is open, erases the customer again, and tries to use it. In every other turn, another customer was merged into it.
func (t turn) erase(ctx context.Context) {
	c := &erasing{turn: t, text: strings.ReplaceAll(t.name, "-", "x")}
	c.begin(ctx)
	if c.id == "" {
		return
	}
	forms := [2]string{"-a", "-b"}
	var all []func()
	for sender := range 2 * len(forms) {
		all = append(all, func() { c.sendForm(ctx, forms[sender%len(forms)], sender) })
	}
	atOnce(append(all, func() {
		Pause(ctx, time.Duration(t.n%3)*100*time.Millisecond) // a form takes longer
		c.use(ctx, "-meanwhile")
	})...)
	c.close(ctx, "-meanwhile")
	var one, other string
	atOnce(func() { one = c.sendForm(ctx, forms[0], 1) }, func() { other = c.sendForm(ctx, forms[1], 0) })
	if ctx.Err() == nil && (one == "" || one != other) {
		t.reportf("a customer is erased once", "%s: %q and %q", t.name, one, other)
	}
	c.use(ctx, "-afterwards")
}

// begin creates the customer, with closed records, and in some turns with a merged customer or a paid invoice.
func (c *erasing) begin(ctx context.Context) {
	made := c.request(ctx, "customer.upsert", "", customersPath, c.person(""))
	if !made.ok() {
		return
	}
	c.id = made.ID
	if c.n%2 == 1 {
		twin := c.person("twin")
		twin["email"], twin["external_id"] = "twin."+c.text+"@example.com", c.text+" twin"
		c.mergeInto(ctx, "-merge", made, c.request(ctx, "customer.upsert", "-twin", customersPath, twin))
	}
	c.use(ctx, "-before")
	if c.n%4 == 3 {
		billed := c.request(ctx, "invoice.create", "-paid", invoicesPath, c.invoice())
		at := invoicesPath + "/" + billed.ID
		c.request(ctx, "invoice.issue", "-paid", at+"/issue", nil)
		c.request(ctx, "payment.create", "-paid", at+"/payments", paymentBody(billed.Total))
	}
	c.close(ctx, "-before")
}

func (c *erasing) person(moment string) map[string]any {
	return external(map[string]any{
		"email": c.text + "@example.com", "name": c.text + " " + moment, "address": "1 " + c.text + " Street", "tax_id": c.text,
		"same_email": true,
	}, c.text, c.n)
}

func (c *erasing) invoice() map[string]any {
	body := oneLine(map[string]any{"customer_id": c.id, "notes": c.text})
	body["lines"] = []map[string]string{{"description": c.text, "quantity": "1", "unit_price": "20.00", "tax_rate": "23"}}
	return body
}

// request sends a request under the key of a moment. One that uses the customer is refused once the customer is erased.
func (c *erasing) request(ctx context.Context, operation, moment, path string, body map[string]any) reply {
	return c.send(ctx, c.wish(operation, moment, path, body, "customer-erased"), c.n)
}

// use edits and restores the customer and its schedules, bills it and creates a schedule, all at once.
func (c *erasing) use(ctx context.Context, moment string) {
	at := customersPath + "/" + c.id
	edit := c.wish("customer.edit", moment, at, c.person(moment), "customer-erased", "changed-meanwhile").from(c.read(ctx, at).Version)
	repeated := yearly(c.id)
	repeated["notes"], repeated["lines"] = c.text, c.invoice()["lines"]
	var billed, scheduled reply
	all := []func(){
		func() { c.send(ctx, edit, c.n+1) },
		func() { c.request(ctx, "customer.restore", moment, at+"/restore", nil) },
		func() { billed = c.request(ctx, "invoice.create", moment, invoicesPath, c.invoice()) },
		func() { scheduled = c.request(ctx, "schedule.create", moment, schedulesPath, repeated) },
	}
	for _, id := range c.schedules {
		all = append(all, func() { c.request(ctx, "schedule.restore", moment+"-"+id, schedulesPath+"/"+id+"/restore", nil) })
	}
	atOnce(all...)
	if billed.ok() {
		c.drafts = append(c.drafts, billed.ID)
	}
	if scheduled.ok() {
		c.schedules = append(c.schedules, scheduled.ID)
	}
}

// close archives the customer and its schedules, and voids its drafts, or assigns them to another customer.
func (c *erasing) close(ctx context.Context, moment string) {
	all := []func(){func() { c.request(ctx, "customer.archive", moment, customersPath+"/"+c.id+"/archive", nil) }}
	for _, id := range c.schedules {
		all = append(all, func() { c.request(ctx, "schedule.archive", moment+"-"+id, schedulesPath+"/"+id+"/archive", nil) })
	}
	another := map[string]string{"email": c.name + "@example.com", "name": "Another"}
	for _, id := range c.drafts {
		at := invoicesPath + "/" + id
		if c.n%3 > 0 {
			all = append(all, func() { c.request(ctx, "invoice.void", moment, at+"/void", nil) })
			continue
		}
		edit := c.wish("invoice.edit", moment, at, oneLine(map[string]any{"customer": another})).from(1)
		all = append(all, func() { c.send(ctx, edit, c.n) })
	}
	atOnce(all...)
	c.drafts = nil
}

// Parts of pages that refuse an erasure.
const (
	erasesNothing = "othing was erased."
	mailToSend    = "An email to the customer is still to be sent."
)

// sendForm sends a form that erases the customer until it is answered and no email of the customer is left to be sent. It returns the id of
// the erasure, or "" if it is refused.
func (c *erasing) sendForm(ctx context.Context, form string, first int) (erasure string) {
	of := origin{c.tenant, "customer.erase", c.name + form}
	for ctx.Err() == nil {
		seen := c.submit(ctx, of, "/customers/"+c.id+"/erasures", url.Values{
			"idempotency_key": {of.key}, "reason": {"Asked " + form},
		}, first, "/erasures/", erasesNothing)
		if next := cmp.Or(seen.found(spentForm), seen.next); next != "" {
			erasure = path.Base(next)
			c.note(of, erasure)
			return erasure
		}
		if !seen.says(mailToSend) {
			return ""
		}
		Pause(ctx, pace)
	}
	return ""
}
