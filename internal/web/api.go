package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

// writeJSON answers with a JSON document.
func writeJSON(w http.ResponseWriter, status int, contentType string, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone, and its retry will be answered
	return nil
}

// problemJSON is a problem document of RFC 9457.
type problemJSON struct {
	Type        string           `json:"type"`
	Title       string           `json:"title"`
	Status      int              `json:"status"`
	Detail      string           `json:"detail"`
	Docs        string           `json:"docs,omitzero"`
	ExistingID  string           `json:"existing_id,omitzero"`
	ExistingURL string           `json:"existing_url,omitzero"`
	Others      []conflict.Other `json:"others,omitzero"`
	Differing   []string         `json:"differing,omitzero"`
	Errors      []invalid.Field  `json:"errors,omitzero"`
	RequestID   string           `json:"request_id,omitzero"`

	Members map[string]string `json:",embed"` // of the kind of conflict
}

// failJSON answers an error of the API with a problem document.
func (s *Server) failJSON(w http.ResponseWriter, r *http.Request, err error) {
	s.writeProblem(w, r, err, "")
}

// writeProblem is failJSON for an error that may be about a record, whose address has its id at {id}.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error, record string) {
	kind := s.classify(r, err)
	finish(r)
	doc := problemJSON{
		Type: s.Path + "/problems/" + kind.Slug, Title: kind.Title, Status: kind.Status, Detail: kind.Meaning, RequestID: requestID(r),
	}
	existing := uuid.Nil
	var problems *invalid.Error
	var mismatch *idempotency.MismatchError
	var refused *conflict.Error
	switch {
	case errors.As(err, &problems):
		doc.Errors = problems.Fields
	case errors.As(err, &mismatch):
		existing = mismatch.Record
	case errors.As(err, &refused):
		existing, doc.Members = refused.Existing, refused.Members
		doc.Others, doc.Differing = refused.Others, refused.Differing
		if refused.Many != "" {
			record = apiPrefix + "/" + refused.Many + "/{id}"
		}
		doc.Detail = refused.Title + " " + refused.Text
	case errors.Is(err, ErrMalformed), errors.Is(err, errTooLarge), errors.Is(err, idempotency.ErrMalformedKey):
		doc.Detail = err.Error()
	}
	if existing != uuid.Nil {
		doc.ExistingID, doc.ExistingURL = existing.String(), s.Path+strings.ReplaceAll(record, "{id}", existing.String())
	}
	if kind.Slug == keyMissing.Slug {
		doc.Docs = s.Path + docsPath
	}
	retryAfter(w, kind)
	if kind.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	_ = writeJSON(w, kind.Status, "application/problem+json", doc)
}
