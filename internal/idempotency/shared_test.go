package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/shared"
	"onlyonce/internal/must"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/proof/redis"
)

// sharing is a bundle whose processes share copies through a proxy to Redis.
type sharing struct {
	*bundle

	redis  *redis.Server
	proxy  *proxy.Proxy
	create idempotency.Operation[order, item]
}

func setupShared(t *testing.T) *sharing {
	t.Helper()
	s := &sharing{bundle: setup(t), create: idempotency.Define(spec()), redis: redis.New(t)}
	var err error
	s.proxy, err = proxy.Listen(t.Context(), "unix", s.redis.Socket())
	must.OK(t, err)
	t.Cleanup(s.proxy.Close)
	s.Store.Shared = s.sharedWith(sharedKey, shared.Patience)
	return s
}

const sharedKey = "the same key for all replicas .."

func (s *sharing) sharedWith(key string, patience time.Duration) *idempotency.Shared {
	s.Helper()
	m, err := shared.Open("redis://"+s.proxy.Addr(), []byte(key), patience, slog.New(slog.NewTextHandler(s.Output(), nil)))
	must.OK(s, err)
	s.Cleanup(m.Close)
	return &idempotency.Shared{Get: m.Get, Put: m.Put}
}

// awake returns a replica that knows the epoch of the database.
func (s *sharing) awake() *idempotency.Store {
	s.Helper()
	r := s.replica()
	s.OK(s.create.Do(s.Context(), r, s.Intent("awake"), order{"awake"}))
	return r
}

// cutOff makes a replica lose the database.
func (s *sharing) cutOff(r *idempotency.Store) {
	s.Helper()
	r.Pool = s.pool(single)
	r.Pool.Close()
}

// ask returns the reply of Redis to a command past the proxy.
func (s *sharing) ask(command string, arguments ...any) any {
	s.Helper()
	reply, err := s.redis.Ask(context.Background(), command, arguments...)
	must.OK(s, err)
	return reply
}

// keys returns the keys in Redis.
func (s *sharing) keys() []string {
	s.Helper()
	keys, err := redigo.Strings(s.ask("KEYS", "*"), nil)
	must.OK(s, err)
	return keys
}

// value returns the value of a key in Redis.
func (s *sharing) value(key string) []byte {
	s.Helper()
	value, err := redigo.Bytes(s.ask("GET", key), nil)
	must.OK(s, err)
	return value
}

const many = 12

// do carries out all intents, and returns their results.
func (s *sharing) do(store *idempotency.Store) (made [many]item, replayed int) {
	s.Helper()
	for i := range many {
		done, err := s.create.Do(s.Context(), store, s.Intent(fmt.Sprint("key ", i)), order{fmt.Sprint("item ", i)})
		must.OK(s, err)
		made[i] = done.Value
		if done.Replayed {
			replayed++
		}
	}
	return made, replayed
}

// disturbances lists what happens to Redis or its content between the first time and the second.
var disturbances = map[string]func(*sharing){
	"none":    func(*sharing) {},
	"flushed": func(s *sharing) { s.ask("FLUSHALL") },
	"slow":    func(s *sharing) { s.proxy.Slow(time.Second) },
	"stuck":   func(s *sharing) { s.proxy.Pause() },
	"down":    func(s *sharing) { s.proxy.Isolate() },
	"killed":  func(s *sharing) { s.redis.Kill() },
	"full": func(s *sharing) {
		s.ask("FLUSHALL")
		for _, to := range [][2]string{{"maxmemory-policy", "noeviction"}, {"maxmemory", "1"}} {
			s.ask("CONFIG", "SET", to[0], to[1])
		}
	},
	"flipped": func(s *sharing) {
		for i, key := range s.keys() {
			value := s.value(key)
			value[i%len(value)] ^= 1
			s.ask("SET", key, value)
		}
	},
	"cut short": func(s *sharing) {
		for i, key := range s.keys() {
			value := s.value(key)
			s.ask("SET", key, value[:i%2])
		}
	},
	"under each other's name": func(s *sharing) {
		keys := s.keys()
		first := s.value(keys[0])
		for i, key := range keys {
			value := first
			if i+1 < len(keys) {
				value = s.value(keys[i+1])
			}
			s.ask("SET", key, value)
		}
	},
	"of another type": func(s *sharing) {
		for _, key := range s.keys() {
			s.ask("DEL", key)
			s.ask("HSET", key, "a", "b")
		}
	},
	"restored from an old dump": func(s *sharing) {
		s.ask("SAVE")
		s.ask("FLUSHALL")
		s.redis.Kill()
		_, err := os.Stat(filepath.Join(s.redis.Dir, "dump.rdb"))
		must.OK(s, err)
		must.OK(s, s.redis.Start(s.Context()))
	},
}

// TestWhateverBecomesOfRedis checks that each disturbance costs only a moment: nothing is done twice, and each answer is for its key.
func TestWhateverBecomesOfRedis(t *testing.T) {
	t.Parallel()
	for name, disturb := range disturbances {
		t.Run(name, func(t *testing.T) {
			s := setupShared(t)
			usual := s.Store.Shared
			s.Store.Shared = s.sharedWith(sharedKey, time.Minute) // long enough for a busy machine
			made, replayed := s.do(s.Store)
			s.Store.Shared = usual
			must.Thatf(t, replayed == 0 && len(s.keys()) == many, "%d were replayed, %d are shared", replayed, len(s.keys()))
			other := s.awake()
			disturb(s)
			began := time.Now()
			for _, store := range []*idempotency.Store{s.Store, other, other} {
				again, replayed := s.do(store)
				assert.Thatf(t, again == made && replayed == many, "%d were replayed, as %v, want %v", replayed, again, made)
			}
			took := time.Since(began)
			assert.Thatf(t, took <= 10*time.Second, "it took %v", took)
			for i := range many {
				var mismatch *idempotency.MismatchError
				_, err := s.create.Do(t.Context(), other, s.Intent(fmt.Sprint("key ", i)), order{"another"})
				assert.Thatf(t, errors.As(err, &mismatch) && mismatch.Record == made[i].ID, "another command: %v", err)
			}
			stranger := s.Intent("key 0")
			stranger.Tenant[0] ^= 1
			if done, err := s.create.Do(t.Context(), other, stranger, order{"item 0"}); err != nil || done.Replayed {
				t.Errorf("another tenant: %+v, %v", done, err)
			}
			s.want(many+1, `SELECT count(*) FROM items WHERE name LIKE 'item %'`)
		})
	}
}

// TestSharedForAsLongAsItIsTrue checks that no copy is shared beyond its time, in another epoch, with another key, or for operations
// whose records may be deleted.
func TestSharedForAsLongAsItIsTrue(t *testing.T) {
	t.Parallel()
	t.Run("without the database", func(t *testing.T) {
		s := setupShared(t)
		s.Store.Shared = s.sharedWith(sharedKey, time.Minute) // long enough for a busy machine
		made, _ := s.do(s.Store)
		other := s.awake()
		s.cutOff(other)
		again, replayed := s.do(other)
		assert.Thatf(t, again == made && replayed == many, "%d were replayed, as %v, want %v", replayed, again, made)
	})
	t.Run("too old", func(t *testing.T) {
		s := setupShared(t)
		s.do(s.Store)
		other := s.awake()
		other.Age(61 * time.Minute)
		s.cutOff(other)
		done, err := s.create.Do(t.Context(), other, s.Intent("key 0"), order{"item 0"})
		assert.Thatf(t, errors.Is(err, idempotency.ErrUnavailable), "%+v, %v", done, err)
	})
	t.Run("restored database", func(t *testing.T) {
		s := setupShared(t)
		s.DB.Spoil(t)
		s.do(s.Store)
		s.Exec(`TRUNCATE items, intents CASCADE`)
		other := s.awake()
		_, replayed := s.do(other)
		assert.Thatf(t, replayed == 0, "%d were answered of the database before", replayed)
	})
	t.Run("another key", func(t *testing.T) {
		s := setupShared(t)
		s.Store.Shared = s.sharedWith(sharedKey, time.Minute)
		made, _ := s.do(s.Store)
		other := s.awake()
		other.Shared = s.sharedWith("a replica that was given another", time.Minute)
		if again, replayed := s.do(other); again != made || replayed != many || len(s.keys()) != 2*many+1 {
			t.Errorf("%d were replayed, %d are shared", replayed, len(s.keys()))
		}
	})
	t.Run("erased by hand", func(t *testing.T) {
		s := setupShared(t)
		s.do(s.Store)
		s.ask("FLUSHALL")
		s.Exec(`UPDATE intents SET result = NULL`)
		for range 2 {
			var done *idempotency.AlreadyDoneError
			_, err := s.create.Do(t.Context(), s.replica(), s.Intent("key 0"), order{"item 0"})
			assert.Thatf(t, errors.As(err, &done), "%v", err)
		}
		n := len(s.keys())
		assert.Thatf(t, n == 0, "%d are shared", n)
	})
	t.Run("records that are deleted", func(t *testing.T) {
		s := setupShared(t)
		deletes := spec()
		deletes.Deletes = true
		s.create = idempotency.Define(deletes)
		if s.do(s.Store); len(s.keys()) != 0 {
			t.Errorf("%d are shared", len(s.keys()))
		}
	})
}

// TestSharedIsSealed checks that neither names nor values reveal the command.
func TestSharedIsSealed(t *testing.T) {
	s := setupShared(t)
	made, _ := s.do(s.Store)
	for _, key := range s.keys() {
		value := string(s.value(key))
		for _, secret := range []string{s.Tenant.String(), "item", "key ", "key+", made[0].ID.String()} {
			assert.Thatf(t, !strings.Contains(key+value, secret), "%s tells %s", key, secret)
		}
		keep, err := redigo.Int(s.ask("TTL", key), nil) // seconds
		assert.Thatf(t, err == nil && keep > 0 && keep <= 60*60, "kept for %d s, %v", keep, err)
	}
}

// TestRushWithRedis runs concurrent attempts in two processes, while Redis goes down and up.
func TestRushWithRedis(t *testing.T) {
	s := setupShared(t)
	const keys, attempts = 10, 200
	stores := []*idempotency.Store{s.awake(), s.awake()}
	done, errs := make([]idempotency.Done[item], attempts), make([]error, attempts)
	rush(attempts, func(i int) {
		switch i {
		case 50:
			s.ask("FLUSHALL")
		case 100:
			s.proxy.Isolate()
		case 150:
			s.proxy.Heal()
		}
		key := fmt.Sprint("rush ", i%keys)
		done[i], errs[i] = s.create.Do(context.Background(), stores[i/keys%2], s.Intent(key), order{key})
	})()
	s.firsts(done, errs, keys)
	s.want(keys, `SELECT count(*) FROM items WHERE name LIKE 'rush %'`)
}
