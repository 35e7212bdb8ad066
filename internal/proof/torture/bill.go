package torture

import "fmt"

// fits reports whether the state of an invoice or a payment allows a kind of intent, as far as the client knows.
func (p profile) fits(k kind) bool {
	switch k {
	case redraft, issue:
		return p.Status == "draft"
	case pay, credit, send, paid:
		return p.Status == "issued" || p.Status == "partially_paid"
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
