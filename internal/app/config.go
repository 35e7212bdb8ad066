package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"time"
)

// Config is what can be set from outside, with the environment variable that sets it.
type Config struct {
	Addr        string // ADDR: where to listen; default 127.0.0.1:8080
	MetricsAddr string // METRICS_ADDR: where Prometheus finds /metrics; default 127.0.0.1:9090, "off" for none
	DatabaseURL string // DATABASE_URL: a PostgreSQL to use; empty starts an embedded one
	DataDir     string // DATA_DIR: where the embedded PostgreSQL lives; default .data
	Demo        bool   // DEMO: fill in demo tenants, logins and invoices; on by default without DATABASE_URL
	PublicDemo  bool   // ALLOW_PUBLIC_DEMO: accept well-known demo logins on an address that others can reach
	RateLimit   int    // RATE_LIMIT: requests a minute for each tenant; default 6000, 0 for no limit

	Wait        time.Duration // IDEMPOTENCY_WAIT: how long a repeat waits for the first attempt; default 5s
	Retain      time.Duration // IDEMPOTENCY_RETAIN: overrides every operation's retention, for tests
	ExpireEvery time.Duration // EXPIRE_EVERY: how often expired records are deleted; default 1m

	Log    *slog.Logger
	Banner io.Writer // gets the addresses and logins at the start; nil for none
}

// Environ reads the configuration from the environment. getenv is [os.Getenv] or alike.
func Environ(getenv func(string) string) (Config, error) {
	env := environ{getenv: getenv}
	c := Config{
		Addr:        env.text("ADDR", "127.0.0.1:8080"),
		MetricsAddr: env.text("METRICS_ADDR", "127.0.0.1:9090"),
		DatabaseURL: env.text("DATABASE_URL", ""),
		DataDir:     env.text("DATA_DIR", ".data"),
		Demo:        env.yes("DEMO", getenv("DATABASE_URL") == ""),
		PublicDemo:  env.yes("ALLOW_PUBLIC_DEMO", false),
		RateLimit:   env.number("RATE_LIMIT", 6000),
		Wait:        env.duration("IDEMPOTENCY_WAIT", 5*time.Second),
		Retain:      env.duration("IDEMPOTENCY_RETAIN", 0),
		ExpireEvery: env.duration("EXPIRE_EVERY", time.Minute),
	}
	return c, env.err
}

// environ reads variables and keeps the first error.
type environ struct {
	getenv func(string) string
	err    error
}

func (e *environ) text(name, fallback string) string {
	if value := e.getenv(name); value != "" {
		return value
	}
	return fallback
}

func (e *environ) number(name string, fallback int) int {
	n, err := strconv.Atoi(e.text(name, strconv.Itoa(fallback)))
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	e.note(name, err)
	return n
}

func (e *environ) duration(name string, fallback time.Duration) time.Duration {
	d, err := time.ParseDuration(e.text(name, fallback.String()))
	if err == nil && (d < 0 || d == 0 && fallback > 0) {
		err = errors.New("must be longer than 0s")
	}
	e.note(name, err)
	return d
}

func (e *environ) yes(name string, fallback bool) bool {
	yes, err := strconv.ParseBool(e.text(name, strconv.FormatBool(fallback)))
	e.note(name, err)
	return yes
}

func (e *environ) note(name string, err error) {
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("environment variable %s: %w", name, err)
	}
}

// isLoopback tells whether only this machine can reach an address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
