package torture

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
)

type kind int

const (
	allocated kind = iota // an invoice, its number chosen by the server
	typed                 // an invoice with a number that other intents may also want
	contact               // a customer, by email and name
	edit                  // a new name for an existing customer
	archive               // removes a customer from the lists
	restore               // restores an archived customer
	redraft               // new content for a draft
	issue                 // issues a draft
	void                  // voids an invoice
	pay                   // records a payment of an invoice
	refund                // refunds a part of a payment
	credit                // a credit note for an invoice
	send                  // sends an invoice again
	business              // a new name for the business, in its settings
	paid                  // a webhook event: an invoice was paid
	returned              // a webhook event: a part of a payment was refunded
	look                  // reads a record, as part of other intents
	unpay                 // the effect of a refund on its payment's invoice, as part of refund
)

// changes reports whether the kind makes a new version of an existing record.
func (k kind) changes() bool {
	return k.edits() || k == archive || k == restore || k == issue || k == void
}

// edits reports whether the kind is a change with content.
func (k kind) edits() bool { return k == edit || k == redraft || k == business }

func (k kind) creates() bool { return k == allocated || k == typed }

// onInvoice reports whether the kind is about an existing invoice.
func (k kind) onInvoice() bool {
	return k == redraft || k == issue || k == void || k == pay || k == credit || k == send || k == paid
}

// posts reports whether the kind creates a record that is posted to the ledger of an invoice.
func (k kind) posts() bool { return k == pay || k == refund || k == credit }

// delivers reports whether the kind is a webhook event.
func (k kind) delivers() bool { return k == paid || k == returned }

// belongs reports whether the kind creates a record that belongs to an existing one.
func (k kind) belongs() bool { return k.posts() || k == send }

// kinds has, for each kind, its name in reports, the server's name for the operation, how often it is chosen in a hundred, the problem
// type of an amount that exceeds its limit, and those of a state of the record that does not allow it.
var kinds = [...]struct {
	name, operation string
	odds            int
	excess          string
	barriers        []string
}{
	allocated: {"invoice, number allocated", "invoice.create", 17, "", []string{customerArchived}},
	typed:     {"invoice, number typed", "invoice.create", 10, "", []string{customerArchived}},
	contact:   {"customer by email", "customer.upsert", 5, "", []string{customerArchived}},
	edit:      {"customer edited", "customer.edit", 9, "", nil},
	archive:   {"customer archived", "customer.archive", 4, "", nil},
	restore:   {"customer restored", "customer.restore", 4, "", nil},
	redraft:   {"invoice edited", "invoice.edit", 7, "", []string{"not-draft"}},
	issue:     {"invoice issued", "invoice.issue", 8, "", []string{"not-draft"}},
	void:      {"invoice voided", "invoice.void", 3, "", []string{"has-payments", "has-credit-notes"}},
	pay:       {"payment", "payment.create", 11, "exceeds-open-amount", []string{"not-issued"}},
	refund:    {"refund", "refund.create", 5, "exceeds-payment", []string{becameCredit}},
	credit:    {"credit note", "credit_note.create", 4, "exceeds-invoice", []string{"not-issued"}},
	send:      {"mail sent again", "mail.send", 3, "", []string{"not-issued"}},
	business:  {"settings edited", "settings.edit", 2, "", nil},
	paid:      {"event: payment", "webhook.receive", 5, "", nil},
	returned:  {"event: refund", "webhook.receive", 3, "", nil},
	look:      {name: "record read"},
	unpay:     {name: "invoice of a refund"},
}

const (
	customerArchived = "customer-differs"
	becameCredit     = "became-credit"
)

func (k kind) String() string { return kinds[k].name }

func (k kind) operation() string { return kinds[k].operation }

// tokens are the API tokens of the demo data's tenants.
var tokens = [...]string{"oo_demo_acme", "oo_demo_globex"}

// intent is one wish, with the number of its senders and repeats.
type intent struct {
	n      int // counts from 0
	kind   kind
	tenant int    // index into tokens
	key    string // "" for none, which a change may have
	// The first command, and another one under the same key.
	commands [2]command
	email    string // of the customer that exists afterwards, in lower case
	number   string // of an invoice, if typed
	// reference is the reference of a payment, or of an event about one. Other intents may also want it. It may be "".
	reference string
	change    change

	senders int  // concurrent requests, on both replicas
	repeats int  // requests after it was answered
	reuse   bool // finally sends the other command
}

// command is the request of an intent.
type command struct {
	method string
	path   string
	body   []byte
	record string // changed, or the parent of a payment, a refund or a credit note
	seen   int    // the version in If-Match; 0 for no If-Match
	asked  cents  // of a payment, a refund or an event
	lines  string // of a credit note, see [creditLine]; "" for all that remains
}

// Streams of random numbers. Low streams belong to the intents, by number.
const (
	faultStreams  = 1 << 40
	clientStreams = 1 << 41
)

func dice(seed uint64, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(stream))) //nolint:gosec // it must be repeatable, not secret
}

// imagine returns the nth intent of a run. It depends only on the seed. An intent about an existing record gets its commands when
// it begins, because the records are unknown before: see [intent.about].
func imagine(seed uint64, n int) intent {
	rng := dice(seed, n)
	in := intent{n: n, tenant: rng.IntN(len(tokens)), key: fmt.Sprintf("torture-%d-%d", seed, n), senders: 1}
	in.email = fmt.Sprintf("customer-%d@example.com", rng.IntN(2000))
	in.kind = anyKind(rng)
	if rng.IntN(4) == 0 {
		in.senders = 2 + rng.IntN(3)
	}
	if rng.IntN(5) == 0 {
		in.repeats = 1 + rng.IntN(2)
		in.reuse = rng.IntN(2) == 0
	}
	switch {
	case in.kind.changes():
		return in.changing(rng)
	case in.kind.belongs():
		return in.belonging(rng)
	case in.kind.delivers():
		return in.delivering(rng)
	}
	if in.kind == contact {
		body := person(rng, in.email)
		for n, name := range [2]string{"Customer", "Somebody else"} {
			body["name"] = name
			in.commands[n] = command{method: http.MethodPost, path: customersPath, body: encode(body)}
		}
		return in
	}
	year := anyYear(rng)
	if in.kind == typed {
		in.number = typedNumber(rng, year, n)
	}
	body := invoiceBody(rng, in, year)
	for i := range in.commands {
		body["notes"] = content(n, i)
		in.commands[i] = command{method: http.MethodPost, path: invoicesPath, body: encode(body)}
	}
	return in
}

// anyKind chooses the kind of an intent.
func anyKind(rng *rand.Rand) kind {
	dice := rng.IntN(100)
	for k, of := range kinds {
		if dice -= of.odds; dice < 0 {
			return kind(k)
		}
	}
	panic("unreachable: the odds add up to 100")
}

// anyYear returns one of three years, mostly the first.
func anyYear(rng *rand.Rand) int { return 2026 + max(0, rng.IntN(10)-7) }

// typedNumber returns a number outside the series that a handful of other intents want, or one that the series reaches sooner or
// later.
func typedNumber(rng *rand.Rand, year, n int) string {
	if rng.IntN(2) == 0 {
		return fmt.Sprintf("T-%d", n/40*2+rng.IntN(4))
	}
	return fmt.Sprintf("%d-%04d", year, 30+n/12+rng.IntN(200))
}

// person returns a customer. The email is sometimes in capitals, and several customers share it.
func person(rng *rand.Rand, email string) map[string]any {
	if rng.IntN(3) == 0 {
		email = strings.ToUpper(email)
	}
	return map[string]any{"email": email, "name": fmt.Sprint("Customer ", rng.IntN(2)), "same_email": true}
}

func invoiceBody(rng *rand.Rand, in intent, year int) map[string]any {
	var lines []map[string]string
	for range 1 + rng.IntN(3) {
		tax := [][2]string{{"23", ""}, {"7.5", "standard"}, {"0", "reverse_charge"}}[rng.IntN(3)] // rate, treatment
		lines = append(lines, map[string]string{
			"description": "Work",
			"quantity":    fmt.Sprintf("%d.%03d", rng.IntN(20), 1+rng.IntN(999)),
			"unit_price":  fmt.Sprintf("%d.%02d", rng.IntN(200), rng.IntN(100)),
			"tax_rate":    tax[0], "tax_treatment": tax[1],
			"unit": []string{"", "HUR"}[rng.IntN(2)], "discount": []string{"", "", "12.5%"}[rng.IntN(3)],
		})
	}
	if rng.IntN(4) == 0 { // never below zero
		back := maps.Clone(lines[0])
		back["quantity"] = "-0.001"
		lines = append(lines, back)
	}
	return map[string]any{
		"number":     in.number,
		"customer":   person(rng, in.email),
		"issue_date": fmt.Sprintf("%d-11-21", year),
		"due_date":   fmt.Sprintf("%d-12-21", year),
		"currency":   "EUR",
		"lines":      lines,
	}
}

// content identifies a command of an intent. It is used in the notes of an invoice and as the new name of a customer.
func content(n, command int) string { return fmt.Sprintf("intent %d command %d", n, command) }

func encode(body map[string]any) []byte {
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings, and maps of strings, always encode
	}
	return encoded
}
