package torture

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// The keys of [programs.erase] begin with erasedKeys. The texts of a customer have the key of its creation with x for -, so that it is one
// word. They match erasedTexts.
const (
	erasedKeys  = programKeys + "erase-"
	erasedTexts = "programxerasex[0-9x]+"
)

// erasing is a customer that is going to be erased, with its open records.
type erasing struct {
	*programs

	tenant, n int
	name      string // prefix of the keys
	text      string // in each text of the customer: see [erasureRules]
	id        string
	drafts    []string
	schedules []string
}

// erase erases a customer by two forms at once, each from two senders, while it is edited, restored, billed and scheduled. Then it closes
// what is open, erases the customer again, and tries to use it. In every other round, another customer was merged into it.
func (p *programs) erase(ctx context.Context, tenant, n int) {
	c := &erasing{programs: p, tenant: tenant, n: n, name: p.named(fmt.Sprint("erase-", tenant), n)}
	c.text = strings.ReplaceAll(c.name, "-", "x")
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
		Pause(ctx, time.Duration(n%3)*100*time.Millisecond) // a form takes longer
		c.use(ctx, "meanwhile")
	})...)
	c.close(ctx, "meanwhile")
	var one, other string
	atOnce(func() { one = c.sendForm(ctx, forms[0], 1) }, func() { other = c.sendForm(ctx, forms[1], 0) })
	if ctx.Err() == nil && (one == "" || one != other) {
		p.reportf("a customer is erased once", "%s: %q and %q", c.name, one, other)
	}
	c.use(ctx, "afterwards")
}

// begin creates the customer, with closed records, and in some rounds with a merged customer or a paid invoice.
func (c *erasing) begin(ctx context.Context) {
	made := c.request(ctx, "customer.upsert", "", http.MethodPost, customersPath, c.person(""))
	if !made.ok() {
		return
	}
	c.id = made.ID
	if c.n%2 == 1 {
		twin := c.person("twin")
		twin["email"], twin["external_id"] = "twin."+c.text+"@example.com", c.text+" twin"
		other := c.request(ctx, "customer.upsert", "twin", http.MethodPost, customersPath, twin)
		c.mergeInto(ctx, c.tenant, c.n, fmt.Sprint("erase-merge-", c.tenant), made, other)
	}
	c.use(ctx, "before")
	if c.n%4 == 3 {
		billed := c.request(ctx, "invoice.create", "paid", http.MethodPost, invoicesPath, c.invoice())
		at := invoicesPath + "/" + billed.ID
		c.request(ctx, "invoice.issue", "paid", http.MethodPost, at+"/issue", nil)
		c.request(ctx, "payment.create", "paid", http.MethodPost, at+"/payments", map[string]any{
			"amount": billed.Total.String(), "date": "2026-11-22", "method": "other",
		})
	}
	c.close(ctx, "before")
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

func (c *erasing) schedule() map[string]any {
	return map[string]any{
		"customer_id": c.id, "notes": c.text, "currency": "EUR", "lines": c.invoice()["lines"], "every": "1", "unit": "year",
		"first_day": "2099-01-01", "bill_as": "draft", "missed": "each",
	}
}

// request sends a request under the key of a moment. One that uses the customer is refused once the customer is erased.
func (c *erasing) request(ctx context.Context, operation, moment, method, path string, body map[string]any) reply {
	return c.send(ctx, wish{
		tenant: c.tenant, operation: operation, key: strings.Trim(c.name+"-"+moment, "-"), method: method, path: path, body: body,
		refusals: []string{"customer-erased"},
	}, c.n)
}

// use edits and restores the customer and its schedules, bills it and creates a schedule, all at once.
func (c *erasing) use(ctx context.Context, moment string) {
	at := customersPath + "/" + c.id
	seen := c.request(ctx, "", "", http.MethodGet, at, nil)
	var billed, scheduled reply
	all := []func(){
		func() {
			c.send(ctx, wish{
				tenant: c.tenant, operation: "customer.edit", key: c.name + "-" + moment, method: http.MethodPut, path: at,
				seen: seen.Version, body: c.person(moment), refusals: []string{"customer-erased", "changed-meanwhile"},
			}, c.n+1)
		},
		func() { c.request(ctx, "customer.restore", moment, http.MethodPost, at+"/restore", nil) },
		func() { billed = c.request(ctx, "invoice.create", moment, http.MethodPost, invoicesPath, c.invoice()) },
		func() {
			scheduled = c.request(ctx, "schedule.create", moment, http.MethodPost, schedulesPath, c.schedule())
		},
	}
	for _, id := range c.schedules {
		all = append(all, func() {
			c.request(ctx, "schedule.restore", moment+"-"+id, http.MethodPost, schedulesPath+"/"+id+"/restore", nil)
		})
	}
	atOnce(all...)
	if billed.ok() {
		c.drafts = append(c.drafts, billed.ID)
	}
	if scheduled.ok() {
		c.schedules = append(c.schedules, scheduled.ID)
	}
}

// close archives the customer and its schedules, and voids its drafts, or gives them to another customer.
func (c *erasing) close(ctx context.Context, moment string) {
	all := []func(){func() {
		c.request(ctx, "customer.archive", moment, http.MethodPost, customersPath+"/"+c.id+"/archive", nil)
	}}
	for _, id := range c.schedules {
		all = append(all, func() {
			c.request(ctx, "schedule.archive", moment+"-"+id, http.MethodPost, schedulesPath+"/"+id+"/archive", nil)
		})
	}
	for _, id := range c.drafts {
		at := invoicesPath + "/" + id
		if c.n%3 > 0 {
			all = append(all, func() { c.request(ctx, "invoice.void", moment, http.MethodPost, at+"/void", nil) })
			continue
		}
		all = append(all, func() {
			c.send(ctx, wish{
				tenant: c.tenant, operation: "invoice.edit", key: c.name + "-" + moment, method: http.MethodPut, path: at, seen: 1,
				body: oneLine(map[string]any{"customer": map[string]string{"email": c.name + "@example.com", "name": "Another"}}),
			}, c.n)
		})
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
		if spent := spentForm.FindStringSubmatch(seen.text); spent != nil {
			seen.next = spent[1]
		}
		if seen.next != "" {
			erasure = path.Base(seen.next)
			c.note(of, erasure)
			return erasure
		}
		if !strings.Contains(seen.text, mailToSend) {
			return ""
		}
		Pause(ctx, pace)
	}
	return ""
}
