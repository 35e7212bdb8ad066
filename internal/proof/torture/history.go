package torture

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// outcome is what a client learned from one attempt.
type outcome string

const (
	created    outcome = "created"     // 201: done by this attempt
	existing   outcome = "existing"    // 200, a customer: there was one with this email
	replayed   outcome = "replayed"    // the stored answer again
	current    outcome = "current"     // 200: the result has expired, this is the record as it is now
	mismatch   outcome = "mismatch"    // 422: the key was used with another command
	done       outcome = "done"        // 200, a change: carried out by this attempt, if only to find nothing to change
	repeated   outcome = "repeated"    // 200, a change: carried out before; the stored answer, or the record as it is now
	stale      outcome = "stale"       // 412, a change: the record has another version than the one that was seen
	shown      outcome = "shown"       // 200, a record read
	conflict   outcome = "conflict"    // 409: the number or the reference is taken, or the amount is more than is left
	barred     outcome = "barred"      // 409: the state of the invoice or the customer does not allow it
	inProgress outcome = "in progress" // 409: the first attempt still runs
	refused    outcome = "refused"     // 503, 429: try again later
	lost       outcome = "lost"        // timeout, reset, half an answer, gave up
	unsent     outcome = "unsent"      // no connection: certainly nothing happened
	unexpected outcome = "unexpected"  // an answer that the contract does not know
)

// acknowledges reports whether the answer says that the intent's record exists.
func (o outcome) acknowledges() bool {
	switch o {
	case created, existing, replayed, current, done, repeated, mismatch:
		return true
	default:
		return false
	}
}

// original reports whether the answer shows the record as it was at first.
func (o outcome) original() bool { return o == created || o == existing || o == replayed }

// settles reports whether a client need not ask again.
func (o outcome) settles() bool {
	return o.acknowledges() || o == conflict || o == barred || o == stale || o == shown || o == unexpected
}

// unknown reports whether the request may have been carried out, or may still be. The first attempt that an answer says
// is in progress may be the same request, which a replica sent again after it had lost its connection to the database.
func (o outcome) unknown() bool { return o == lost || o == refused || o == inProgress }

// attempt is one request and what came back.
type attempt struct {
	Intent  int           `json:"intent"`
	Tenant  int           `json:"tenant"`
	Kind    kind          `json:"kind"`
	Command int           `json:"command"` // index into the commands of the intent
	Key     string        `json:"key,omitempty"`
	Record  string        `json:"record,omitempty"` // that it is about, or that is read
	Seen    int           `json:"seen,omitempty"`   // what If-Match said
	Asked   cents         `json:"asked,omitempty"`  // of a payment or a refund
	Lines   string        `json:"lines,omitempty"`  // of a credit note
	Replica int           `json:"replica"`
	Called  time.Duration `json:"called"`   // since the start of the run, in nanoseconds
	Done    time.Duration `json:"returned"` // likewise
	Outcome outcome       `json:"outcome"`
	Status  int           `json:"status,omitempty"`
	// ID is the record that the answer names: the intent's own, or the one that has the number.
	ID     string `json:"id,omitempty"`
	Number string `json:"number,omitempty"`
	Total  cents  `json:"total,omitempty"`  // of an invoice or a credit note, or the amount of a payment or a refund
	Digest string `json:"digest,omitempty"` // of the body of a 201, and of what a change answers
	Error  string `json:"error,omitempty"`
	// Problem is why it was refused, and Limit what an amount was beyond, with Open for how much that was: what is open
	// on an invoice, what is left of a payment, or of some line.
	Problem string `json:"problem,omitempty"`
	Limit   string `json:"limit,omitempty"`
	Open    cents  `json:"open,omitempty"`
	// Shown is the customer, the invoice or the payment that was answered; of one whose version was stale, that version is all
	// that is told.
	Shown profile `json:"shown,omitzero"`
}

// What an amount may be beyond.
const (
	byOpen    = "open"
	byPayment = "payment"
	byLine    = "line"
	byAll     = "all" // everything was credited
)

// mayPass reports whether the reason for the refusal may be gone later: after a refund, more is open and less is paid.
func (a attempt) mayPass() bool { return a.Limit == byOpen || a.Problem == "has-payments" }

// history is everything that the clients saw, in the order in which attempts ended.
type history struct {
	start time.Time

	mu       sync.Mutex
	attempts []attempt
}

func (h *history) now() time.Duration { return time.Since(h.start) }

func (h *history) add(a attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attempts = append(h.attempts, a)
}

// byIntent groups the attempts of n intents.
func (h *history) byIntent(n int) [][]attempt {
	grouped := make([][]attempt, n)
	for _, a := range h.attempts {
		if a.Kind != look {
			grouped[a.Intent] = append(grouped[a.Intent], a)
		}
	}
	return grouped
}

// write saves the history as JSON, one attempt a line.
func (h *history) write(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(file)
	for _, a := range h.attempts {
		if err := encoder.Encode(a); err != nil {
			_ = file.Close()
			return fmt.Errorf("save the history: %w", err)
		}
	}
	return file.Close()
}
