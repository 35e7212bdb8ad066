package torture

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// belonging chooses the options of a payment, a refund, a credit note or a mail.
func (in intent) belonging(rng *rand.Rand) intent {
	in.email = ""
	in.change = change{place: rng.IntN(nearby), fit: rng.IntN(6) != 0, look: rng.IntN(2) == 0, seed: rng.Uint64()}
	if in.kind == pay && rng.IntN(3) == 0 {
		in.reference = in.someReference(rng)
	}
	return in
}

// someReference returns one of a handful of references that other payments and events also want.
func (in intent) someReference(rng *rand.Rand) string {
	return fmt.Sprintf("R-%d", in.n/60*2+rng.IntN(4))
}

// paymentOf returns the intent with the commands of a payment, on one day and on another: of the known open amount, a part of that,
// or the total.
func (in intent) paymentOf(inv profile) intent {
	rng := dice(in.change.seed, in.n)
	asked := someOf(rng, inv.open(), inv.Total)
	body := map[string]any{"amount": asked.String(), "method": "bank_transfer"}
	if in.reference != "" {
		provider := hookProvider // which also sends events
		if rng.IntN(3) == 0 {
			provider = strings.ToUpper(provider) // the same provider
		}
		body["provider"], body["reference"] = provider, in.reference
	}
	return in.onTwoDays(command{path: invoicesPath + "/" + inv.ID + "/payments", record: inv.ID, asked: asked}, body)
}

// refundOf returns the intent with the commands of a refund, on one day and on another: of the known rest of the payment, a part of
// that, or the whole payment.
func (in intent) refundOf(paid profile) intent {
	asked := someOf(dice(in.change.seed, in.n), paid.Amount-paid.Refunded, paid.Amount)
	body := map[string]any{"amount": asked.String()}
	return in.onTwoDays(command{path: paymentsPath + "/" + paid.ID + "/refunds", record: paid.ID, asked: asked}, body)
}

// someOf returns what remains, or a part of that, or sometimes the whole.
func someOf(rng *rand.Rand, left, whole cents) cents {
	asked := left / cents(1+rng.IntN(3))
	if rng.IntN(5) == 0 {
		asked = whole
	}
	return max(1, asked)
}

func (in intent) onTwoDays(c command, body map[string]any) intent {
	for n := range in.commands {
		body["date"] = fmt.Sprintf("2026-11-%d", 21+n)
		c.method, c.body = http.MethodPost, encode(body)
		in.commands[n] = c
	}
	return in
}

// creditOf returns the intent with the commands of a credit note: one for everything left of the invoice, and one for quantities of
// some lines. Either may be the first.
func (in intent) creditOf(inv profile) intent {
	rng := dice(in.change.seed, in.n)
	c := command{method: http.MethodPost, path: invoicesPath + "/" + inv.ID + "/credit-notes", record: inv.ID}
	parts, everything := c, c
	everything.body = []byte("{}")
	var asked []map[string]any
	var lines []string
	for _, l := range creditLines(rng, inv) {
		quantity := fmt.Sprintf("%d.%03d", l.thousandths/1000, l.thousandths%1000)
		asked = append(asked, map[string]any{"position": l.position, "quantity": quantity})
		lines = append(lines, fmt.Sprintf("%d:%d", l.position, l.thousandths)) // in the format of loadRows
	}
	parts.body, parts.lines = encode(map[string]any{"lines": asked}), strings.Join(lines, " ")
	in.commands = [2]command{parts, everything}
	if rng.IntN(3) == 0 {
		in.commands = [2]command{everything, parts}
	}
	return in
}

// creditLine is a part of a line of an invoice.
type creditLine struct {
	position    int
	thousandths int64 // of a unit
}

// creditLines chooses some lines, and all or a part of each. The lines of an unissued invoice may have changed since, so for these
// it chooses a line and quantity that every invoice has.
func creditLines(rng *rand.Rand, inv profile) (chosen []creditLine) {
	if inv.IssuedAt != "" {
		back := len(inv.Lines) - 1 // takes a part of the first line off, if its quantity is below zero
		for i, line := range inv.Lines {
			if strings.HasPrefix(inv.Lines[back].Quantity, "-") && (i == 0 || i == back) {
				continue // without one of them, this credit note or the last one would be below zero
			}
			if rng.IntN(2) == 0 {
				chosen = append(chosen, creditLine{i + 1, max(1, thousandths(line.Quantity)/int64(1+rng.IntN(3)))})
			}
		}
	}
	if len(chosen) == 0 {
		return []creditLine{{1, 1}}
	}
	return chosen
}

// thousandths parses a quantity with up to three decimals.
func thousandths(quantity string) int64 {
	whole, decimals, _ := strings.Cut(quantity, ".")
	n, err := strconv.ParseInt(whole+(decimals + "000")[:3], 10, 64)
	if err != nil {
		panic(err) // the API returns only valid quantities
	}
	return n
}

// mailOf returns the intent with the commands for another mail about an invoice, to one recipient and to another.
func (in intent) mailOf(inv profile) intent {
	for n := range in.commands {
		in.commands[n] = command{
			method: http.MethodPost, path: invoicesPath + "/" + inv.ID + "/send", record: inv.ID,
			body: encode(map[string]any{"recipient": in.recipient(n)}),
		}
	}
	return in
}

// recipient returns an address that identifies the command of a mail.
func (in intent) recipient(command int) string {
	return fmt.Sprintf("intent-%d-command-%d@example.com", in.n, command)
}
