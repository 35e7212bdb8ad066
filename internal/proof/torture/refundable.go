package torture

// refundable is what the model of a record has for a payment.
type refundable struct {
	amount   cents // or untold
	refunded cents
}

// exceeded reports whether a refund is more than is left. Where the amount was never told, the answer is believed.
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

// after returns the payment behind an event that has changed it.
func (p refundable) after(e event) refundable {
	if e.kind == refund {
		p.refunded += e.amount
	}
	return p
}

// shows reports whether an answer may say this, and learns from it.
func (p refundable) shows(c profile) (bool, refundable) {
	same := p.refunded == c.Refunded && p.refunded <= c.Amount && (p.amount == untold || p.amount == c.Amount)
	p.amount = c.Amount
	return same, p
}
