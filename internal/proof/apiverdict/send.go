package apiverdict

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// trial is one question to an API, with a mark and a key of its own.
type trial struct {
	*Description

	transport *http.Transport
	mark, key string
}

func (d *Description) trial(transport *http.Transport) *trial {
	id := make([]byte, 16)
	_, _ = rand.Read(id)                            // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a UUID of version 4, which is all that some APIs take
	key := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	return &trial{d, transport, fmt.Sprintf("V%x", id[9:]), key}
}

// another is the same with another mark and another key.
func (t *trial) another() *trial { return t.trial(t.transport) }

// reply is the answer to a request; status is 0 if there was none.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // why there was none
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
			err = inner // which has no ports, so that equal ones are counted together
		}
		return fmt.Sprintf("no answer (%v)", err)
	}
	return strconv.Itoa(r.status)
}

// beginning returns the status with as much of the body as fits in a line.
func (r reply) beginning() string {
	return fmt.Sprintf("%s %.200s", r, bytes.Join(bytes.Fields(r.body), []byte(" ")))
}

// create sends the create with the key of the trial.
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

// send sends a body, with no key if none is named.
func (t *trial) send(ctx context.Context, address string, account map[string]string, body []byte, keys ...string) reply {
	request, err := t.request(ctx, address, account, body, keys...)
	if err != nil {
		return reply{err: err}
	}
	client := &http.Client{Transport: t.transport, Timeout: time.Minute, CheckRedirect: stay}
	return read(client.Do(request))
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (t *trial) request(
	ctx context.Context, address string, account map[string]string, body []byte, keys ...string,
) (*http.Request, error) {
	body = bytes.ReplaceAll(body, []byte(mark), []byte(t.mark))
	// Of the type io.Reader alone, so that no transport sends it again by itself.
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
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{err: err}
	}
	return reply{response.StatusCode, response.Header, body, nil}
}

// sendRaw sends the create with a key that net/http refuses to send.
func (t *trial) sendRaw(ctx context.Context, key string) (reply, error) {
	request, err := t.request(ctx, t.Address, t.Headers, t.Create.Body, key)
	if err != nil {
		return reply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", hostPort(request.URL))
	if err != nil {
		return reply{}, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if request.URL.Scheme == "https" {
		config := &tls.Config{ServerName: request.URL.Hostname(), MinVersion: tls.VersionTLS12}
		if given := t.transport.TLSClientConfig; given != nil {
			config.RootCAs = given.RootCAs
		}
		conn = tls.Client(conn, config)
	}
	if err := request.Write(conn); err != nil {
		return reply{err: err}, nil
	}
	return read(http.ReadResponse(bufio.NewReader(conn), request)), nil
}

func hostPort(at *url.URL) string {
	return net.JoinHostPort(at.Hostname(), cmp.Or(at.Port(), map[string]string{"http": "80", "https": "443"}[at.Scheme]))
}

// first sends the create, which has to succeed: otherwise nothing can be asked.
func (t *trial) first(ctx context.Context) (reply, error) {
	r := t.create(ctx)
	if !r.ok() {
		return r, fmt.Errorf("the create was answered %s", r.beginning())
	}
	return r, nil
}

// id returns what identifies the record in an answer.
func (t *trial) id(r reply) (string, error) {
	found, err := at(r.body, t.Create.ID)
	if err != nil {
		return "", fmt.Errorf("the id in the answer %s: %w", r.beginning(), err)
	}
	return fmt.Sprint(found), nil
}

// count returns how many records have the mark of the trial.
func (t *trial) count(ctx context.Context) (int, error) {
	n, err := t.countBy(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the records: %w", err)
	}
	return n, nil
}

func (t *trial) countBy(ctx context.Context) (int, error) {
	if len(t.Count.Command) > 0 {
		var words []string
		for _, word := range t.Count.Command {
			words = append(words, strings.ReplaceAll(word, mark, t.mark))
		}
		out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
		if err != nil {
			return 0, fmt.Errorf("%q: %w", words, err)
		}
		return number(strings.TrimSpace(string(out)))
	}
	address := t.Address + strings.ReplaceAll(t.Count.JSON, mark, t.mark)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, fmt.Errorf("make a request: %w", err)
	}
	for name, value := range t.Headers {
		request.Header.Set(name, value)
	}
	r := read((&http.Client{Transport: t.transport, Timeout: time.Minute}).Do(request))
	if r.status != http.StatusOK {
		return 0, fmt.Errorf("%s was answered %s", address, r.beginning())
	}
	found, err := at(r.body, t.Count.At)
	if err != nil {
		return 0, err
	}
	switch found := found.(type) {
	case json.Number:
		return number(found.String())
	case []any:
		return t.withMark(found)
	default:
		return 0, fmt.Errorf("%s is neither an array nor a number in %s", t.Count.At, r.beginning())
	}
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of records", text)
	}
	return n, nil
}

// withMark counts the records whose field contains the mark, or all if the description names no field.
func (t *trial) withMark(records []any) (n int, err error) {
	for _, one := range records {
		if t.Count.Field != "" {
			value, err := follow(one, t.Count.Field)
			if err != nil {
				return 0, err
			}
			if !strings.Contains(fmt.Sprint(value), t.mark) {
				continue
			}
		}
		n++
	}
	return n, nil
}

// at returns what a JSON Pointer leads to.
func at(text []byte, pointer string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("this is not JSON: %w", err)
	}
	return follow(value, pointer)
}

func follow(value any, pointer string) (any, error) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		switch inside := value.(type) {
		case map[string]any:
			value = inside[unescape.Replace(step)]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(inside) {
				return nil, fmt.Errorf("%s leads nowhere", pointer)
			}
			value = inside[n]
		default:
			return nil, fmt.Errorf("%s leads nowhere", pointer)
		}
	}
	if value == nil {
		return nil, fmt.Errorf("%s leads nowhere", pointer)
	}
	return value, nil
}
