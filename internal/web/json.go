package web

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

// DecodeJSON reads exactly one JSON object into v. Members must have the exact names of v's fields, and be unique. A value that does not
// fit into v is refused where it begins, so that v, and maxRepeats for each array, bound the cost of a body. It returns ErrMalformed,
// errTooLarge, errWrongType, an [*invalid.Error] for a value of another type than its member, or the error of reading the body.
//
// The decoder is the one that becomes encoding/json/v2: encoding/json itself takes members that come twice
// and any capitalisation of a name.
func DecodeJSON(r *http.Request, v any) error {
	types := r.Header.Values("Content-Type")
	if len(types) != 1 {
		return errWrongType
	}
	if mediaType, _, err := mime.ParseMediaType(types[0]); err != nil || mediaType != "application/json" {
		return errWrongType
	}
	err := json.UnmarshalRead(r.Body, v, strictJSON)
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, errCrowded):
		return fmt.Errorf("read body: %w", err)
	case errors.Is(err, errTooLarge):
		return fmt.Errorf("%w: %s", errTooLarge, placeJSON(err))
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok && semantic.JSONPointer != "" && semantic.GoType != nil &&
		!errors.Is(err, json.ErrUnknownName) {
		var problems invalid.Error
		problems.Add(string(semantic.JSONPointer), "Send "+jsonType(semantic.GoType)+" here.")
		return problems.Err()
	}
	return fmt.Errorf("%w: %s", ErrMalformed, placeJSON(err))
}

// jsonType names the JSON that a value of a Go type is made of.
func jsonType(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Pointer:
		return jsonType(of.Elem())
	case reflect.Struct:
		return "an object"
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "a string with Base64"
		}
		return "an array"
	case reflect.Int:
		return "a whole number"
	default: // commands have no others
		return "a string"
	}
}

// strictJSON remembers how each type is decoded, so there is one for all requests.
var strictJSON = json.JoinOptions(json.RejectUnknownMembers(true), json.WithUnmarshalers(json.UnmarshalFromFunc(boundJSON)))

// boundJSON is asked before each value is decoded into v.
func boundJSON(d *jsontext.Decoder, v any) error {
	if kind, length := d.StackIndex(d.StackDepth()); kind == jsontext.KindBeginArray && length >= maxRepeats {
		return errTooLarge
	}
	if _, isText := v.(*string); isText {
		// Otherwise the whole value would be read before its type is refused.
		switch d.PeekKind() {
		case jsontext.KindBeginObject:
			return errors.New("an object where text belongs")
		case jsontext.KindBeginArray:
			return errors.New("an array where text belongs")
		default:
		}
	}
	return errors.ErrUnsupported // decode as usual
}

// placeJSON returns the error and its place with a bounded length: both quote the body.
func placeJSON(err error) string {
	reason, pointer := err, jsontext.Pointer("")
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		reason, pointer = syntactic.Err, syntactic.JSONPointer
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		reason, pointer = semantic.Err, semantic.JSONPointer
		if reason == nil {
			reason = fmt.Errorf("unexpected JSON %s", semantic.JSONKind)
		}
	}
	if errors.Is(reason, errTooLarge) {
		reason = fmt.Errorf("more than %d elements, the next one", maxRepeats)
	}
	return fmt.Sprintf("%.100s at %q", reason.Error(), fmt.Sprintf("%.200s", string(pointer)))
}

// writeJSON answers with a JSON document.
func writeJSON(w http.ResponseWriter, status int, contentType string, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // it is JSON, not HTML; the client may be gone, and its retry will be answered
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
