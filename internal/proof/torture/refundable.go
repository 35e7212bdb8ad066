package torture

// refundable is the payment in the model of a record.
type refundable struct {
	amount   cents // or untold if unknown
	refunded cents
}

// exceeded reports whether a refund is more than the rest. If the amount is unknown, the answer is trusted.
func (p refundable) exceeded(e event) bool {
	switch {
	case e.kind != refund:
		return false
	case p.amount == untold:
		return e.outcome == itExceeds
	default:
		return e.beyond(p.amount - p.refunded)
	}
}

// after returns the payment after an event.
func (p refundable) after(e event) refundable {
	if e.kind == refund {
		p.refunded += e.amount
	}
	return p
}

// shows reports whether an answer may show c, and returns the payment with the values learned from it.
func (p refundable) shows(c profile) (bool, refundable) {
	same := p.refunded == c.Refunded && p.refunded <= c.Amount && (p.amount == untold || p.amount == c.Amount)
	p.amount = c.Amount
	return same, p
}
