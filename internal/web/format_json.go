package web

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

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
		respond: func(w http.ResponseWriter, _ *http.Request, found Entity, done idempotency.Done[any]) error {
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
