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
	"strconv"
	"time"
)

// patience is how long a client waits for one answer.
const patience = time.Second

// ask makes one attempt at one replica, with a key or none. after is how long the server asks to wait before the
// next.
func ask(ctx context.Context, client *http.Client, addr, key, token string, kind kind, c command) (seen attempt, after time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Without GetBody, the transport does not send the request again by itself: each attempt is ours.
	request, err := http.NewRequestWithContext(ctx, c.method, "http://"+addr+c.path, io.NopCloser(bytes.NewReader(c.body)))
	if err != nil {
		return attempt{Outcome: unsent, Error: err.Error()}, 0
	}
	request.ContentLength = int64(len(c.body))
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
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
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 without one
	return read(kind, response, answer), time.Duration(seconds) * time.Second
}

// etag is how the version of a record is written in headers.
func etag(version int) string { return fmt.Sprintf(`"v%d"`, version) }

// read turns an answer into what the client learned.
func read(kind kind, response *http.Response, answer []byte) attempt {
	var body struct {
		profile

		Number     string `json:"number"`
		Total      string `json:"total"`
		Type       string `json:"type"`
		ExistingID string `json:"existing_id"`
	}
	seen := attempt{Status: response.StatusCode, Outcome: unexpected}
	if err := json.Unmarshal(answer, &body); err != nil {
		seen.Error = "not JSON: " + string(answer)
		return seen
	}
	seen.ID, seen.Number, seen.Total = body.ID, body.Number, body.Total
	digest := sha256.Sum256(answer)
	again := response.Header.Get("Idempotent-Replayed") == "true"
	tag, problem := response.Header.Get("ETag"), path.Base(body.Type)
	switch code := response.StatusCode; {
	case (code == http.StatusOK || code == http.StatusCreated) && tag != etag(body.Version):
		seen.Error = fmt.Sprintf("ETag %s of version %d", tag, body.Version)
	case code == http.StatusCreated:
		seen.Digest, seen.Outcome = hex.EncodeToString(digest[:8]), created
		if kind == contact {
			seen.Customer = body.profile
		}
		if again {
			seen.Outcome = replayed
		}
	case code == http.StatusOK && kind == look:
		seen.Outcome, seen.Customer = shown, body.profile
	case code == http.StatusOK && kind.changes():
		seen.Digest, seen.Customer = hex.EncodeToString(digest[:8]), body.profile
		seen.Outcome = done
		if again {
			seen.Outcome = repeated
		}
	case code == http.StatusOK && again:
		seen.Outcome = current
	case code == http.StatusOK && body.Number == "":
		seen.Outcome, seen.Customer = existing, body.profile
	case code == http.StatusPreconditionFailed && kind.changes() && problem == "changed-meanwhile":
		seen.Outcome = stale
		_, _ = fmt.Sscanf(tag, `"v%d"`, &seen.Customer.Version) // none if it could not be read any more
	case code == http.StatusConflict && problem == "number-taken":
		seen.Outcome, seen.ID = conflict, body.ExistingID
	case code == http.StatusConflict && problem == "in-progress":
		seen.Outcome = inProgress
	case code == http.StatusUnprocessableEntity && problem == "key-reused":
		seen.Outcome, seen.ID = mismatch, body.ExistingID
	case code == http.StatusServiceUnavailable, code == http.StatusTooManyRequests:
		seen.Outcome, seen.Error = refused, problem
	default:
		seen.Error = string(answer)
	}
	return seen
}
