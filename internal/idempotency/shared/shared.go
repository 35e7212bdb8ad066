// Package shared lets processes share copies of settled intents, and count requests together, in Redis or Valkey. Nothing depends on it:
// lost values are read from the database, as is everything while Redis does not answer, and each process enforces limits too.
//
// A writer to Redis must not be able to forge an answer of the database, and a reader must not learn the results. So each value is
// encrypted with a key derived from its name, and its key in Redis is a MAC of the name. A value that was changed, copied to another name
// or written by another program can't be decrypted, and is ignored.
package shared

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// Patience is the time limit of a request to Redis, after which the database is asked instead.
const Patience = 50 * time.Millisecond

// Memory is the cache of all processes that have the same key.
type Memory struct {
	client   *client
	breaker  breaker
	key      []byte
	patience time.Duration
}

// Open returns the memory at a URL such as rediss://user:password@host:6380/0. It connects on the first request. A request waits for its
// answer for at most patience, which is [Patience] outside tests. The key has 256 bits.
func Open(url string, key []byte, patience time.Duration, log *slog.Logger) (*Memory, error) {
	at, err := parse(url)
	if err != nil {
		return nil, err
	}
	return &Memory{newClient(at), breaker{log: log}, key, patience}, nil
}

// Check returns an error if [Open] would refuse the URL.
func Check(url string) error {
	_, err := parse(url)
	return err
}

// Close ends the connections.
func (m *Memory) Close() { m.client.Close() }

// do returns the reply to a command, or nil if there is no value. It does not wait longer than m.patience.
func (m *Memory) do(ctx context.Context, command ...string) ([]byte, error) {
	if err := m.breaker.allow(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.patience)
	defer cancel()
	reply, err := m.client.do(ctx, command...)
	m.breaker.report(err)
	return reply, err
}

// Get returns the value that was put under a name, or false.
func (m *Memory) Get(ctx context.Context, name string) ([]byte, bool) {
	sealed, err := m.do(ctx, "GET", m.place(name))
	if err != nil || sealed == nil {
		return nil, false
	}
	value, err := m.seal(name).Open(nil, nil, sealed, nil)
	return value, err == nil
}

// Put stores a value, for at most the duration keep.
func (m *Memory) Put(ctx context.Context, name string, value []byte, keep time.Duration) {
	sealed := m.seal(name).Seal(nil, nil, value, nil) //nolint:gosec // the AEAD generates the nonces
	if len(sealed) > maxValue {
		return // reading it would exceed the limit
	}
	milliseconds := strconv.FormatInt(max(1, keep.Milliseconds()), 10)
	_, _ = m.do(ctx, "SET", m.place(name), string(sealed), "PX", milliseconds) // a full Redis refuses the value, which is then not kept
}

// place returns the key in Redis for the value of a name.
func (m *Memory) place(name string) string {
	return "onlyonce:intent:" + base64.RawURLEncoding.EncodeToString(m.derive("place", name))
}

// seal returns AES-256-GCM with a key for this name alone. So few values use one key that random nonces don't collide.
func (m *Memory) seal(name string) cipher.AEAD {
	block, err := aes.NewCipher(m.derive("value", name))
	if err == nil {
		var seal cipher.AEAD
		if seal, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return seal
		}
	}
	panic(err) // can't happen: the key has the right size
}

func (m *Memory) derive(purpose, name string) []byte {
	mac := hmac.New(sha256.New, m.key)
	_, _ = mac.Write([]byte(purpose + "\n" + name)) // never fails
	return mac.Sum(nil)
}

// ErrResting means that a request was not sent, because the last ones were not answered.
var ErrResting = errors.New("redis has not answered lately")

const (
	// tries is the number of failed requests in a row after which Redis gets a rest.
	tries = 3
	// rest is the length of that rest, after which one request is sent.
	rest = time.Second
)

// breaker limits the cost of a Redis that is down, slow or stuck.
type breaker struct {
	log *slog.Logger

	mu     sync.Mutex
	failed int // in a row
	until  time.Time
}

// allow returns [ErrResting], or nil if a request may be sent.
func (b *breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < tries {
		return nil
	}
	if time.Now().Before(b.until) {
		return ErrResting
	}
	b.until = time.Now().Add(rest) // the others wait for the result of this one
	return nil
}

// report counts unanswered requests. A refusal counts as an answer, because it took no time.
func (b *breaker) report(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, answered := errors.AsType[refusal](err); err == nil || answered {
		if b.failed >= tries {
			b.log.Info("Redis answers again: intents and limits are shared")
		}
		b.failed = 0
		return
	}
	b.failed++
	b.until = time.Now().Add(rest)
	if b.failed == tries {
		b.log.Warn("Redis does not answer: intents are looked up in the database, and each replica counts limits by itself", "error", err)
	}
}
