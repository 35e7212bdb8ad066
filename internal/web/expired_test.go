package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// What a late retry gets, when the result of its intent has expired. The intent is known for life, and so is
// its command.

func TestExpiredHTML(t *testing.T) {
	b := setup(t)
	x := &try{bundle: b, thing: invoices(), face: htmlFace{}, caller: b.person(b.site, b.acme)}
	first := x.ask(x.command)
	b.expire(b.acme)
	x.face.refused(x, x.ask(x.command), "key-reused", x.command)
	late := x.ask(x.other)
	x.face.refused(x, late, "key-reused", x.other)
	p := b.page(late)
	p.leadsTo(first.location())
	if n := b.rows().Invoices; n != 1 {
		t.Fatalf("%d invoices", n)
	}
	b.wantOutcomes("created", "replayed", "mismatch")

	x.made = "Invoice 2026-0002 created"
	x.face.created(x, x.caller.press(b.page(late), "Create as a new invoice"))
	if n := b.rows().Invoices; n != 2 {
		t.Errorf("%d invoices", n)
	}
}

func TestExpiredJSON(t *testing.T) {
	b := setup(t)
	x := &try{bundle: b, thing: invoices(), face: jsonFace{}, caller: b.program(b.site, b.acme)}
	first := x.ask(x.command)
	b.expire(b.acme)
	b.exec(`UPDATE invoices SET version = 2`) // life goes on meanwhile
	late := x.ask(x.command)
	if late.status != http.StatusOK || late.header.Get("Idempotent-Replayed") != "true" || late.location() != first.location() ||
		late.header.Get("ETag") != `"v2"` || late.body != x.caller.get(first.location()).body {
		t.Errorf("want the current state: %v", late)
	}
	if n := b.rows().Invoices; n != 1 {
		t.Errorf("%d invoices", n)
	}
	other := x.ask(x.other)
	if p := decode[problem](b, other); other.status != http.StatusUnprocessableEntity || p.Type != "/problems/key-reused" {
		t.Errorf("another command under the old key: %v", other)
	}
	b.wantOutcomes("created", "replayed", "mismatch")
}

// TestExpiredUpsert: the customer is known to be the key's own; another email under the old key creates
// nobody.
func TestExpiredUpsert(t *testing.T) {
	t.Parallel()
	eachFace(t, customers(), func(x *try) {
		first := x.ask(x.command)
		x.expire(x.acme)
		again := x.ask(x.command)
		if again.location() != first.location() {
			x.Errorf("first %v\nlate %v", first, again)
		}
		if x.face == (htmlFace{}) {
			x.face.replayed(x, again, first)
		} else if again.status != http.StatusOK || again.header.Get("Idempotent-Replayed") != "true" {
			x.Errorf("want the current state: %v", again)
		}
		x.expire(x.acme)
		late := x.ask(x.other)
		if x.face == (htmlFace{}) {
			x.face.refused(x, late, "key-reused", x.other)
			x.page(late).leadsTo(first.location())
		} else if p := decode[problem](x.bundle, late); late.status != http.StatusUnprocessableEntity ||
			p.Type != "/problems/key-reused" || !strings.HasSuffix(first.location(), p.ExistingID) {
			x.Errorf("want a mismatch: %v", late)
		}
		if n := x.rows().Customers; n != 1 {
			x.Errorf("%d customers", n)
		}
	})
}

// TestExpiredAndNumberTaken: whichever constraint speaks first, a late retry meets its own invoice.
func TestExpiredAndNumberTaken(t *testing.T) {
	x, first := forInvoices(setup(t), jsonFace{})
	x.expire(x.acme)
	late := x.ask(x.command)
	if late.status != http.StatusOK || late.location() != first.location() {
		t.Errorf("%v", late)
	}
}
