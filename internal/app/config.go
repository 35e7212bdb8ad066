package app

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"time"

	"onlyonce/internal/value/secretkey"
)

// Config is the configuration of the app. [Environ] reads it, and [Usage] documents each variable.
type Config struct {
	MailConfig

	Addr           string         // ADDR: host:port, or unix: and the path of a socket
	MetricsAddr    string         // METRICS_ADDR; "off" or empty for none
	PublicURL      string         // PUBLIC_URL: scheme, host, port and path; empty for the address of Addr
	TrustedProxies []netip.Prefix // TRUSTED_PROXIES
	DatabaseURL    string         // DATABASE_URL; empty starts an embedded PostgreSQL
	DataDir        string         // DATA_DIR
	Demo           bool           // DEMO
	PublicDemo     bool           // ALLOW_PUBLIC_DEMO
	SignUp         bool           // SIGN_UP
	RateLimit      int            // RATE_LIMIT: requests a minute for each tenant; 0 for no limit

	Wait        time.Duration // IDEMPOTENCY_WAIT
	Retain      time.Duration // IDEMPOTENCY_RETAIN; 0 for the retention of each operation
	ExpireEvery time.Duration // EXPIRE_EVERY
	Memory      int           // IDEMPOTENCY_MEMORY: MiB of answers that the process remembers; 0 for none

	KeepAttempts time.Duration // ATTEMPTS_RETAIN; 0 keeps none
	Replica      string        // REPLICA; empty for the host's name and the process's number
	AccessLog    bool          // ACCESS_LOG
	JSONLog      bool          // LOG_FORMAT
	Traces       string        // OTEL_EXPORTER_OTLP_ENDPOINT: scheme, host and port; empty for none

	RedisURL  string        // REDIS_URL; empty for none
	SecretKey secretkey.Key // SECRET_KEY; zero for the one in DataDir with an embedded PostgreSQL, and else for none

	Site     Site
	Command  string       // how a shell runs this program
	Listener net.Listener // used instead of listening on Addr; nil to listen
	Log      *slog.Logger
	Banner   io.Writer // gets the addresses and logins at the start; nil for none
}

// secure reports whether browsers use HTTPS: the scheme of PUBLIC_URL, and without it any address except for loopback.
func (c Config) secure() bool {
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		return err == nil && u.Scheme == "https"
	}
	return !isLoopback(c.Addr)
}

// path returns the path of PUBLIC_URL, such as "/books", or "" for none.
func (c Config) path() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return ""
	}
	return u.Path
}

// public returns the setting that makes the app reachable from other machines, or "".
func (c Config) public() string {
	switch u, err := url.Parse(c.PublicURL); {
	case !isLoopback(c.Addr):
		return c.Addr
	case c.PublicURL != "" && (err != nil || !isLoopback(net.JoinHostPort(u.Hostname(), "0"))):
		return c.PublicURL
	case len(c.TrustedProxies) > 0:
		return c.Addr + " through a proxy"
	default:
		return ""
	}
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
