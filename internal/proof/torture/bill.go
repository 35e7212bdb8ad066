package torture

import "fmt"

// bill is the invoice, or the payment, in the model of a record.
type bill struct {
	status   string // draft, issued or void
	total    cents  // or the amount of the payment, or untold if unknown
	paid     cents
	refunded cents // of the payment
	// credited is the sum of the credit notes; noted reports whether there are any, if only with a total of zero.
	credited cents
	noted    bool
	billTo   string // the customer on an issued invoice; "" while unknown
}

const untold cents = -1

// made reports whether the invoice already has the state that a transition leads to.
func (b bill) made(k kind) bool {
	return k == issue && b.status == "issued" || k == void && b.status == "void"
}

// bars reports whether the state does not allow a kind of intent.
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

// exceeded reports whether an amount is more than the invoice or the payment allows, or not the whole rest when that was asked for.
// If the total is unknown, the answer is trusted.
func (b bill) exceeded(e event) bool {
	open := b.total - b.paid - b.credited
	switch {
	case e.kind == unpay:
		return e.amount > b.paid
	case !e.kind.posts():
		return false
	case b.total == untold:
		return e.outcome == itExceeds
	case e.kind == refund:
		return e.beyond(b.total - b.refunded)
	case e.kind == credit && e.outcome == itExceeds:
		return b.leaves(e)
	case e.kind == credit:
		return e.limit == byAll && b.credited+e.amount != b.total || e.became != max(0, e.amount-open) || e.became > b.paid
	default:
		return e.beyond(open)
	}
}

// leaves reports whether a credit note may be refused for this reason. What is not yet credited is open or paid, so it isn't refused by
// its amount.
func (b bill) leaves(e event) bool {
	return b.noted && (e.limit == byLine || b.credited == b.total)
}

// beyond reports whether an amount is more than what remains. Concurrent attempts with one key get the same answer, so by then less
// may remain than it states.
func (e event) beyond(left cents) bool {
	return e.amount > left && (e.outcome != itExceeds || e.open >= left && e.amount > e.open)
}

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
	case refund:
		b.refunded += e.amount
	case credit:
		b.credited += e.amount
		b.paid -= e.became
		b.noted = true
	default:
	}
	return b
}

// shows reports whether an answer may show p, and returns the bill with the values learned from it. An issued invoice keeps its
// customer's data from the time of issue.
func (b bill) shows(p profile) (bool, bill) {
	if p.InvoiceID != "" {
		same := b.refunded == p.Refunded && p.Refunded <= p.Amount && (b.total == untold || b.total == p.Amount)
		b.total = p.Amount
		return same, b
	}
	same := p.Status == b.state(p.Total) && p.Paid-p.Became == b.paid && p.Credited == b.credited && b.paid+b.credited <= p.Total &&
		(b.total == untold || b.total == p.Total)
	b.total = p.Total
	if p.IssuedAt != "" {
		same = same && (b.billTo == "" || b.billTo == p.BillTo.Name)
		b.billTo = p.BillTo.Name
	}
	return same, b
}

// state returns the status in the API.
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

// fits reports whether the state of an invoice or a payment allows a kind of intent, as far as the client knows.
func (p profile) fits(k kind) bool {
	switch k {
	case redraft, issue:
		return p.Status == "draft"
	case pay, send, paid:
		return p.Status == "issued" || p.Status == "partially_paid"
	case credit:
		return p.Status == "issued" || p.Status == "partially_paid" || p.Status == "paid"
	case refund:
		return p.Refunded < p.Amount
	case void:
		return p.Status == "draft" || p.Status == "issued" && p.Credited == 0
	default:
		return true
	}
}

// redrafted returns the command that replaces a draft. One in eight changes the number, which frees the old one; a number of the
// series may follow the invoice into another year. Without a key the customer stays, because the origin of a new one could not be
// determined.
func (in intent) redrafted(n int, about profile) []byte {
	rng := dice(in.change.seed, in.n)
	in.email = fmt.Sprintf("customer-%d@example.com", rng.IntN(2000))
	if in.key == "" || rng.IntN(2) == 0 {
		in.email = about.BillTo.Email
	}
	year := 0
	_, _ = fmt.Sscanf(about.IssueDate, "%d-", &year)
	if ofSeries.MatchString(about.Number) && rng.IntN(4) == 0 {
		year = anyYear(rng)
	}
	if rng.IntN(8) == 0 {
		in.number = fmt.Sprintf("E-%d", in.n)
	}
	body := invoiceBody(rng, in, year)
	if in.email == about.BillTo.Email {
		delete(body, "customer")
		body["customer_id"] = about.BillTo.ID
	} else { // no other intent has the name, so the customer is not archived
		body["customer"] = map[string]any{"email": in.email, "name": fmt.Sprint("Customer of ", in.n), "same_email": true}
	}
	if !in.change.otherwise {
		n = 0 // the same command for another invoice
	}
	body["notes"] = content(in.n, n)
	return encode(body)
}
