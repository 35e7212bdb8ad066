package app_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/proof/redis"
	"onlyonce/internal/value/secretkey"
)

// TestReplicasAnswerForEachOther checks that a retry at another replica is answered while the database is down, and that a new command is
// refused.
func TestReplicasAnswerForEachOther(t *testing.T) {
	pgtest.Long(t)
	server := redis.New(t)
	secret, err := secretkey.Keep(t.TempDir())
	must.OK(t, err)
	shares := func(c *app.Config) { c.RedisURL, c.SecretKey = server.URL(), secret }
	b := setup(t, shares)
	var wire *proxy.Proxy
	other := b.Start(shares, func(c *app.Config) { wire = behindWire(t, c) })
	if a := b.create(key, ada); a.StatusCode != http.StatusCreated {
		t.Fatal(a)
	}
	ask := func(key, body string) *http.Response {
		t.Helper()
		a, err := create(other.URL(), key, body)
		must.OK(t, err)
		_ = a.Body.Close()
		return a
	}
	if a := ask("awake", strings.Replace(ada, "ada@", "other@", 1)); a.StatusCode != http.StatusCreated {
		t.Fatal(a)
	}
	wire.Close()
	if a := ask(key, ada); a.StatusCode != http.StatusCreated || a.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("a repeat: %v", a)
	}
	if a := ask("unknown", strings.Replace(ada, "ada@", "new@", 1)); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("something new: %v", a)
	}
}

// TestRedisNeedsTheSecretKey, which encrypts everything in it.
func TestRedisNeedsTheSecretKey(t *testing.T) {
	t.Parallel()
	b := on(t, pgtest.New(t))
	config := b.Config()
	config.Demo, config.RedisURL = false, "redis://localhost"
	err := apptest.TryStart(t.Context(), config)
	wrong, ok := errors.AsType[*app.SettingError](err)
	assert.Thatf(t, ok && wrong.Name == "REDIS_URL" && strings.Contains(err.Error(), "SECRET_KEY"), "%v", err)
}

// limited are two replicas with common limits, through a proxy to Redis.
type limited struct {
	*bundle

	replicas [2]*app.App
	redis    *redis.Server
	wire     *proxy.Proxy
}

// limitPlace is the prefix of limits in Redis.
const limitPlace = "onlyonce:limit:"

// rate is the tenant's limit of requests in a minute.
const rate = 3

// setupLimited sets the time limit of a request to Redis; 0 for the default.
func setupLimited(t *testing.T, patience time.Duration) *limited {
	t.Helper()
	t.Parallel()
	l := &limited{bundle: on(t, apptest.Demo.New(t)), redis: redis.New(t)}
	secret, err := secretkey.Keep(t.TempDir())
	must.OK(t, err)
	if l.wire, err = proxy.Listen(t.Context(), "unix", l.redis.Socket()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.wire.Close)
	for i := range l.replicas {
		config := l.Config()
		config.RedisURL, config.SecretKey, config.RateLimit = "redis://"+l.wire.Addr(), secret, rate
		if l.replicas[i], err = app.StartPatient(t.Context(), config, patience); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.replicas[i].Close(context.Background()) })
	}
	return l
}

// ask returns the reply of Redis to a command past the proxy.
func (l *limited) ask(command string, arguments ...any) any {
	l.Helper()
	reply, err := l.redis.Ask(context.Background(), command, arguments...)
	must.OK(l, err)
	return reply
}

// admitted sends requests to the replicas in turns, and returns the number that no limit refused.
func (l *limited) admitted(requests int, request func(origin string) (*http.Response, error)) (n int) {
	l.Helper()
	for i := range requests {
		a, err := request(l.replicas[i%2].URL())
		must.OK(l, err)
		_ = a.Body.Close()
		switch a.StatusCode {
		case http.StatusOK, http.StatusUnprocessableEntity:
			n++
		case http.StatusTooManyRequests:
			assert.Thatf(l, a.Header.Get("Retry-After") != "" && a.Header.Get("X-Ratelimit-Remaining") == "0", "refused with %v", a.Header)
		default:
			l.Errorf("answered %s", a.Status)
		}
	}
	return n
}

func listed(origin string) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodGet, origin+"/api/v1/customers", http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+apptest.DemoToken)
	return http.DefaultClient.Do(r)
}

func guessed(origin string) (*http.Response, error) {
	return http.PostForm(origin+"/login", url.Values{"email": {"guessed@example.com"}, "password": {"a guess of many"}})
}

// TestOneLimitForAllReplicas checks that limits are counted for all replicas together, under names that Redis can't read.
func TestOneLimitForAllReplicas(t *testing.T) {
	l := setupLimited(t, 20*time.Second)
	for what, c := range map[string]struct {
		limit   int
		request func(string) (*http.Response, error)
	}{
		"requests of a tenant":   {rate, listed},
		"passwords for an email": {10, guessed},
	} {
		began := time.Now()
		n := l.admitted(2*c.limit, c.request)
		more := int(time.Since(began).Minutes() * float64(c.limit)) // these may be allowed by then
		assert.Thatf(t, n >= c.limit && n <= c.limit+more, "%s: %d of %d, want %d and at most %d more", what, n, 2*c.limit, c.limit, more)
	}
	keys, err := redigo.Strings(l.ask("KEYS", limitPlace+"*"), nil)
	if err != nil || len(keys) != 3 { // and the address
		t.Errorf("%q, %v", keys, err)
	}
	for _, key := range keys {
		name := strings.TrimPrefix(key, limitPlace)
		assert.Thatf(t, len(name) == 43 && !strings.Contains(name, "guessed"), "%s is no digest", key)
		keep, err := redigo.Int(l.ask("TTL", key), nil) // seconds
		assert.Thatf(t, err == nil && keep > 0 && keep <= 60, "kept for %d s, %v", keep, err)
	}
}

// TestLimitsWhateverBecomesOfRedis disturbs Redis before each request: each replica counts alone, from its first request on, and no request
// waits.
func TestLimitsWhateverBecomesOfRedis(t *testing.T) {
	pgtest.Long(t)
	for name, disturb := range map[string]func(*limited){
		"slow":    func(l *limited) { l.wire.Slow(time.Second) },
		"stuck":   func(l *limited) { l.wire.Pause() },
		"killed":  func(l *limited) { l.redis.Kill() },
		"flushed": func(l *limited) { l.ask("FLUSHALL") },
		"full": func(l *limited) {
			l.ask("FLUSHALL")
			l.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
			l.ask("CONFIG", "SET", "maxmemory", "1")
		},
		"of another type": func(l *limited) {
			keys, err := redigo.Strings(l.ask("KEYS", "*"), nil)
			must.OK(l, err)
			for _, key := range keys {
				l.ask("DEL", key)
				l.ask("HSET", key, "a", "b")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := setupLimited(t, 0)
			if n := l.admitted(2, listed); n != 2 {
				t.Fatalf("%d of 2", n)
			}
			n := l.admitted(4*rate, func(origin string) (*http.Response, error) {
				disturb(l)
				began := time.Now()
				a, err := listed(origin)
				took := time.Since(began)
				assert.Thatf(t, took <= 2*time.Second, "answered after %v", took)
				return a, err
			})
			assert.Thatf(t, n == 2*rate-2, "%d more, want %d of each replica", n, rate-1)
		})
	}
}
