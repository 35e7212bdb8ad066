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

// answer is a complete answer. Its status is 0 if there was none.
type answer struct {
	status int
	header http.Header
	text   []byte
}

// exchange makes one attempt. A body has no GetBody, so the transport cannot send it a second time, and each attempt is seen.
func exchange(ctx context.Context, client *http.Client, method, url string, header http.Header, body []byte) (a answer, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return a, fmt.Errorf("make a request: %w", err)
	}
	if len(body) > 0 {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	request.Header = header
	response, err := client.Do(request)
	if err != nil {
		return a, fmt.Errorf("send a request: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		err = fmt.Errorf("read the answer: %w", err)
	}
	return answer{response.StatusCode, response.Header, text}, err
}

// busy reports whether the answer asks for a retry later.
func (a answer) busy() bool {
	return a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
}

// backOff waits after attempt n.
func (a answer) backOff(ctx context.Context, n int) {
	seconds, _ := strconv.Atoi(a.header.Get("Retry-After")) // 0 if missing
	Pause(ctx, max(time.Duration(seconds)*time.Second, time.Duration(min(n, 10))*25*time.Millisecond))
}

// ask makes one attempt at one replica, with or without a key.
func ask(ctx context.Context, client *http.Client, addr, key, token string, kind kind, c command) (attempt, answer) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	header := http.Header{"Content-Type": {"application/json"}}
	if kind.delivers() {
		sign(header, key, c.body)
	} else {
		header.Set("Authorization", "Bearer "+token)
	}
	if key != "" && !kind.delivers() {
		header.Set("Idempotency-Key", key)
	}
	if c.seen != 0 {
		header.Set("If-Match", etag(c.seen))
	}
	a, err := exchange(ctx, client, c.method, "http://"+addr+c.path, header, c.body)
	if err != nil {
		outcome := lost
		if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
			outcome = unsent
		}
		return attempt{Outcome: outcome, Status: a.status, Error: err.Error()}, answer{}
	}
	return read(kind, a), a
}

// etag formats the version of a record for headers.
func etag(version int) string { return fmt.Sprintf(`"v%d"`, version) }

func read(kind kind, a answer) attempt {
	seen := attempt{Status: a.status, Outcome: unexpected}
	var err error
	switch {
	case a.status >= http.StatusBadRequest:
		err = seen.readProblem(kind, a.header, a.text)
	case kind.delivers():
		err = seen.readKept(a.header, a.text)
	default:
		err = seen.readRecord(kind, a.header, a.text)
	}
	if err != nil {
		seen.Error = err.Error() + ": " + string(a.text)
	}
	return seen
}

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
