package torture

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// outcome is the meaning of an attempt's answer.
type outcome string

const (
	created    outcome = "created"     // 201: done by this attempt
	existing   outcome = "existing"    // 200, a customer: one with this email existed
	replayed   outcome = "replayed"    // the stored answer again
	current    outcome = "current"     // 200: the result has expired; the current record
	mismatch   outcome = "mismatch"    // 422: the key was used with another command
	done       outcome = "done"        // 200, a change: carried out by this attempt, even if nothing had to change
	repeated   outcome = "repeated"    // 200, a change: carried out before; the stored answer, or the current record
	stale      outcome = "stale"       // 412, a change: the record no longer has the seen version
	shown      outcome = "shown"       // 200, a record read
	conflict   outcome = "conflict"    // 409: the number or the reference is taken, or the amount is too high
	barred     outcome = "barred"      // 409: the state of the invoice or the customer does not allow it
	inProgress outcome = "in progress" // 409: the first attempt still runs
	refused    outcome = "refused"     // 503, 429: retry later
	lost       outcome = "lost"        // timeout, reset, partial answer, or given up
	unsent     outcome = "unsent"      // no connection: certainly without effect
	unexpected outcome = "unexpected"  // an answer outside the contract
)

// acknowledges reports whether the answer confirms that the intent's record exists.
func (o outcome) acknowledges() bool {
	switch o {
	case created, existing, replayed, current, done, repeated, mismatch:
		return true
	default:
		return false
	}
}

// original reports whether the answer shows the original state of the record.
func (o outcome) original() bool { return o == created || o == existing || o == replayed }

// settles reports whether no retry is needed.
func (o outcome) settles() bool {
	return o.acknowledges() || o == conflict || o == barred || o == stale || o == shown || o == unexpected
}

// unknown reports whether the request may have been carried out, or still may be. An answer "in progress" may refer to this same
// request, if a replica sent it again after losing its database connection.
func (o outcome) unknown() bool { return o == lost || o == refused || o == inProgress }

// attempt is one request with its answer.
type attempt struct {
	Intent  int           `json:"intent"`
	Tenant  int           `json:"tenant"`
	Kind    kind          `json:"kind"`
	Command int           `json:"command"` // index into the commands of the intent
	Key     string        `json:"key,omitempty"`
	Record  string        `json:"record,omitempty"` // that it changes, belongs to or reads
	Seen    int           `json:"seen,omitempty"`   // from If-Match
	Asked   cents         `json:"asked,omitempty"`  // of a payment or a refund
	Lines   string        `json:"lines,omitempty"`  // of a credit note
	Replica int           `json:"replica"`
	Called  time.Duration `json:"called"`   // since the start of the run, in nanoseconds
	Done    time.Duration `json:"returned"` // in the same unit
	Outcome outcome       `json:"outcome"`
	Status  int           `json:"status,omitempty"`
	// ID is the record in the answer: the intent's own, or the one that has the number.
	ID     string `json:"id,omitempty"`
	Number string `json:"number,omitempty"`
	Total  cents  `json:"total,omitempty"`  // of an invoice or a credit note, or the amount of a payment or a refund
	Digest string `json:"digest,omitempty"` // of the body of a 201, and of the answer to a change
	Error  string `json:"error,omitempty"`
	// Problem is the reason of a refusal. Limit is the limit that an amount exceeded, and Open its value: the open amount of an
	// invoice, or the rest of a payment or a line.
	Problem string `json:"problem,omitempty"`
	Limit   string `json:"limit,omitempty"`
	Open    cents  `json:"open,omitempty"`
	// Shown is the customer, the invoice or the payment in the answer. After a stale version it holds only the current version.
	Shown profile `json:"shown,omitzero"`
}

// The limits of an amount.
const (
	byOpen    = "open"
	byPayment = "payment"
	byLine    = "line"
	byAll     = "all" // everything was credited
)

// mayPass reports whether the reason for the refusal may disappear: after a refund, more is open and less is paid, and after a payment,
// more is paid.
func (a attempt) mayPass() bool {
	return a.Limit == byOpen || a.Problem == "has-payments" || a.Problem == becameCredit
}

// history holds all attempts, in the order in which they ended.
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

func (h *history) byIntent(n int) [][]attempt {
	grouped := make([][]attempt, n)
	for _, a := range h.attempts {
		if a.Kind != look {
			grouped[a.Intent] = append(grouped[a.Intent], a)
		}
	}
	return grouped
}

// write saves the history as JSON lines.
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
