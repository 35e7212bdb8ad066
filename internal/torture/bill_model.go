package torture

// bill is what the model of a record has for an invoice.
type bill struct {
	status string // draft, issued or void
	total  cents  // or untold
	paid   cents
	billTo string // whom it names, of one that was issued; "" as long as nobody was told
}

const untold cents = -1

// made says whether the state that a transition wants is there.
func (b bill) made(k kind) bool {
	return k == issue && b.status == "issued" || k == void && b.status == "void"
}

// bars says whether the state does not allow what is wanted.
func (b bill) bars(k kind) bool {
	switch k {
	case redraft, issue:
		return b.status != "draft"
	case void:
		return b.paid > 0
	case pay:
		return b.status != "issued"
	default:
		return false
	}
}

// exceeded says whether a payment is more than is open. Where the total was never told, the answer is believed.
// Several that ask at once under one key are told the same, so what was open may be less by then.
func (b bill) exceeded(e event) bool {
	if b.total == untold {
		return e.outcome == itExceeds
	}
	open := b.total - b.paid
	return e.amount > open && (e.outcome != itExceeds || e.open >= open && e.amount > e.open)
}

// after gives the bill behind an event that has changed it.
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
	default:
	}
	return b
}

// shows tells whether an answer may say this, and learns from it. From the moment when it is issued, an invoice
// names its customer as they were then.
func (b bill) shows(p profile) (bool, bill) {
	same := p.Status == b.state(p.Total) && p.Paid == b.paid && (b.total == untold || b.total == p.Total)
	b.total = p.Total
	if p.IssuedAt != "" {
		same = same && (b.billTo == "" || b.billTo == p.BillTo.Name)
		b.billTo = p.BillTo.Name
	}
	return same, b
}

// state is the status as people know it.
func (b bill) state(total cents) string {
	switch {
	case b.status == "issued" && b.paid == total:
		return "paid"
	case b.status == "issued" && b.paid > 0:
		return "partially_paid"
	default:
		return b.status
	}
}
