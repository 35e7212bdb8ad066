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
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Patience is the time limit of a request to Redis, after which the database is asked instead.
const Patience = 50 * time.Millisecond

// Memory is the cache of all processes that have the same key.
type Memory struct {
	client   *redis.Client
	key      []byte
	patience time.Duration
}

// Open returns the memory at a URL in the form of redis.ParseURL, such as rediss://user:password@host:6380/0. It connects on the first
// request. A request waits for its answer for at most patience, which is [Patience] outside tests. The key has 256 bits.
func Open(url string, key []byte, patience time.Duration, log *slog.Logger) (*Memory, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errURL
	}
	options.Protocol, options.DisableIdentity = 2, true // the simplest protocol, for both Redis 7 and Valkey
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	options.ContextTimeoutEnabled, options.MaxRetries, options.DialerRetries = true, -1, 1
	options.DialTimeout = time.Second // in the background, for later requests
	options.Limiter = &breaker{log: log}
	dial := redis.NewDialer(options)
	options.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &bounded{Conn: conn}, nil
	}
	return &Memory{redis.NewClient(options), key, patience}, nil
}

// errURL does not repeat the URL, which may contain a password.
var errURL = errors.New("it must be an address such as redis://:password@host:6379/0, rediss:// for TLS, or unix:///path/to/socket")

// Check returns an error if [Open] would refuse the URL.
func Check(url string) error {
	if _, err := redis.ParseURL(url); err != nil {
		return errURL
	}
	return nil
}

// Close ends the connections.
func (m *Memory) Close() error {
	if err := m.client.Close(); err != nil {
		return fmt.Errorf("close the connections to Redis: %w", err)
	}
	return nil
}

// Get returns the value that was put under a name, or false.
func (m *Memory) Get(ctx context.Context, name string) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.patience)
	defer cancel()
	sealed, err := m.client.Get(ctx, m.place(name)).Bytes()
	if err != nil {
		return nil, false
	}
	value, err := m.seal(name).Open(nil, nil, sealed, nil)
	return value, err == nil
}

// Put stores a value, for at most the duration keep.
func (m *Memory) Put(ctx context.Context, name string, value []byte, keep time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.patience)
	defer cancel()
	sealed := m.seal(name).Seal(nil, nil, value, nil) //nolint:gosec // the AEAD generates the nonces
	if len(sealed) > maxBulk {
		return // reading it would exceed the limit
	}
	_ = m.client.Set(ctx, m.place(name), sealed, keep) // a full Redis refuses the value, which is then not kept
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

// breaker limits the cost of a Redis that is down, slow or stuck. It is a [redis.Limiter].
type breaker struct {
	log *slog.Logger

	mu     sync.Mutex
	failed int // in a row
	until  time.Time
}

// Allow returns [ErrResting], or nil if a request may be sent.
func (b *breaker) Allow() error {
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

// ReportResult counts unanswered requests. An error reply from Redis counts as an answer, because it took no time.
func (b *breaker) ReportResult(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, answered := errors.AsType[redis.Error](err); err == nil || answered {
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
