package torture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"time"
)

// answerTimeout bounds the wait of a client for one answer.
const answerTimeout = time.Second

// ask makes one attempt at one replica, with or without a key. after is the server's Retry-After.
func ask(ctx context.Context, client *http.Client, addr, key, token string, kind kind, c command) (seen attempt, after time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	// Without GetBody, the transport cannot send the request a second time, so that each attempt is recorded.
	request, err := http.NewRequestWithContext(ctx, c.method, "http://"+addr+c.path, io.NopCloser(bytes.NewReader(c.body)))
	if err != nil {
		return attempt{Outcome: unsent, Error: err.Error()}, 0
	}
	request.ContentLength = int64(len(c.body))
	request.Header.Set("Content-Type", "application/json")
	if kind.delivers() {
		sign(request.Header, key, c.body)
	} else {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" && !kind.delivers() {
		request.Header.Set("Idempotency-Key", key)
	}
	if c.seen != 0 {
		request.Header.Set("If-Match", etag(c.seen))
	}

	response, err := client.Do(request)
	if err != nil {
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			return attempt{Outcome: unsent, Error: err.Error()}, 0
		}
		return attempt{Outcome: lost, Error: err.Error()}, 0
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return attempt{Outcome: lost, Status: response.StatusCode, Error: err.Error()}, 0
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 if missing
	return read(kind, response, answer), time.Duration(seconds) * time.Second
}

// etag formats the version of a record for headers.
func etag(version int) string { return fmt.Sprintf(`"v%d"`, version) }

// read interprets an answer.
func read(kind kind, response *http.Response, answer []byte) attempt {
	seen := attempt{Status: response.StatusCode, Outcome: unexpected}
	var err error
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		err = seen.readProblem(kind, response.Header, answer)
	case kind.delivers():
		err = seen.readKept(response.Header, answer)
	default:
		err = seen.readRecord(kind, response.Header, answer)
	}
	if err != nil {
		seen.Error = err.Error() + ": " + string(answer)
	}
	return seen
}

// readRecord reads an answer with a record.
func (a *attempt) readRecord(kind kind, header http.Header, answer []byte) error {
	var record profile
	if err := json.Unmarshal(answer, &record); err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	if tag := header.Get("ETag"); tag != etag(record.Version) {
		return fmt.Errorf("ETag %s of version %d", tag, record.Version)
	}
	a.ID, a.Number, a.Total = record.ID, record.Number, max(record.Total, record.Amount)
	if !kind.belongs() || kind == pay { // no intent changes the other records
		a.Shown = record
	}
	digest := sha256.Sum256(answer)
	again := header.Get("Idempotent-Replayed") == "true"
	switch {
	case a.Status == http.StatusCreated && again:
		a.Outcome = replayed
	case a.Status == http.StatusCreated:
		a.Outcome = created
	case kind == look:
		a.Outcome = shown
	case kind.changes() && again:
		a.Outcome = repeated
	case kind.changes():
		a.Outcome = done
	case again:
		a.Outcome = current
	case kind == contact:
		a.Outcome = existing
	default:
		return errors.New("not an answer to this")
	}
	if a.Status == http.StatusCreated || kind.changes() {
		a.Digest = hex.EncodeToString(digest[:8])
	}
	return nil
}

// readProblem reads a refusal.
func (a *attempt) readProblem(kind kind, header http.Header, answer []byte) error {
	var problem struct {
		Type       string `json:"type"`
		ExistingID string `json:"existing_id"`
		Open       *cents `json:"open"`
		Left       string `json:"left"` // of a payment, or of a quantity
	}
	if err := json.Unmarshal(answer, &problem); err != nil {
		return fmt.Errorf("read the problem: %w", err)
	}
	a.Problem = path.Base(problem.Type)
	switch name := a.Problem; {
	case a.Status == http.StatusPreconditionFailed && kind.changes() && name == "changed-meanwhile":
		a.Outcome = stale
		_, _ = fmt.Sscanf(header.Get("ETag"), `"v%d"`, &a.Shown.Version) // 0 if it could no longer be read
	case a.Status == http.StatusConflict && name == "in-progress":
		a.Outcome = inProgress
	case a.Status == http.StatusConflict && (kind.creates() && name == "number-taken" || kind == pay && name == "payment-taken"):
		a.Outcome, a.ID = conflict, problem.ExistingID
	case a.Status == http.StatusConflict && name != "" && name == kinds[kind].excess:
		a.Outcome = conflict
		return a.readLimit(kind, problem.Open, problem.Left)
	case a.Status == http.StatusConflict && slices.Contains(kinds[kind].barriers, name):
		a.Outcome = barred
	case a.Status == http.StatusUnprocessableEntity && name == "key-reused":
		a.Outcome, a.ID = mismatch, problem.ExistingID
	case a.Status == http.StatusServiceUnavailable, a.Status == http.StatusTooManyRequests:
		a.Outcome, a.Error = refused, name
	default:
		return errors.New("not in the contract")
	}
	return nil
}

// readLimit reads the limit that an amount exceeded.
func (a *attempt) readLimit(kind kind, open *cents, left string) error {
	switch {
	case kind == refund:
		a.Limit = byPayment
		return a.Open.UnmarshalText([]byte(left))
	case open != nil:
		a.Limit, a.Open = byOpen, *open
	case kind == pay:
		return errors.New("it does not say what is open")
	case left != "":
		a.Limit = byLine
	default:
		a.Limit = byAll
	}
	return nil
}
