package torture

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Texts in the answer to the form of a payment.
const (
	askedAbout    = "Create anyway?"
	recordedTwice = "is already recorded" // found by its reference
	formSpent     = "This form already"   // its result was erased
)

// repeat records equal payments of an invoice, each under a different key. A program records two at once, and the answer to the
// second names the first as a likely repeat. A person sends three forms at once, is asked about all but the first, and confirms
// one.
func (p *programs) repeat(ctx context.Context, tenant, n int) {
	name := p.named("repeat", n)
	billed := p.issued(ctx, tenant, name, n)
	if billed == "" {
		return
	}
	body := map[string]any{"amount": "1.00", "date": "2026-11-22", "method": "other"}
	pay := func(who int) reply {
		return p.send(ctx, wish{
			tenant: tenant, operation: "payment.create", key: fmt.Sprintf("%s-%d", name, who),
			path: invoicesPath + "/" + billed + "/payments", body: body,
		}, who)
	}
	var one, other reply
	atOnce(func() { one = pay(0) }, func() { other = pay(1) })
	// After its result is erased, the answer is 200, without the likely repeat.
	if one.status == http.StatusCreated && other.status == http.StatusCreated &&
		one.Repeats != other.ID && other.Repeats != one.ID {
		p.reportf("a program is told what looks like a repeat", "%s: %s repeats %q, %s repeats %q",
			name, one.ID, one.Repeats, other.ID, other.Repeats)
	}
	p.payByForm(ctx, tenant, name, billed)
}

// issued issues an invoice for a new customer, and returns its id, or "" if ctx ended before.
func (p *programs) issued(ctx context.Context, tenant int, name string, n int) string {
	return p.issuedOn(ctx, tenant, name, n, "2026-11-21", "2026-12-21")
}

// issuedOn is like issued, with an issue date and a due date.
func (p *programs) issuedOn(ctx context.Context, tenant int, name string, n int, day, due string) string {
	body := oneLine(map[string]any{})
	body["issue_date"], body["due_date"] = day, due
	person := map[string]any{"email": name + "@example.com", "name": name}
	customer := p.send(ctx, wish{tenant: tenant, operation: "customer.upsert", key: name, path: customersPath, body: person}, n)
	body["customer_id"] = customer.ID
	billed := p.send(ctx, wish{
		tenant: tenant, operation: "invoice.create", key: name, path: invoicesPath,
		body: body,
	}, n)
	if billed.ok() {
		p.twice(ctx, wish{tenant: tenant, operation: "invoice.issue", key: name, path: invoicesPath + "/" + billed.ID + "/issue"})
	}
	return billed.ID
}

// payByForm sends the same payment by three forms at once, and then confirms one that was asked about.
func (p *programs) payByForm(ctx context.Context, tenant int, name, invoice string) {
	path := "/invoices/" + invoice + "/payments"
	var forms [3]url.Values
	var of [3]origin
	var asked [3]bool
	var all []func()
	for i := range forms {
		of[i] = origin{tenant, "payment.create", fmt.Sprintf("%s-form-%d", name, i)}
		forms[i] = url.Values{
			"idempotency_key": {of[i].key}, "amount": {"1.00"}, "date": {"2026-11-22"}, "answer_date": {"2026-11-22"}, "method": {"cash"},
		}
		all = append(all, func() { asked[i] = p.post(ctx, of[i], path, forms[i], i) })
	}
	atOnce(all...)
	unmeant := of[:]
	if meant := slices.Index(asked[:], true); meant >= 0 {
		unmeant = slices.Delete(slices.Clone(unmeant), meant, meant+1)
		again := maps.Clone(forms[meant])
		again.Set("allow_repeat", "1")
		if p.post(ctx, of[meant], path, again, meant) {
			p.reportf("what is meant is created", "%+v is asked about again", of[meant])
		}
	}
	p.mu.Lock()
	p.alike = append(p.alike, unmeant)
	p.mu.Unlock()
}

// logIn returns the browser of an owner after the login.
func (p *programs) logIn(ctx context.Context, tenant int) *visitor {
	email := owners[tenant]
	v := newVisitor(p.addrs[tenant], email)
	seen, ok := v.visit(ctx, "/login", url.Values{"email": {email}, "password": {demoPassword}})
	if ok && seen.status != http.StatusSeeOther {
		p.reportf("every answer is one that the contract knows", "/login got %d: %.2000s", seen.status, seen.text)
	}
	return v
}

// post sends a form with a payment until it is answered, and reports whether the answer is a question.
func (p *programs) post(ctx context.Context, of origin, path string, form url.Values, first int) (asked bool) {
	seen := p.submit(ctx, of, path, form, first, "/invoices/", askedAbout, recordedTwice)
	switch {
	case seen.next != "", strings.Contains(seen.text, formSpent):
		p.note(of, "") // the answer names the invoice
	case strings.Contains(seen.text, askedAbout):
		p.mu.Lock()
		p.counts[of.operation+" asked about"]++
		p.mu.Unlock()
		return true
	}
	return false
}

// submit sends a form of the tenant's person until the answer leads to a record below a path, is that the form was carried out before, or
// has one of the texts. The page is zero for any other answer, and if ctx ended before.
func (p *programs) submit(ctx context.Context, of origin, path string, form url.Values, first int, below string, texts ...string) page {
	p.ask(of)
	v := &visitor{http: p.people[of.tenant].http, addrs: p.addrs[of.tenant], sent: first} // another window
	for n := 0; ctx.Err() == nil; n++ {
		seen, after := v.once(ctx, path, form)
		says := func(text string) bool { return strings.Contains(seen.text, text) }
		switch {
		case seen.status == http.StatusSeeOther && strings.HasPrefix(seen.next, below), says(formSpent), slices.ContainsFunc(texts, says):
			return seen
		case seen.status == 0, seen.status == http.StatusTooManyRequests, seen.status == http.StatusServiceUnavailable,
			seen.status == http.StatusConflict && n < mostInProgress:
			Pause(ctx, max(after, time.Duration(min(n, 10))*25*time.Millisecond))
		default:
			p.reportf("every answer is one that the contract knows", "%+v got %d %s: %.2000s", of, seen.status, seen.next, seen.text)
			return page{}
		}
	}
	return page{}
}
