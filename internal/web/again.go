package web

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"onlyonce/internal/idempotency"
)

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
