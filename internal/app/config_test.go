package app_test

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/secretkey"
)

func environment(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

func TestEnvironDefaults(t *testing.T) {
	t.Parallel()
	c, err := app.Environ(environment(nil))
	must.OK(t, err)
	want := app.Config{
		Addr: "127.0.0.1:8080", MetricsAddr: "127.0.0.1:28080", DataDir: ".data", Demo: true, SignUp: true, RateLimit: 6000,
		Wait: 5 * time.Second, ExpireEvery: time.Minute, Memory: 8, KeepAttempts: 7 * 24 * time.Hour,
	}
	assert.Thatf(t, reflect.DeepEqual(c, want), "got %+v\nwant %+v", c, want)
}

func TestEnvironReadsEverything(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("MDEy", 10) + "MDE="
	key, err := secretkey.Parse(secret)
	must.OK(t, err)
	set := map[string]string{
		"ADDR": "localhost:1", "PORT": "3000", "LOG_FORMAT": "json", "METRICS_ADDR": "off",
		"DATABASE_URL": "postgres:///x", "DATA_DIR": "/d", "DEMO": "1",
		"ALLOW_PUBLIC_DEMO": "true", "ALLOW_PRIVATE_ENDPOINTS": "1", "SIGN_UP": "1",
		"RATE_LIMIT": "0", "IDEMPOTENCY_WAIT": "1s", "IDEMPOTENCY_RETAIN": "72h", "EXPIRE_EVERY": "5m",
		"IDEMPOTENCY_MEMORY": "0",
		"PUBLIC_URL":         "https://Invoices.example.com:8443/Books/v1.2/", "TRUSTED_PROXIES": "10.0.0.5, 2001:db8::/32",
		"ATTEMPTS_RETAIN": "36h", "REPLICA": "app-1", "ACCESS_LOG": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318/",
		"SECRET_KEY": secret, "REDIS_URL": "rediss://:secret@redis:1",
	}
	maps.Copy(set, mailEnvironment())
	asked := map[string]bool{}
	c, err := app.Environ(func(name string) string {
		if !strings.HasSuffix(name, "_FILE") {
			asked[name] = true
		}
		return set[name]
	})
	must.OK(t, err)
	want := app.Config{
		Addr: "localhost:1", MetricsAddr: "off", DatabaseURL: "postgres:///x", DataDir: "/d", Demo: true, PublicDemo: true, SignUp: true,
		Wait: time.Second, Retain: 72 * time.Hour, ExpireEvery: 5 * time.Minute, PublicURL: "https://invoices.example.com:8443/Books/v1.2",
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32"), netip.MustParsePrefix("2001:db8::/32")},
		KeepAttempts:   36 * time.Hour, Replica: "app-1", AccessLog: true, Traces: "http://127.0.0.1:4318",
		SecretKey: key, RedisURL: "rediss://:secret@redis:1", JSONLog: true, PrivateEndpoints: true,
	}
	want.MailConfig = mailConfig(t)
	assert.Thatf(t, reflect.DeepEqual(c, want), "got %+v\nwant %+v", c, want)
	var usage strings.Builder
	must.OK(t, app.Usage(&usage))
	for name := range asked {
		assert.Thatf(t, set[name] != "" && strings.Contains(usage.String(), "\n  "+name+" (default: "),
			"%s is read, and not in the help or not in this test:\n%s", name, usage.String())
	}
	assert.Thatf(t, len(asked) == len(set), "%d variables are read, and %d are set here", len(asked), len(set))
}

func TestEnvironNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	wantRefused(t, map[string][]string{
		"PORT":       {"http", "0", "65536", "-1", ":80"},
		"LOG_FORMAT": {"JSON", "logfmt"},
		"ADDR": {
			"unix:", "unix:http.sock", "unix/http.sock",
			"127.0.0.1", "8080", "::1:80", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "[::1]", "http://127.0.0.1:80",
		},
		"METRICS_ADDR": {"127.0.0.1", "on", "0", "127.0.0.1:-1"},
		"PUBLIC_URL": {
			"invoices.example.com", "ftp://example.com", "https://", "https://a:b@example.com", "https://x?y",
			"https://x/y?z", "https://x/../y", "https://x//y", "https://x/%2F", "https://x/a;b", "https://x/.well-known",
		},
		"TRUSTED_PROXIES": {"proxy", "10.0.0.0/33", "10.0.0.1,", "0.0.0.0/0", "::/0", "fe80::1%eth0", "10.0.0.1:80"},
		"DATABASE_URL": {
			"localhost", "mysql://localhost/x", "postgres://%zz", "postgres:///x?connect_timeout=soon", "postgres:///x?pool_max_conns=0",
		},
		"DEMO":                        {"perhaps", "-1"},
		"ALLOW_PUBLIC_DEMO":           {"2"},
		"ALLOW_PRIVATE_ENDPOINTS":     {"2"},
		"SIGN_UP":                     {"maybe"},
		"ACCESS_LOG":                  {"all", "-1"},
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"collector:4318", "grpc://collector:4317", "http://collector:4318/v1/traces"},
		"RATE_LIMIT":                  {"-1", "many", "1.5", "99999999999999999999"},
		// PostgreSQL counts in milliseconds, and zero means no limit.
		"IDEMPOTENCY_WAIT":   {"5", "0s", "-1s", "100us", "999us", "21s", "9999999h"},
		"IDEMPOTENCY_RETAIN": {"-x", "-1h", "1us", "0s"},
		"IDEMPOTENCY_MEMORY": {"-1", "32 MiB", "99999999999999999999"},
		"EXPIRE_EVERY":       {"soon", "0s", "1ns", "-1m"},
		"ATTEMPTS_RETAIN":    {"7 days", "-1h", "0s", "1us", "9999h"},
		"REPLICA":            {"ä", "a\nb", strings.Repeat("x", 101)},
		"SECRET_KEY":         {"secret", strings.Repeat("A", 43) + "=", strings.Repeat("MDEy", 11)},
		"REDIS_URL":          {"redis:port", "redis:6379/x", "http://localhost", "redis://%zz:password@x", "redis://localhost/x"},
	})
	// All problems are reported at once.
	_, err := app.Environ(environment(map[string]string{"ADDR": "127.0.0.1", "RATE_LIMIT": "many", "DEMO": "no"}))
	for _, says := range []string{"ADDR", "RATE_LIMIT", "DEMO", "missing port", "127.0.0.1:8080"} {
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), says), "nothing about %s: %v", says, err)
	}
}

// wantRefused checks that each value of each variable is refused in a line that names the variable.
func wantRefused(t *testing.T, wrong map[string][]string) {
	t.Helper()
	for name, values := range wrong {
		for _, value := range values {
			_, err := app.Environ(environment(map[string]string{name: value}))
			var wrong *app.SettingError
			oneLine := err != nil && strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "\n")
			if !errors.As(err, &wrong) || wrong.Name != name || !oneLine {
				t.Errorf("%s=%s: %v", name, value, err)
				continue
			}
			t.Log(err)
		}
	}
}

func TestEnvironKeepsThePassword(t *testing.T) {
	t.Parallel()
	wantKept(t, "DATABASE_URL",
		"postgres://ada:s3cret@host:port/x", "postgres://ada:s3cret%zz@host/x", "postgres://ada:s3cret@host/x?sslmode=s3cret",
		"host=localhost password=s3cret port=x", "mysql://ada:s3cret@localhost/x", "postgres://ada:s3cret@host/x?pool_max_conns=none",
		"postgres://ada:s3cret@ho st/x", "ada:s3cret@host",
		"postgres://ada:p@s3cret#1@host/x", "postgres://ada:p?s3cret@host/x", "postgres://ada:p/s3cret@host/x",
		"postgres://ada:1/s3cret@host/x", "postgres://ada?s3cret@host/x", `"postgres://ada:s3cret@host/x"`,
		"postgres://ada:s3cret@host/x\r", "postgres://ada:s3cret@host/x?connect_timeout=s3cret")
}

// wantKept checks that each value of a variable is refused without its password.
func wantKept(t *testing.T, name string, values ...string) {
	t.Helper()
	for _, value := range values {
		_, err := app.Environ(environment(map[string]string{name: value}))
		assert.Thatf(t, err != nil && !strings.Contains(err.Error(), "s3cret"), "%s: %v", value, err)
		t.Log(err)
	}
}

func TestEnvironNamesTheCause(t *testing.T) {
	t.Parallel()
	for value, cause := range map[string]string{
		"postgres://ada:p@ss#word@host/x":              "@ as %40",
		"postgres://ada:p?ss@host/x":                   "? as %3F",
		"postgres://ada:100%@host/x":                   "% as %25",
		"postgres://ada:secret@host/x?sslmode=perhaps": "the value of sslmode",
		"'postgres://ada:secret@host/x'":               "quotation marks",
		"postgres://ada:secret@host/x\r":               "carriage return",
		"db:5432/x":                                    "such as postgres://",
	} {
		_, err := app.Environ(environment(map[string]string{"DATABASE_URL": value}))
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), cause), "%s: %v, want %s", value, err, cause)
	}
}

func TestEnvironReadsFiles(t *testing.T) {
	t.Parallel()
	const address = "postgres://ada:secret@host/x"
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "value")
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for _, content := range []string{address, address + "\n", address + "\r\n"} {
		c, err := app.Environ(environment(map[string]string{"DATABASE_URL_FILE": file(content)}))
		assert.Thatf(t, err == nil && c.DatabaseURL == address && !c.Demo, "%q: %q, %v", content, c.DatabaseURL, err)
	}
	_, err := app.Environ(environment(map[string]string{
		"SMTP_URL_FILE": file("smtps://ada:secret@host:465\n"), "MAIL_FROM_FILE": file("ada@example.com\n"),
	}))
	must.OK(t, err)
	for what, env := range map[string]map[string]string{
		"too":            {"DATABASE_URL": address, "DATABASE_URL_FILE": file(address)},
		"no such file":   {"DATABASE_URL_FILE": t.TempDir() + "/nowhere"},
		"more than":      {"DATABASE_URL_FILE": "/dev/zero"},
		"can't be read":  {"DATABASE_URL_FILE": file("postgres://ada:s3cret%@host/x")},
		"MAIL_FROM_FILE": {"SMTP_URL": "smtp://host", "MAIL_FROM_FILE": t.TempDir() + "/nowhere"},
		"MAIL_FROM":      {"SMTP_URL": "smtp://host"}, // a mail server needs a sender
		"is a directory": {"SECRET_KEY_FILE": t.TempDir()},
		"32 random":      {"SECRET_KEY_FILE": file("s3cret")},
	} {
		_, err := app.Environ(environment(env))
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), what) && !strings.Contains(err.Error(), "s3cret"),
			"%v, want %q", err, what)
	}
}

func TestEnvironAddress(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"127.0.0.1:3000":     {"PORT": "3000"},
		":3000":              {"PORT": "3000", "DATABASE_URL": "postgres:///x"},
		"localhost:1":        {"PORT": "3000", "ADDR": "localhost:1"},
		"unix:/run/app/http": {"ADDR": "unix:/run/app/http"},
	} {
		c, err := app.Environ(environment(env))
		assert.Thatf(t, err == nil && c.Addr == want, "%v: %q, %v, want %q", env, c.Addr, err, want)
	}
	for value, want := range map[string]string{
		"redis:6379": "redis://redis:6379", "redis": "redis://redis", ":secret@redis:6379/1": "redis://:secret@redis:6379/1",
		"unix:///run/redis.sock": "unix:///run/redis.sock",
	} {
		c, err := app.Environ(environment(map[string]string{"REDIS_URL": value}))
		assert.Thatf(t, err == nil && c.RedisURL == want, "%s: %q, %v", value, c.RedisURL, err)
	}
}

func TestMisspelt(t *testing.T) {
	t.Parallel()
	for name, meant := range map[string]string{
		"DATABSE_URL": "DATABASE_URL", "DATABASE_URI": "DATABASE_URL", "DATABSAE_URL": "DATABASE_URL", "database_url": "DATABASE_URL",
		"SECRET_KEY_FIEL": "SECRET_KEY_FILE", "PUBLIC_ULR": "PUBLIC_URL", "SMTP_URI": "SMTP_URL", "TRUSTED_PROXY": "", "demo": "DEMO",
		"DATABASE_URL": "", "DATABASE_URL_FILE": "", "ADD": "", "HOME": "", "TERM": "", "PORT": "", "HTTP_PROXY": "", "DATABASES": "",
	} {
		var want []error
		if meant != "" {
			want = []error{fmt.Errorf("environment variable %s is unknown and does nothing: is %s meant?", name, meant)}
		}
		got := app.Misspelt([]string{name + "=postgres://ada:secret@host/x"})
		assert.Thatf(t, fmt.Sprint(got) == fmt.Sprint(want), "%s: %v, want %v", name, got, want)
	}
}

func TestPublicDemoIsRefused(t *testing.T) {
	t.Parallel()
	const loopback = "127.0.0.1:0"
	for name, c := range map[string]app.Config{
		":8080": {Addr: ":8080"}, "0.0.0.0:0": {Addr: "0.0.0.0:0"}, "[::]:0": {Addr: "[::]:0"}, "192.0.2.1:80": {Addr: "192.0.2.1:80"},
		"example.com:80": {Addr: "example.com:80"}, "127.0.0.1": {Addr: "127.0.0.1"},
		"https://demo.example.com":    {Addr: loopback, PublicURL: "https://demo.example.com"},
		loopback + " through a proxy": {Addr: loopback, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}},
	} {
		c.Demo = true
		var public *app.PublicDemoError
		_, err := app.Start(t.Context(), c)
		assert.Thatf(t, errors.As(err, &public) && public.Addr == name && strings.Contains(err.Error(), "DEMO=0") &&
			strings.Contains(err.Error(), "ALLOW_PUBLIC_DEMO=1"), "%s: %v", name, err)
	}
}
