package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// kind is what an intent wants.
type kind int

const (
	allocated kind = iota // an invoice, its number chosen by the server
	typed                 // an invoice with a number that others may want as well
	contact               // a customer by email and name
	edit                  // another name for a customer who is there
	archive               // a customer who is there taken out of the lists
	restore               // and brought back
	redraft               // another content for an invoice that is a draft
	issue                 // a draft issued
	void                  // an invoice voided
	pay                   // a payment of an invoice
	refund                // some of a payment given back
	credit                // a credit note for an invoice
	send                  // one more mail about an invoice
	business              // another name for the business itself, in its settings
	paid                  // an event of a webhook: an invoice was paid
	returned              // and one that some of a payment was given back
	look                  // to read a record: part of other intents, and none of its own
	unpay                 // what a refund does to the invoice of its payment: likewise
)

// changes reports whether the kind makes a new version of a record that is there.
func (k kind) changes() bool {
	return k.edits() || k == archive || k == restore || k == issue || k == void
}

// edits reports whether the kind is a change with a content.
func (k kind) edits() bool { return k == edit || k == redraft || k == business }

// creates reports whether the kind makes an invoice.
func (k kind) creates() bool { return k == allocated || k == typed }

// onInvoice reports whether the kind is about an invoice that is there.
func (k kind) onInvoice() bool {
	return k == redraft || k == issue || k == void || k == pay || k == credit || k == send || k == paid
}

// posts reports whether the kind makes a record that is posted to the ledger of an invoice.
func (k kind) posts() bool { return k == pay || k == refund || k == credit }

// delivers reports whether the kind is an event that is delivered to a webhook.
func (k kind) delivers() bool { return k == paid || k == returned }

// belongs reports whether the kind makes a record that belongs to one that is there.
func (k kind) belongs() bool { return k.posts() || k == send }

func (k kind) String() string {
	return [...]string{
		"invoice, number allocated", "invoice, number typed", "customer by email", "customer edited", "customer archived",
		"customer restored", "invoice edited", "invoice issued", "invoice voided", "payment", "refund", "credit note", "mail sent again",
		"settings edited", "event: payment", "event: refund", "record read", "invoice of a refund",
	}[k]
}

// tenants of the demo data, by their API tokens.
var tokens = [...]string{"oo_demo_acme", "oo_demo_globex"}

// intent is one wish, and how impatiently it is pursued.
type intent struct {
	n      int // counts from 0
	kind   kind
	tenant int    // index into tokens
	key    string // "" to send none, which a change may do
	// The first command, and another one under the same key.
	commands [2]command
	email    string // of the customer that exists afterwards, in lower case
	number   string // typed
	// reference is the one of a payment, or of an event about one, which others may want as well; "" for none.
	reference string
	change    change

	senders int  // how many ask for it at the same time, on both replicas
	repeats int  // how often it is asked for again after it was answered
	reuse   bool // and whether the other command is then sent
}

// command is what a request asks for.
type command struct {
	method string
	path   string
	body   []byte
	record string // that a change, a payment, a refund or a credit note is about
	seen   int    // the version of it that If-Match names; 0 for no If-Match
	asked  cents  // of a payment, a refund or an event
	lines  string // of a credit note, see [creditLine]; "" for all that is left
}

// Each use of random numbers has its own stream: the intents have the low ones, by number.
const (
	faultStreams  = 1 << 40
	clientStreams = 1 << 41
)

func dice(seed uint64, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(stream))) //nolint:gosec // it has to be repeatable, not secret
}

// imagine returns the nth intent of a run. The same seed gives the same intents. What is about a
// record that is there gets its commands when it begins, because only then is it known which records are there: see [intent.about].
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

// anyKind decides what is wanted.
func anyKind(rng *rand.Rand) kind {
	dice := rng.IntN(100)
	for k, odds := range [...]int{
		allocated: 17, typed: 10, contact: 5, edit: 9, archive: 4, restore: 4, redraft: 7, issue: 8, void: 3, pay: 11, refund: 5,
		credit: 4, send: 3, business: 2, paid: 5, returned: 3,
	} {
		if dice -= odds; dice < 0 {
			return kind(k)
		}
	}
	panic("unreachable: the odds add up to 100")
}

// anyYear is mostly the first of three.
func anyYear(rng *rand.Rand) int { return 2026 + max(0, rng.IntN(10)-7) }

// typedNumber is sometimes one of a person's own, wanted by a handful of other intents, and sometimes
// one of the series, which gets there sooner or later.
func typedNumber(rng *rand.Rand, year, n int) string {
	if rng.IntN(2) == 0 {
		return fmt.Sprintf("T-%d", n/40*2+rng.IntN(4))
	}
	return fmt.Sprintf("%d-%04d", year, 30+n/12+rng.IntN(200))
}

// person sometimes writes the email in capitals, and is one of several in a mailbox.
func person(rng *rand.Rand, email string) map[string]any {
	if rng.IntN(3) == 0 {
		email = strings.ToUpper(email)
	}
	return map[string]any{"email": email, "name": fmt.Sprint("Customer ", rng.IntN(2)), "same_email": true}
}

func invoiceBody(rng *rand.Rand, in intent, year int) map[string]any {
	var lines []map[string]string
	for range 1 + rng.IntN(3) {
		lines = append(lines, map[string]string{
			"description": "Work",
			"quantity":    fmt.Sprintf("%d.%03d", rng.IntN(20), 1+rng.IntN(999)),
			"unit_price":  fmt.Sprintf("%d.%02d", rng.IntN(200), rng.IntN(100)),
			"tax_rate":    []string{"23", "7.5", "0"}[rng.IntN(3)],
		})
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

// content returns which command of which intent it came from: the notes of an invoice, the name that an edit gives a
// customer.
func content(n, command int) string { return fmt.Sprintf("intent %d command %d", n, command) }

func encode(body map[string]any) []byte {
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and maps of them always encode
	}
	return encoded
}

// operation is the name under which the server knows what is wanted.
func (k kind) operation() string {
	switch k {
	case contact:
		return "customer.upsert"
	case edit:
		return "customer.edit"
	case archive:
		return "customer.archive"
	case restore:
		return "customer.restore"
	case redraft:
		return "invoice.edit"
	case issue:
		return "invoice.issue"
	case void:
		return "invoice.void"
	case pay:
		return "payment.create"
	case refund:
		return "refund.create"
	case credit:
		return "credit_note.create"
	case send:
		return "mail.send"
	case business:
		return "settings.edit"
	case paid, returned:
		return "webhook.receive"
	default:
		return "invoice.create"
	}
}
