package web

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// jsonFormat is an operation in the API.
func (m *resource) jsonFormat(op operation) format {
	kind := op.Kind()
	return format{
		intent: func(r *http.Request) (intent idempotency.Intent, err error) {
			if intent.Key, err = headerKey(r); errors.Is(err, idempotency.ErrNoKey) && kind.Changes() {
				intent.Key, err = idempotency.NewKey(), nil // it is safe without one
			}
			if err != nil {
				return intent, err
			}
			if intent.Request = requestOf(r); !kind.Changes() {
				return intent, nil
			}
			if intent.Record, err = m.id(r); err != nil {
				return intent, err
			}
			intent.Seen, err = ifMatch(r)
			return intent, err
		},
		again:  func(w http.ResponseWriter, answer []byte) error { return m.s.sendAnswer(w, answer, true) },
		decode: func(r *http.Request) (any, error) { return op.command.JSON(onlyCounting(r)) },
		respond: func(w http.ResponseWriter, r *http.Request, found Entity, done idempotency.Done[any]) error {
			if !kind.Changes() {
				found = m.reveal(r, found)
			}
			answer, err := m.answer(kind, done.Outcome, found)
			if err != nil {
				return err
			}
			done.Keep(answer)
			return m.s.sendAnswer(w, answer, done.Replayed)
		},
		late: func(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
			found, err := m.lookup(r.Context(), Principal(r).Tenant, id)
			if err != nil {
				return err
			}
			answer, err := m.answer(kind, idempotency.Replayed, found)
			if err != nil {
				return err
			}
			return m.s.sendAnswer(w, answer, true)
		},
		refuse: func(w http.ResponseWriter, r *http.Request, refused error) error {
			if err := m.namedExists(r, kind); isMissing(err) {
				refused = err
			}
			refused = m.finalFirst(r, kind, refused)
			if errors.As(refused, new(*idempotency.StaleError)) {
				if found, err := m.find(r); err == nil {
					_, version := found.Identity()
					w.Header().Set("ETag", etag(version))
				}
			}
			m.s.writeProblem(w, r, refused, apiPrefix+m.recordPath())
			return nil
		},
	}
}

// answer returns the encoded answer to an operation, with the record's Location if the request's path did not name it.
func (m *resource) answer(kind idempotency.Kind, outcome idempotency.Outcome, found Entity) ([]byte, error) {
	id, version := found.Identity()
	status, location := http.StatusOK, ""
	if outcome == idempotency.Created {
		status = http.StatusCreated
	}
	if !kind.Changes() {
		location = apiPrefix + m.url(id)
	}
	return answerOf(status, etag(version), location, m.view(found))
}

// write answers with a record.
func (m *resource) write(w http.ResponseWriter, status int, found Entity) error {
	_, version := found.Identity()
	w.Header().Set("ETag", etag(version))
	return writeJSON(w, status, "application/json", m.view(found))
}

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

// etag is the strong entity tag of a version (RFC 9110, section 8.8.3).
func etag(version int) string { return `"v` + strconv.Itoa(version) + `"` }

// ifMatch returns the version in If-Match, 0 without the header (RFC 9110, section 13.1.1), and noVersion for a tag that no record can
// have.
//
// The tag of a version is accepted as a proxy that compresses answers hands it on: see docs/decisions/0028-tags-name-versions.md.
func ifMatch(r *http.Request) (seen int, err error) {
	tags := r.Header.Values("If-Match")
	if len(tags) == 0 {
		return 0, nil
	}
	tag := strings.TrimSpace(tags[0])
	if len(tags) > 1 || strings.Contains(tag, ",") || tag == "*" {
		return 0, fmt.Errorf("%w: If-Match must name one version", ErrMalformed)
	}
	if match := versionTag.FindStringSubmatch(tag); match != nil {
		if version, err := strconv.ParseInt(match[1], 10, 32); err == nil {
			return int(version), nil
		}
	}
	return noVersion, nil
}

// versionTag matches the tag of a version, also as a weak one (nginx, HAProxy, Caddy) or with the encoding (Apache, Jetty).
var versionTag = regexp.MustCompile(`^(?:W/)?"v([1-9][0-9]{0,9})(?:(?:--?|;)(?:gzip|deflate|br|zstd))?"$`)

// noVersion is one that no record has.
const noVersion = -1

// A retry with the same bytes is answered with the bytes of the first answer, without decoding the command or the stored result. So the
// digest of a request has to cover all that can change the command or the answer.

// countingHeaders are the headers that a command of the API may depend on. What decodes one sees no others.
func countingHeaders() [2]string { return [...]string{"Content-Type", "If-Match"} }

// requestOf returns the digest of a request, and leaves its body to be read. The digest is zero if the body is large or of unknown length,
// as it is not held in memory then.
func requestOf(r *http.Request) idempotency.Request {
	if r.ContentLength < 0 || r.ContentLength > usualBody {
		return idempotency.Request{}
	}
	const head = 128 // nearly always enough
	all := fmt.Appendf(make([]byte, 0, head+r.ContentLength), "%q %s %s\n", Principal(r).Name, r.Method, r.RequestURI)
	for _, name := range countingHeaders() {
		for _, value := range r.Header[name] {
			all = append(append(append(all, name...), value...), '\n')
		}
	}
	all = append(all, '\n')
	start := len(all)
	all = append(all, make([]byte, r.ContentLength)...)
	if _, err := io.ReadFull(r.Body, all[start:]); err != nil {
		r.Body = brokenBody{r.Body, err}
		return idempotency.Request{}
	}
	r.Body = io.NopCloser(bytes.NewReader(all[start:]))
	return sha256.Sum256(all)
}

// onlyCounting is a request as requestOf sees it.
func onlyCounting(r *http.Request) *http.Request {
	seen := *r
	seen.Header = http.Header{}
	for _, name := range countingHeaders() {
		seen.Header[name] = r.Header[name]
	}
	return &seen
}

// answerOf encodes the answer to an operation for [Server.sendAnswer]: a line each for status, ETag and Location, and the body.
func answerOf(status int, etag, location string, v any) ([]byte, error) {
	const usual = 2 << 10
	answer := bytes.NewBuffer(fmt.Appendf(make([]byte, 0, usual), "%d\n%s\n%s\n", status, etag, location))
	if err := json.MarshalWrite(answer, v, json.Deterministic(true)); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return answer.Bytes(), nil
}

// sendAnswer sends the first answer and every later one.
func (s *Server) sendAnswer(w http.ResponseWriter, answer []byte, replayed bool) error {
	line, rest, _ := bytes.Cut(answer, []byte("\n"))
	tag, rest, _ := bytes.Cut(rest, []byte("\n"))
	location, body, _ := bytes.Cut(rest, []byte("\n"))
	status, err := strconv.Atoi(string(line))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	h := w.Header()
	if replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	h.Set("ETag", string(tag))
	if len(location) > 0 {
		h.Set("Location", s.Path+string(location))
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone, and its retry will be answered
	return nil
}
