package torture

import (
	"math/rand/v2"
	"net/http"
)

// API paths.
const (
	customersPath = "/api/v1/customers"
	invoicesPath  = "/api/v1/invoices"
	paymentsPath  = "/api/v1/payments"
	settingsPath  = "/api/v1/settings"
)

// change configures an intent that changes an existing record.
type change struct {
	place     int  // index of the record among those that clients know when it begins
	elsewhere int  // offset to another record
	fit       bool // choose the first invoice or payment from place on whose state allows it, as far as the client knows
	look      bool // read the record first; otherwise use the last answer to any client
	match     bool // send If-Match
	same      bool // an edit that changes nothing
	again     bool // if the version is stale, read the record and send the same command from its version
	otherwise bool // its second command has another content; otherwise it is the same for another record

	seed uint64 // for the content of an edited invoice, or the amount of a payment, a refund or a credit note
}

// changing chooses the options of a change. A client without a key always sends If-Match, because otherwise it could not
// distinguish its own retry from another wish.
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

// about returns the intent with commands for a record: the second one is for another record under the same key, unless only the
// content differs.
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

// command returns the nth command of a change.
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

// address returns the path of the record of a kind.
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

// named returns the name in the nth command of an edit.
func (in intent) named(n int, about profile) string {
	if !in.change.otherwise {
		n = 0 // the same command for another customer
	}
	if in.change.same && n == 0 {
		return about.Name
	}
	return content(in.n, n)
}
