package torture

import "slices"

// The model of one record: a register with versions, which edits and transitions set.
type register struct {
	version  int
	name     string // of a customer or the business, or the notes of an invoice; "" as long as nobody was told
	archived bool
	bill     bill
	payment  refundable
}

// What came of an event, besides what an answer shows.
const (
	itChanged   = "changed"
	itUnchanged = "unchanged"
	itStale     = "stale"
	itBarred    = "barred"
	itExceeds   = "exceeds what is left"
)

// event is one change of a record, a payment, refund or credit note, or one look.
type event struct {
	kind    kind
	seen    []int  // versions that it may have been made from; any if there are none
	name    string // that an edit gives; "" for the one that is there
	outcome string // "" if nobody knows, but not stale
	maybe   bool   // it may never happen, and changes nothing then
	amount  cents  // of a payment, a refund or a credit note
	limit   string // what it was beyond, or byAll for everything that was left, of a credit note
	open    cents  // that was told, of what was more
	// shown is the record behind it: with the version only, if there is no content; nothing without a version.
	shown profile
}

// after returns the register behind an event, and what comes of it.
func (r register) after(e event) (next register, outcome string) {
	switch {
	case e.kind == look, e.kind == archive && r.archived, e.kind == restore && !r.archived, r.bill.made(e.kind):
		return r, itUnchanged
	case e.kind == redraft && r.bill.bars(redraft): // whatever version it was made from: reading that one again would not help
		return r, itBarred
	case e.kind.edits() && e.outcome == itUnchanged && (e.name == "" || e.name == r.name): // whatever version it was made from
		return r, itUnchanged
	case len(e.seen) > 0 && !slices.Contains(e.seen, r.version):
		return r, itStale
	case r.bill.bars(e.kind):
		return r, itBarred
	case r.bill.exceeded(e), r.payment.exceeded(e):
		return r, itExceeds
	case e.kind == send, e.kind.edits() && (e.name == "" || e.name == r.name):
		return r, itUnchanged
	}
	r.version++
	switch e.kind {
	case archive, restore:
		r.archived = e.kind == archive
	case edit, redraft, business:
		r.name = e.name
	default:
	}
	r.bill, r.payment = r.bill.after(e), r.payment.after(e)
	return r, itChanged
}

// shows reports whether an answer may say this, and learns from it.
func (r register) shows(c profile) (bool, register) {
	switch {
	case c.Version == 0:
		return true, r
	case c.InvoiceID != "":
		same, payment := r.payment.shows(c)
		same, r.payment = same && r.version == c.Version, payment
		return same, r
	case c.content() == "":
		return r.version == c.Version, r
	}
	same := r.version == c.Version && r.archived == (c.ArchivedAt != "") && (r.name == "" || r.name == c.content())
	r.name = c.content()
	if c.Number != "" {
		billed, bill := r.bill.shows(c)
		same, r.bill = same && billed, bill
	}
	return same, r
}

// step reports whether an event is right in this state, and what the state is then.
func (r register) step(e event) (bool, register) {
	next, outcome := r.after(e)
	switch {
	case e.maybe:
		return true, next
	case e.outcome == "" && outcome == itStale, e.outcome != "" && e.outcome != outcome:
		return false, r
	default:
		return next.shows(e.shown)
	}
}
