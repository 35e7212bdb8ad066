package torture

import "slices"

// register is the model for a record: a register with versions, set by edits and transitions.
type register struct {
	version  int
	name     string // of a customer or the business, or the notes of an invoice; "" while unknown
	archived bool
	bill     bill
}

// The outcomes of an event, besides the shown record.
const (
	itChanged   = "changed"
	itUnchanged = "unchanged"
	itStale     = "stale"
	itBarred    = "barred"
	itExceeds   = "exceeds what is left"
)

// event is a change of a record, a payment, refund or credit note, or a read.
type event struct {
	kind    kind
	seen    []int  // versions that it may have started from; any if empty
	name    string // new name of an edit; "" for the current one
	outcome string // "" if unknown, but not stale
	maybe   bool   // may never happen, and then changes nothing
	amount  cents  // of a payment, a refund or a credit note
	became  cents  // of a credit note: the part that became credit
	limit   string // the limit that it exceeded; for a credit note also byAll, for all that remains
	open    cents  // the limit's value in the answer
	// shown is the record after the event. Without content only its version counts; without a version nothing.
	shown profile
}

func (r register) after(e event) (next register, outcome string) {
	switch {
	case e.kind == look, e.kind == archive && r.archived, e.kind == restore && !r.archived, r.bill.made(e.kind):
		return r, itUnchanged
	case e.kind == redraft && r.bill.bars(redraft): // at any version, because reading the draft again would not help
		return r, itBarred
	case e.kind.edits() && e.outcome == itUnchanged && (e.name == "" || e.name == r.name): // at any version
		return r, itUnchanged
	case len(e.seen) > 0 && !slices.Contains(e.seen, r.version):
		return r, itStale
	case r.bill.bars(e.kind):
		return r, itBarred
	case r.bill.exceeded(e):
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
	r.bill = r.bill.after(e)
	return r, itChanged
}

// shows reports whether an answer may show c, and returns the register with the values learned from it.
func (r register) shows(c profile) (bool, register) {
	switch {
	case c.Version == 0:
		return true, r
	case c.InvoiceID != "":
		same, paid := r.bill.shows(c)
		same, r.bill = same && r.version == c.Version, paid
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

// step reports whether an event is possible in this state, and returns the next state.
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
