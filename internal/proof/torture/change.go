package torture

import (
	"math/rand/v2"
	"net/http"
)

// The addresses of all customers, all invoices, and all payments, and of the settings of a business.
const (
	customersPath = "/api/v1/customers"
	invoicesPath  = "/api/v1/invoices"
	paymentsPath  = "/api/v1/payments"
	settingsPath  = "/api/v1/settings"
)

// change is how a client goes about an intent about a record that is there.
type change struct {
	place     int  // which of the records that clients know when it begins
	elsewhere int  // and another one
	fit       bool // the next of the invoices or payments, from that place on, whose state allows it as far as the client knows
	look      bool // reads the record first; else it goes by what any client saw last
	match     bool // sends If-Match
	same      bool // an edit that changes nothing
	again     bool // when it is told that the version is stale, it reads the record, and sends the same from there
	otherwise bool // its other command has another content; else it is the same about another record

	seed uint64 // of the content of an edited invoice, or the amount of a payment, a refund or a credit note
}

// changing imagines what a change has besides other intents. A client that sends no key always sends If-Match, or
// it could not tell its own retry from another wish.
func (in intent) changing(rng *rand.Rand) intent {
	c := change{place: rng.IntN(nearby), elsewhere: 1 + rng.IntN(nearby-1), look: rng.IntN(3) == 0}
	if rng.IntN(6) == 0 {
		in.key, in.repeats, in.reuse = "", 0, false
	}
	c.match = in.kind.edits() || in.key == "" || rng.IntN(4) == 0
	c.again = in.kind.edits() && in.key != "" && rng.IntN(3) == 0
	c.same = in.kind == edit && in.key != "" && !c.again && rng.IntN(10) == 0
	c.otherwise = in.kind.edits() && (rng.IntN(2) == 0 || in.kind == business) // there is no other business
	c.fit, c.seed = rng.IntN(4) != 0, rng.Uint64()
	in.change, in.email = c, ""
	return in
}

// about returns the commands of what is about a record that is there: about one, and under the same key about another
// one, unless the content is what differs.
func (in intent) about(one, another profile) intent {
	switch in.kind {
	case pay:
		return in.paymentOf(one)
	case refund:
		return in.refundOf(one)
	case credit:
		return in.creditOf(one)
	case send:
		return in.mailOf(one)
	case paid:
		return in.eventOf(one)
	default:
	}
	if in.change.otherwise {
		another = one
	}
	for n, c := range [2]profile{one, another} {
		in.commands[n] = in.command(n, c)
	}
	return in
}

// command returns one command of a change.
func (in intent) command(n int, about profile) command {
	c := command{method: http.MethodPost, path: in.kind.address(about.ID), record: about.ID, body: []byte("{}")}
	if in.change.match {
		c.seen = about.Version
	}
	switch in.kind {
	case archive:
		c.path += "/archive"
	case restore:
		c.path += "/restore"
	case issue:
		c.path += "/issue"
	case void:
		c.path += "/void"
	case redraft:
		c.method, c.body = http.MethodPut, in.redrafted(n, about)
	case business:
		c.method = http.MethodPut
		c.body = encode(map[string]any{"name": in.named(n, about), "currency": "EUR", "payment_days": "30"})
	default:
		c.method = http.MethodPut
		c.body = encode(map[string]any{"email": about.Email, "name": in.named(n, about), "same_email": true})
	}
	return c
}

// address is where the record is that a kind is about.
func (k kind) address(id string) string {
	switch {
	case k == business:
		return settingsPath
	case k == refund:
		return paymentsPath + "/" + id
	case k.onInvoice() || k.creates():
		return invoicesPath + "/" + id
	default:
		return customersPath + "/" + id
	}
}

// named is the name that a command of an edit gives.
func (in intent) named(n int, about profile) string {
	if !in.change.otherwise {
		n = 0 // the same command about another customer
	}
	if in.change.same && n == 0 {
		return about.Name
	}
	return content(in.n, n)
}
