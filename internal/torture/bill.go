package torture

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// fits tells whether the state of an invoice allows a kind of intent, as far as is known.
func (p profile) fits(k kind) bool {
	switch k {
	case redraft, issue:
		return p.Status == "draft"
	case pay:
		return p.Status == "issued" || p.Status == "partially_paid"
	case void:
		return p.Status == "draft" || p.Status == "issued"
	default:
		return true
	}
}

// redrafted is the command that replaces a draft. One in eight numbers is another one, which makes the old one free,
// and one of the series may follow the invoice into another year. Without a key, it keeps the customer: nothing could
// tell where a new one came from.
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
	if !in.change.otherwise {
		n = 0 // the same command about another invoice
	}
	body["notes"] = content(in.n, n)
	return encode(body)
}

// paying imagines what a payment has besides other intents.
func (in intent) paying(rng *rand.Rand) intent {
	in.email = ""
	in.change = change{place: rng.IntN(nearby), fit: rng.IntN(6) != 0, look: rng.IntN(2) == 0, seed: rng.Uint64()}
	if rng.IntN(3) == 0 {
		in.reference = fmt.Sprintf("R-%d", in.n/60*2+rng.IntN(4))
	}
	return in
}

// paymentOf gives the commands of a payment, on one day and on another: of all that is open as far as is known, of a
// part, or of all that was to be paid once.
func (in intent) paymentOf(inv profile) intent {
	rng := dice(in.change.seed, in.n)
	asked := inv.open() / cents(1+rng.IntN(3))
	if rng.IntN(5) == 0 {
		asked = inv.Total
	}
	asked = max(1, asked)
	body := map[string]any{"amount": asked.String(), "method": "bank_transfer"}
	if in.reference != "" {
		provider := "Bank"
		if rng.IntN(3) == 0 {
			provider = strings.ToUpper(provider) // another one
		}
		body["provider"], body["reference"] = provider, in.reference
	}
	for n := range in.commands {
		body["date"] = fmt.Sprintf("2026-11-%d", 21+n)
		in.commands[n] = command{
			method: http.MethodPost, path: invoicesPath + "/" + inv.ID + "/payments", body: encode(body), record: inv.ID, asked: asked,
		}
	}
	return in
}
