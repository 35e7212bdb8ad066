package torture

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Texts in the answer to the form of a payment.
const (
	askedAbout    = "Record anyway?"
	recordedTwice = "is already recorded" // found by its reference
	formSpent     = "This form already"   // its result was erased
)

// repeat records equal payments of an invoice, each under a different key. A program records two at once, and the answer to the
// second names the first as a likely repeat. A person sends three forms at once, is asked about all but the first, and confirms
// one.
func (t turn) repeat(ctx context.Context) {
	billed := t.issued(ctx, "")
	if billed == "" {
		return
	}
	pay := func(who int) reply {
		return t.send(ctx, t.wish("payment.create", fmt.Sprint("-", who), invoicesPath+"/"+billed+"/payments", paymentBody(100)), who)
	}
	var one, other reply
	atOnce(func() { one = pay(0) }, func() { other = pay(1) })
	// After its result is erased, the answer is 200, without the likely repeat.
	if one.status == http.StatusCreated && other.status == http.StatusCreated &&
		one.Repeats != other.ID && other.Repeats != one.ID {
		t.reportf("a program is told what looks like a repeat", "%s: %s repeats %q, %s repeats %q",
			t.name, one.ID, one.Repeats, other.ID, other.Repeats)
	}
	t.payByForm(ctx, billed)
}

// issued issues an invoice for a new customer, and returns its id, or "" if ctx ended before.
func (t turn) issued(ctx context.Context, key string) string {
	return t.issuedOn(ctx, key, "2026-11-21", "2026-12-21")
}

// issuedOn is like issued, with an issue date and a due date.
func (t turn) issuedOn(ctx context.Context, key, day, due string) string {
	return t.issuedTo(ctx, key, t.customer(ctx, key).ID, day, due)
}

// issuedTo is like issuedOn, for a customer.
func (t turn) issuedTo(ctx context.Context, key, customer, day, due string) string {
	body := oneLine(map[string]any{"customer_id": customer})
	body["issue_date"], body["due_date"] = day, due
	billed := t.send(ctx, t.wish("invoice.create", key, invoicesPath, body), t.n)
	if billed.ok() {
		t.twice(ctx, t.wish("invoice.issue", key, invoicesPath+"/"+billed.ID+"/issue", nil))
	}
	return billed.ID
}

// payByForm sends the same payment by three forms at once, and then confirms one that was asked about.
func (t turn) payByForm(ctx context.Context, invoice string) {
	path := "/invoices/" + invoice + "/payments"
	var forms [3]url.Values
	var of [3]origin
	var asked [3]bool
	var all []func()
	for i := range forms {
		of[i], forms[i] = t.paymentForm(fmt.Sprint("-form-", i), "2026-11-22", "cash")
		all = append(all, func() { asked[i] = t.post(ctx, of[i], path, forms[i], i) })
	}
	atOnce(all...)
	unmeant := of[:]
	if meant := slices.Index(asked[:], true); meant >= 0 {
		unmeant = slices.Delete(slices.Clone(unmeant), meant, meant+1)
		again := maps.Clone(forms[meant])
		again.Set("allow_repeat", "1")
		if t.post(ctx, of[meant], path, again, meant) {
			t.reportf("what is meant is created", "%+v is asked about again", of[meant])
		}
	}
	t.mu.Lock()
	t.alike = append(t.alike, unmeant)
	t.mu.Unlock()
}

func (t turn) paymentForm(key, day, method string) (origin, url.Values) {
	return origin{t.tenant, "payment.create", t.name + key}, url.Values{
		"idempotency_key": {t.name + key}, "amount": {"1.00"}, "date": {day}, "answer_date": {day}, "method": {method},
	}
}

// post sends a form with a payment until it is answered, and reports whether the answer is a question.
func (p *programs) post(ctx context.Context, of origin, path string, form url.Values, first int) (asked bool) {
	seen := p.submit(ctx, of, path, form, first, "/invoices/", askedAbout, recordedTwice)
	switch {
	case seen.next != "", seen.says(formSpent):
		p.note(of, "") // the answer names the invoice
	case seen.says(askedAbout):
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
	texts = append(texts, formSpent)
	seen, ok := v.visit(ctx, path, form, texts...)
	if !ok || seen.status == http.StatusSeeOther && strings.HasPrefix(seen.next, below) || slices.ContainsFunc(texts, seen.says) {
		return seen
	}
	p.reportf(contract, "%+v got %d %s: %.2000s", of, seen.status, seen.next, seen.text)
	return page{}
}
