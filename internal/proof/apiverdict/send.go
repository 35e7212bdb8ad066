package apiverdict

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// trial is one question to an API, with a new mark and a new key.
type trial struct {
	*Description

	transport *http.Transport
	mark, key string
}

func (d *Description) trial(transport *http.Transport) *trial {
	id := make([]byte, 16)
	_, _ = rand.Read(id)                            // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a UUID of version 4, because some APIs accept no other keys
	key := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	return &trial{d, transport, fmt.Sprintf("V%x", id[9:]), key}
}

// another returns a trial with another mark and another key.
func (t *trial) another() *trial { return t.trial(t.transport) }

// reply is the answer to a request; status is 0 if there was none.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // the reason for a missing answer
}

func (r reply) ok() bool      { return r.status >= 200 && r.status < 300 }
func (r reply) refused() bool { return r.status >= 400 && r.status < 500 }

func (r reply) equals(other reply) bool {
	return r.status == other.status && bytes.Equal(r.body, other.body)
}

func (r reply) String() string {
	if r.status == 0 {
		err := r.err
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			err = inner // has no ports, so that equal errors are counted together
		}
		return fmt.Sprintf("no answer (%v)", err)
	}
	return strconv.Itoa(r.status)
}

// beginning returns the status and the beginning of the body in one line.
func (r reply) beginning() string {
	return fmt.Sprintf("%s %.200s", r, bytes.Join(bytes.Fields(r.body), []byte(" ")))
}

func (t *trial) create(ctx context.Context) reply { return t.createAt(ctx, t.Address) }

func (t *trial) createAt(ctx context.Context, address string) reply {
	return t.send(ctx, address, t.Headers, t.Create.Body, t.quoted(t.key))
}

func (t *trial) quoted(key string) string {
	if t.KeyQuoted {
		return strconv.Quote(key)
	}
	return key
}

// send sends a body with the given keys, if any.
func (t *trial) send(ctx context.Context, address string, account map[string]string, body []byte, keys ...string) reply {
	request, err := t.request(ctx, address, account, body, keys...)
	if err != nil {
		return reply{err: err}
	}
	client := &http.Client{Transport: t.transport, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return read(client.Do(request))
}

func (t *trial) request(
	ctx context.Context, address string, account map[string]string, body []byte, keys ...string,
) (*http.Request, error) {
	body = bytes.ReplaceAll(body, []byte(mark), []byte(t.mark))
	// An io.Reader of unknown type, so that the transport cannot send the body a second time.
	request, err := http.NewRequestWithContext(ctx, t.Create.Method, address+t.Create.Path, io.MultiReader(bytes.NewReader(body)))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	request.ContentLength = int64(len(body))
	request.Header.Set("Content-Type", "application/json")
	for name, value := range account {
		request.Header.Set(name, value)
	}
	for _, key := range keys {
		request.Header.Add(t.KeyHeader, key)
	}
	return request, nil
}

func read(response *http.Response, err error) reply {
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return reply{err: err}
	}
	return reply{response.StatusCode, response.Header, body, nil}
}

// first sends the create and requires it to succeed, as the precondition of a question.
func (t *trial) first(ctx context.Context) (reply, error) {
	r := t.create(ctx)
	if !r.ok() {
		return r, fmt.Errorf("the create was answered %s", r.beginning())
	}
	return r, nil
}
