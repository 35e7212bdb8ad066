package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
)

// headerKey finds the key of an API request: exactly one Idempotency-Key header.
func headerKey(r *http.Request) (idempotency.Key, error) {
	values := r.Header.Values("Idempotency-Key")
	switch len(values) {
	case 0:
		return idempotency.Key{}, idempotency.ErrNoKey
	case 1:
		return idempotency.ParseHeaderKey(values[0])
	default:
		return idempotency.Key{}, fmt.Errorf("%w: more than one Idempotency-Key header", idempotency.ErrMalformedKey)
	}
}

// writeJSON answers with a JSON document.
func writeJSON(w http.ResponseWriter, status int, contentType string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone, and its retry will be answered
	return nil
}

// replayed marks an answer that an earlier request produced.
func replayed(w http.ResponseWriter, yes bool) {
	if yes {
		w.Header().Set("Idempotent-Replayed", "true")
	}
}

// problemJSON is a problem document of RFC 9457.
type problemJSON struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Status      int             `json:"status"`
	Detail      string          `json:"detail"`
	Docs        string          `json:"docs,omitempty"`
	ExistingID  string          `json:"existing_id,omitempty"`
	ExistingURL string          `json:"existing_url,omitempty"`
	NextNumber  string          `json:"next_number,omitempty"`
	Errors      []invalid.Field `json:"errors,omitempty"`
	RequestID   string          `json:"request_id,omitempty"`
}

// failJSON answers an error of the API with a problem document.
func (s *Server) failJSON(w http.ResponseWriter, r *http.Request, err error) {
	kind := s.classify(r, err)
	finish(r.Body)
	doc := problemJSON{
		Type: "/problems/" + kind.slug, Title: kind.title, Status: kind.status, Detail: kind.meaning,
		RequestID: requestID(r),
	}
	var problems *invalid.Error
	var mismatch *idempotency.MismatchError
	var taken *invoice.NumberTakenError
	switch {
	case errors.As(err, &problems):
		doc.Errors = problems.Fields
	case errors.As(err, &mismatch):
		doc.ExistingID, doc.ExistingURL = mismatch.Record.String(), r.URL.Path+"/"+mismatch.Record.String()
	case errors.As(err, &taken):
		doc.Detail = "Invoice number " + taken.Existing.Number + " already exists. We kept the original and did not create a second one."
		doc.ExistingID, doc.ExistingURL = taken.Existing.ID.String(), r.URL.Path+"/"+taken.Existing.ID.String()
		doc.NextNumber = taken.Next
	case errors.Is(err, errMalformed), errors.Is(err, errTooLarge), errors.Is(err, idempotency.ErrMalformedKey):
		doc.Detail = err.Error()
	}
	if kind.slug == keyMissing.slug {
		doc.Docs = "/docs/api"
	}
	retryAfter(w, kind)
	if kind.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	_ = writeJSON(w, kind.status, "application/problem+json", doc)
}

// listParameters reads which page of a list is wanted: limit is 1 to 100, cursor the id of a row. Its error is
// an [*invalid.Error].
func listParameters(r *http.Request) (before uuid.UUID, limit int, err error) {
	before, limit = uuid.Max, 25
	var problems invalid.Error
	query := r.URL.Query()
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 100 || len(query["limit"]) > 1 {
			problems.Add("/limit", "Enter one limit from 1 to 100.")
		}
	}
	if text := query.Get("cursor"); text != "" {
		if before, err = uuid.Parse(text); err != nil || len(query["cursor"]) > 1 {
			problems.Add("/cursor", "Use the next_cursor of one earlier page.")
		}
	}
	return before, limit, problems.Err()
}
