package torture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path"
	"strconv"
	"time"
)

// patience is how long a client waits for one answer.
const patience = time.Second

// ask makes one attempt at one replica. after is how long the server asks to wait before the next.
func ask(ctx context.Context, client *http.Client, addr, key, token, where string, body []byte) (seen attempt, after time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Without GetBody, the transport does not send the request again by itself: each attempt is ours.
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+where, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return attempt{Outcome: unsent, Error: err.Error()}, 0
	}
	request.ContentLength = int64(len(body))
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)

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
	return read(response, answer), time.Duration(seconds) * time.Second
}

// read turns an answer into what the client learned.
func read(response *http.Response, answer []byte) attempt {
	var body struct {
		ID         string `json:"id"`
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
	again := response.Header.Get("Idempotent-Replayed") == "true"
	switch {
	case response.StatusCode == http.StatusCreated:
		digest := sha256.Sum256(answer)
		seen.Digest = hex.EncodeToString(digest[:8])
		seen.Outcome = created
		if again {
			seen.Outcome = replayed
		}
	case response.StatusCode == http.StatusOK && again:
		seen.Outcome = current
	case response.StatusCode == http.StatusOK && body.Number == "":
		seen.Outcome = existing
	case response.StatusCode == http.StatusConflict && path.Base(body.Type) == "number-taken":
		seen.Outcome, seen.ID = conflict, body.ExistingID
	case response.StatusCode == http.StatusConflict && path.Base(body.Type) == "in-progress":
		seen.Outcome = inProgress
	case response.StatusCode == http.StatusUnprocessableEntity && path.Base(body.Type) == "key-reused":
		seen.Outcome, seen.ID = mismatch, body.ExistingID
	case response.StatusCode == http.StatusServiceUnavailable, response.StatusCode == http.StatusTooManyRequests:
		seen.Outcome, seen.Error = refused, path.Base(body.Type)
	default:
		seen.Error = string(answer)
	}
	return seen
}
