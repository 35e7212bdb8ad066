package torture

// bill is what the model of a record has for an invoice.
type bill struct {
	status string // draft, issued or void
	total  cents  // or untold
	paid   cents
	// credited is the sum of the credit notes; noted says that there are some, if only of nothing.
	credited cents
	noted    bool
	billTo   string // whom it names, of one that was issued; "" as long as nobody was told
}

const untold cents = -1

// made reports whether the state that a transition wants is there.
func (b bill) made(k kind) bool {
	return k == issue && b.status == "issued" || k == void && b.status == "void"
}

// bars reports whether the state does not allow what is wanted.
func (b bill) bars(k kind) bool {
	switch k {
	case redraft, issue:
		return b.status != "draft"
	case void:
		return b.paid > 0 || b.noted
	case pay, credit, send:
		return b.status != "issued"
	default:
		return false
	}
}

// exceeded reports whether an amount is more than the invoice allows, or not all that was left where that was wanted. Where
// the total was never told, the answer is believed.
func (b bill) exceeded(e event) bool {
	open := b.total - b.paid - b.credited
	switch {
	case e.kind == unpay:
		return e.amount > b.paid
	case !e.kind.onInvoice() || !e.kind.posts():
		return false
	case b.total == untold:
		return e.outcome == itExceeds
	case e.kind == credit && e.outcome == itExceeds:
		return b.leaves(e, open)
	case e.kind == credit && e.limit == byAll && b.credited+e.amount != b.total:
		return true
	default:
		return e.beyond(open)
	}
}

// leaves reports whether a credit note may be refused for this reason. Before it is made, nobody knows what it would
// amount to, but it is at most what was not credited: that is more than what is open only if something is paid.
func (b bill) leaves(e event, open cents) bool {
	switch e.limit {
	case byOpen:
		return b.paid > 0 && e.open >= open
	case byLine:
		return b.noted
	default:
		return b.noted && b.credited == b.total
	}
}

// beyond reports whether an amount is more than what is left. Several that ask at once under one key are told the same, so
// what was left may be less by then.
func (e event) beyond(left cents) bool {
	return e.amount > left && (e.outcome != itExceeds || e.open >= left && e.amount > e.open)
}

// after returns the bill behind an event that has changed it.
func (b bill) after(e event) bill {
	switch e.kind {
	case redraft:
		b.total = untold
	case issue:
		b.status = "issued"
	case void:
		b.status = "void"
	case pay:
		b.paid += e.amount
	case unpay:
		b.paid -= e.amount
	case credit:
		b.credited += e.amount
		b.noted = true
	default:
	}
	return b
}

// shows reports whether an answer may say this, and learns from it. From the moment when it is issued, an invoice
// names its customer as they were then.
func (b bill) shows(p profile) (bool, bill) {
	same := p.Status == b.state(p.Total) && p.Paid == b.paid && p.Credited == b.credited && b.paid+b.credited <= p.Total &&
		(b.total == untold || b.total == p.Total)
	b.total = p.Total
	if p.IssuedAt != "" {
		same = same && (b.billTo == "" || b.billTo == p.BillTo.Name)
		b.billTo = p.BillTo.Name
	}
	return same, b
}

// state is the status as people know it.
func (b bill) state(total cents) string {
	settled := b.paid+b.credited == total
	switch {
	case b.status != "issued":
		return b.status
	case settled && b.paid == 0 && b.credited > 0:
		return "credited"
	case settled:
		return "paid"
	case b.paid > 0:
		return "partially_paid"
	default:
		return b.status
	}
}
