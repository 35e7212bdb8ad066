package app_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
)

func environment(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

func TestEnvironDefaults(t *testing.T) {
	t.Parallel()
	c, err := app.Environ(environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := app.Config{
		Addr: "127.0.0.1:8080", MetricsAddr: "127.0.0.1:9090", DataDir: ".data", Demo: true, RateLimit: 6000,
		Wait: 5 * time.Second, ExpireEvery: time.Minute,
	}
	if c != want {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
}

func TestEnvironReadsEverything(t *testing.T) {
	t.Parallel()
	c, err := app.Environ(environment(map[string]string{
		"ADDR": "localhost:1", "METRICS_ADDR": "off", "DATABASE_URL": "postgres:///x", "DATA_DIR": "/d", "DEMO": "1",
		"ALLOW_PUBLIC_DEMO": "true", "RATE_LIMIT": "0", "IDEMPOTENCY_WAIT": "1s", "IDEMPOTENCY_RETAIN": "72h", "EXPIRE_EVERY": "5m",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := app.Config{
		Addr: "localhost:1", MetricsAddr: "off", DatabaseURL: "postgres:///x", DataDir: "/d", Demo: true, PublicDemo: true,
		Wait: time.Second, Retain: 72 * time.Hour, ExpireEvery: 5 * time.Minute,
	}
	if c != want {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
}

func TestEnvironDemoIsOffWithSomebodysDatabase(t *testing.T) {
	t.Parallel()
	c, err := app.Environ(environment(map[string]string{"DATABASE_URL": "postgres:///x"}))
	if err != nil || c.Demo {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestEnvironNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"DEMO": "perhaps", "ALLOW_PUBLIC_DEMO": "2", "RATE_LIMIT": "-1", "IDEMPOTENCY_WAIT": "5", "IDEMPOTENCY_RETAIN": "-x",
		"EXPIRE_EVERY": "soon",
	} {
		if _, err := app.Environ(environment(map[string]string{name: value})); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	// These would stop the app later, or make it do nothing.
	for name, value := range map[string]string{
		"EXPIRE_EVERY": "0s", "IDEMPOTENCY_WAIT": "0s", "IDEMPOTENCY_RETAIN": "-1h",
	} {
		if _, err := app.Environ(environment(map[string]string{name: value})); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

func TestPublicDemoIsRefused(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{":8080", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80", "127.0.0.1"} {
		var public *app.PublicDemoError
		_, err := app.Start(t.Context(), app.Config{Addr: addr, Demo: true})
		if !errors.As(err, &public) || public.Addr != addr || !strings.Contains(err.Error(), "DEMO=0") ||
			!strings.Contains(err.Error(), "ALLOW_PUBLIC_DEMO=1") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
