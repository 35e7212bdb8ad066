// Package shared lets processes remember settled intents together, in Redis or Valkey, and count requests together. Nothing depends on
// it: what is lost there is asked of the database, and so is everything while it does not answer; limits hold for each process too.
//
// A writer to Redis must not be able to answer for the database, and a reader must not learn what was created. So
// a value is sealed with a key that is derived for its name, and the name in Redis is a MAC of it: a value that was changed, copied
// to another name, or made by somebody else cannot be opened, and counts as none.
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
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Patience is how long a question to Redis may take: less than asking the database instead would cost anybody.
const Patience = 50 * time.Millisecond

// Memory is what processes with one key remember together.
type Memory struct {
	client   *redis.Client
	key      []byte
	patience time.Duration
}

// Open returns the memory at a URL as redis.ParseURL takes it, such as rediss://user:password@host:6380/0. It connects when it is
// asked first, and waits for an answer as long as patience, which is [Patience] but in tests. The key has 256 bits.
func Open(url string, key []byte, patience time.Duration, log *slog.Logger) (*Memory, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errURL
	}
	options.Protocol, options.DisableIdentity = 2, true // the plainest conversation: Redis 7 and Valkey alike
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	options.ContextTimeoutEnabled, options.MaxRetries, options.DialerRetries = true, -1, 1
	options.DialTimeout = time.Second // in the background, for those who ask later
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

// errURL does not repeat the URL, which may have a password.
var errURL = errors.New("it must be an address such as redis://:password@host:6379/0, rediss:// for TLS, or unix:///path/to/socket")

// Check returns an error unless [Open] takes the URL.
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

// Get returns what was put under a name, or false.
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

// Put keeps a value for a while at most.
func (m *Memory) Put(ctx context.Context, name string, value []byte, keep time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.patience)
	defer cancel()
	sealed := m.seal(name).Seal(nil, nil, value, nil) //nolint:gosec // it makes its nonces itself
	if len(sealed) > maxBulk {
		return // it could not be read
	}
	_ = m.client.Set(ctx, m.place(name), sealed, keep) // which may be full: then it is not kept
}

// place is where in Redis the value of a name is.
func (m *Memory) place(name string) string {
	return "onlyonce:intent:" + base64.RawURLEncoding.EncodeToString(m.derive("place", name))
}

// seal is AES-256-GCM with a key for this name alone. So few values have one key that random nonces never meet.
func (m *Memory) seal(name string) cipher.AEAD {
	block, err := aes.NewCipher(m.derive("value", name))
	if err == nil {
		var seal cipher.AEAD
		if seal, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return seal
		}
	}
	panic(err) // cannot be: the key is of the right size
}

func (m *Memory) derive(purpose, name string) []byte {
	mac := hmac.New(sha256.New, m.key)
	_, _ = mac.Write([]byte(purpose + "\n" + name)) // never fails
	return mac.Sum(nil)
}

// ErrResting is the error of a question that was not asked, because the last ones were not answered.
var ErrResting = errors.New("redis has not answered lately")
