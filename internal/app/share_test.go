package app_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
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
	if !ok || wrong.Name != "REDIS_URL" || !strings.Contains(err.Error(), "SECRET_KEY") {
		t.Errorf("%v", err)
	}
}
