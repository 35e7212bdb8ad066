package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"onlyonce/internal/idempotency/shared"
	"onlyonce/internal/value/secretkey"
)

// setting is one environment variable.
type setting struct {
	name     string
	fallback string // the value of an unset variable; empty leaves the Config unchanged
	unset    string // the default in the help, if there is no fallback
	meaning  string // a sentence or two, in lines for the help
	set      func(c *Config, value string) error
}

// settings lists the environment variables, in the order in which they are read and documented.
func settings() []setting {
	all := []setting{
		{"ADDR", "", defaultAddr + ", or PORT", "where to listen, as host:port, or unix:/path/to/socket; a socket of\n" +
			"systemd (LISTEN_FDS) takes its place", func(c *Config, value string) error {
			return parseListen(&c.Addr, value)
		}},
		{"PUBLIC_URL", "", "http://ADDR", "what people type to get here, such as https://app.example.com\n" +
			"or https://example.com/books; behind a proxy that speaks HTTPS it is what\n" +
			"makes cookies Secure", func(c *Config, value string) error {
			return parsePublicURL(&c.PublicURL, value)
		}},
		{"TRUSTED_PROXIES", "", "none", "addresses or networks (10.0.0.0/8) of your proxies, with commas;\n" +
			"X-Forwarded-For and X-Request-Id are accepted only from these", func(c *Config, value string) error {
			return parsePrefixes(&c.TrustedProxies, value)
		}},
		{"METRICS_ADDR", "127.0.0.1:28080", "", "where Prometheus finds /metrics, as host:port; off disables it;\n" +
			"so does an address already in use",
			func(c *Config, value string) error {
				if value == "off" {
					c.MetricsAddr = value
					return nil
				}
				return parseAddress(&c.MetricsAddr, value)
			}},
		{"DATABASE_URL", "", "an embedded PostgreSQL",
			"the PostgreSQL to use, such as postgres://onlyonce:password@host/onlyonce;\n" +
				"PGHOST and other PG… variables change nothing",
			func(c *Config, value string) error {
				c.Demo, c.SignUp = false, false // unless they are set: the database is the user's
				return parseDatabase(&c.DatabaseURL, value)
			}},
		{"PORT", "", "none", "the port to listen at if ADDR is not set: of all this machine's addresses with\n" +
			"DATABASE_URL, else of 127.0.0.1", parsePort},
		{"DATA_DIR", ".data", "", "where the embedded PostgreSQL lives", func(c *Config, value string) error {
			c.DataDir = value
			return nil
		}},
		{"DEMO", "", "1 without DATABASE_URL, else 0", "1 fills in demo tenants, whose logins everybody knows; 0 refuses these logins",
			func(c *Config, value string) error {
				err := parseYes(&c.Demo, value)
				c.SignUp = c.Demo
				return err
			}},
		{"ALLOW_PUBLIC_DEMO", "0", "", "1 accepts the demo's logins where others can reach the app",
			func(c *Config, value string) error { return parseYes(&c.PublicDemo, value) }},
		{"ALLOW_PRIVATE_ENDPOINTS", "0", "", "1 delivers events also to addresses of this machine and of private networks, which\n" +
			"users choose, and without HTTPS",
			func(c *Config, value string) error { return parseYes(&c.PrivateEndpoints, value) }},
		{"SIGN_UP", "", "1 with DEMO, else 0", "1 lets anyone create a business, with a link by email; it needs SMTP_URL and\n" +
			"PUBLIC_URL, and SECRET_KEY with DATABASE_URL",
			func(c *Config, value string) error { return parseYes(&c.SignUp, value) }},
		{"RATE_LIMIT", "6000", "", "requests a minute for each tenant, at all replicas with REDIS_URL, else at each;\n" +
			"0 for no limit",
			func(c *Config, value string) error { return parseCount(&c.RateLimit, value) }},
		{"IDEMPOTENCY_WAIT", "5s", "", "how long a repeat waits for the first attempt", func(c *Config, value string) error {
			return parseDuration(&c.Wait, value, maxWait)
		}},
		{"IDEMPOTENCY_RETAIN", "", "what each operation says", "how long the first answer is replayed",
			func(c *Config, value string) error { return parseDuration(&c.Retain, value, maxPeriod) }},
		{"IDEMPOTENCY_MEMORY", "8", "", "MiB for answers that the process remembers and need not ask\nthe database for; 0 for none",
			func(c *Config, value string) error { return parseCount(&c.Memory, value) }},
		{"EXPIRE_EVERY", "1m", "", "how often expired results and old attempts are deleted", func(c *Config, value string) error {
			return parseDuration(&c.ExpireEvery, value, maxPeriod)
		}},
		{"ATTEMPTS_RETAIN", "168h", "", "how long attempts are kept, including repeats and refusals; 0 keeps none",
			func(c *Config, value string) error {
				if value == "0" {
					c.KeepAttempts = 0
					return nil
				}
				return parseDuration(&c.KeepAttempts, value, maxPeriod)
			}},
		{"REPLICA", "", "the host's name and the number of the process", "what this process is called where several run on one database",
			func(c *Config, value string) error { return parseName(&c.Replica, value) }},
		{"ACCESS_LOG", "0", "", "1 logs a line for each request", func(c *Config, value string) error {
			return parseYes(&c.AccessLog, value)
		}},
		{"LOG_FORMAT", "text", "", "text, or json for a JSON object on each line of the log", func(c *Config, value string) error {
			if value != "json" && value != "text" {
				return fmt.Errorf("%q must be text or json", value)
			}
			c.JSONLog = value == "json"
			return nil
		}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "", "none", "where a collector of OpenTelemetry takes traces over HTTP, such as\n" +
			"http://127.0.0.1:4318; other OTEL_… variables say how", func(c *Config, value string) error {
			return parseOrigin(&c.Traces, value)
		}},
		{"SECRET_KEY", "", "made once in DATA_DIR; none with DATABASE_URL",
			"32 random bytes in base64, as openssl rand -base64 32 prints them, the same for\n" +
				"all replicas; it encrypts the secrets in the database",
			func(c *Config, value string) (err error) {
				c.SecretKey, err = secretkey.Parse(value)
				return err
			}},
		{"REDIS_URL", "", "none", "a Redis or Valkey by which replicas answer repeats for each other, and share\n" +
			"rate limits, such as rediss://:password@redis.example.com:6380/0; it needs\n" +
			"SECRET_KEY, and may be lost at any time",
			func(c *Config, value string) error {
				if !strings.Contains(value, "://") { // redis:6379 is a host and its port
					value = "redis://" + value
				}
				c.RedisURL = value
				return shared.Check(value)
			}},
	}
	return append(all, mailSettings()...)
}

const (
	// defaultAddr is the default of ADDR if PORT is unset.
	defaultAddr = "127.0.0.1:8080"
	// maxWait leaves an attempt time to determine its outcome before its request is abandoned.
	maxWait = 20 * time.Second
	// maxPeriod is a year, more than any sensible value.
	maxPeriod = 365 * 24 * time.Hour
)

// SettingError names an environment variable that cannot be used, and the reason.
type SettingError struct {
	Name string
	Err  error
}

func (e *SettingError) Error() string { return "environment variable " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *SettingError) Unwrap() error { return e.Err }

// Environ reads the configuration from the environment, by getenv, such as [os.Getenv]. The error joins a
// [*SettingError] for each variable that cannot be used.
func Environ(getenv func(string) string) (Config, error) {
	c := Config{Demo: true, SignUp: true}
	var errs []error
	for _, s := range settings() {
		value, err := lookUp(getenv, s.name)
		if value = cmp.Or(value, s.fallback); err == nil && value != "" {
			err = s.set(&c, value)
		}
		if err != nil {
			errs = append(errs, &SettingError{s.name, err})
		}
	}
	c.Addr = cmp.Or(c.Addr, defaultAddr)
	return c, errors.Join(append(errs, missingSender(c, getenv))...)
}

// Usage writes the documentation of the environment variables.
func Usage(w io.Writer) error {
	var text strings.Builder
	text.WriteString("Environment variables. Each can also be in a file whose path is in NAME_FILE, such as DATABASE_URL_FILE:\n")
	for _, s := range settings() {
		fmt.Fprintf(&text, "\n  %s (default: %s)\n", s.name, cmp.Or(s.fallback, s.unset))
		for line := range strings.Lines(s.meaning) {
			text.WriteString("        " + line)
		}
		text.WriteString("\n")
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("write the help: %w", err)
	}
	return nil
}

// Contradictions returns combinations of settings that conflict, with advice. failures keep the app from starting or from working as
// expected; warnings may be intended. getenv is as in [Environ].
func (c Config) Contradictions(getenv func(string) string) (failures, warnings []error) {
	public := c.public()
	if c.Demo && public != "" && !c.PublicDemo {
		failures = append(failures, &PublicDemoError{public})
	}
	if c.MetricsAddr == c.Addr {
		failures = append(failures, errors.New("ADDR and METRICS_ADDR are the same address: choose another one for METRICS_ADDR"))
	}
	warn := func(when bool, text string) {
		if when {
			warnings = append(warnings, errors.New(text))
		}
	}
	warn(c.Demo && c.PublicDemo && public != "",
		"everybody who can reach "+public+" can log in to the demo: set DEMO=0 once there is data of your own")
	warn(c.DatabaseURL != "" && getenv("DATA_DIR") != "",
		"DATABASE_URL and DATA_DIR are both set: DATABASE_URL is used, so leave one of them out")
	warn(c.PublicURL == "" && !isLoopback(c.Addr),
		"others can reach "+c.Addr+" and PUBLIC_URL is not set, so logins need HTTPS: set it to the https:// address that people type, "+
			"or in a network that you trust to an http:// address, such as http://192.168.1.5:8080")
	warn(!c.secure() && public != "",
		"passwords and sessions cross the network in clear: set PUBLIC_URL to an https:// address of a proxy before the app")
	warn(c.secure() && len(c.TrustedProxies) == 0,
		"HTTPS needs a proxy before the app, and TRUSTED_PROXIES names none: all people share the limits of one address")
	warn(c.MetricsAddr != "" && c.MetricsAddr != "off" && !isLoopback(c.MetricsAddr),
		"others can reach METRICS_ADDR "+c.MetricsAddr+", which asks for no login and has profiles: keep it on loopback")
	noMail := missingServer(c)
	warn(noMail != "", noMail)
	return failures, warnings
}

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

	PrivateEndpoints bool // ALLOW_PRIVATE_ENDPOINTS

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
