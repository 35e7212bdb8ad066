package app_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
)

func TestAttemptsAreCountedAndLogged(t *testing.T) {
	b := setup(t)
	first := b.create(key, ada)
	b.create(key, ada)
	b.create(key, strings.Replace(ada, "12", "13", 1))
	b.create("another", ada)
	b.create("third", `{}`)
	b.create("", ada)

	_, metrics := b.Get(b.Metrics)
	for _, line := range []string{
		`onlyonce_attempts_total{operation="customer.upsert",outcome="created"} 1`,
		`onlyonce_attempts_total{operation="customer.upsert",outcome="replayed"} 1`,
		`onlyonce_attempts_total{operation="customer.upsert",outcome="mismatch"} 1`,
		`onlyonce_attempts_total{operation="customer.upsert",outcome="reused"} 1`,
		`onlyonce_attempts_total{operation="customer.upsert",outcome="rejected"} 2`,
		`onlyonce_attempt_duration_seconds_count{operation="customer.upsert",outcome="created"} 1`,
	} {
		assert.Thatf(t, strings.Contains(metrics, line+"\n"), "no %s in\n%s", line, metrics)
	}

	lines := b.Lines("attempt")
	must.Thatf(t, len(lines) == 6, "%d lines for 6 attempts: %v", len(lines), lines)
	record := strings.TrimPrefix(first.Header.Get("Location"), "/api/v1/customers/")
	for i, outcome := range []string{"created", "replayed", "mismatch", "reused", "rejected", "rejected"} {
		line := lines[i]
		assert.Thatf(t, line["operation"] == "customer.upsert" && line["outcome"] == outcome &&
			line["tenant"] != nil && line["duration"] != nil && line["key"] != nil, "attempt %d: %v", i, line)
		assert.Thatf(t, i >= 3 || line["record"] == record && line["key"] == key && line["email"] == "ada@example.com",
			"attempt %d does not say what it was about: %v", i, line)
	}
	requests := b.Lines("request")
	assert.Thatf(t, len(requests) == 0, "requests are logged without ACCESS_LOG: %v", requests)
}

// TestMetricsAddressThatIsTaken: two apps on one machine have the same default.
func TestMetricsAddressThatIsTaken(t *testing.T) {
	first := setup(t)
	taken := strings.TrimSuffix(strings.TrimPrefix(first.MetricsURL(), "http://"), "/metrics")
	second := on(t, apptest.Demo.New(t))
	second.App = second.Start(func(c *app.Config) { c.MetricsAddr = taken })
	if status, body := second.Get(second.URL() + "/readyz"); status != http.StatusOK || second.MetricsURL() != "" {
		t.Errorf("%d %s, metrics at %q", status, body, second.MetricsURL())
	}
	warnings := second.Lines("there are no metrics: METRICS_ADDR is taken, so choose another address or off")
	assert.Thatf(t, len(warnings) == 1, "warned %d times", len(warnings))
	if status, _ := first.Get(first.Metrics); status != http.StatusOK {
		t.Errorf("the metrics of the first: %d", status)
	}
}

// TestRequestsAreCountedAndLogged: each request has one line, with the same id as its attempt and its answer, and one duration
// under the route's pattern.
func TestRequestsAreCountedAndLogged(t *testing.T) {
	b := setup(t, func(c *app.Config) { c.AccessLog = true })
	made := b.create(key, ada)
	b.create(key, ada)
	for _, path := range []string{"/nowhere/1?secret=1", "/nowhere/2", "/customers/" + key} { // the last leads to the login
		_, _ = b.Get(b.URL() + path)
	}
	// An answer may be read before its line is written.
	must.Until(b, "each request has a line", func() bool { return len(b.Lines("request")) >= 6 })

	attempts, requests := b.Lines("attempt"), b.Lines("request")
	must.Thatf(t, len(attempts) == 2 && len(requests) == 6, "%d attempts, requests: %v", len(attempts), requests)
	for i, outcome := range []string{"created", "replayed"} {
		line := requests[i]
		assert.Thatf(t, line["request_id"] == attempts[i]["request_id"] && line["outcome"] == outcome && line["method"] == "POST" &&
			line["route"] == "/api/v1/customers" && line["tenant"] == attempts[i]["tenant"] && line["duration"] != nil,
			"request %v, attempt %v", line, attempts[i])
	}
	if first := requests[0]; first["request_id"] != made.Header.Get("X-Request-ID") || first["status"] != 201.0 || first["bytes"] == 0.0 {
		t.Errorf("answer %v, request %v", made, first)
	}
	if stranger := requests[2]; stranger["route"] != "unmatched" || stranger["tenant"] != nil || stranger["outcome"] != nil {
		t.Errorf("a stranger's request: %v", stranger)
	}
	assert.Thatf(t, !strings.Contains(b.Logs.String(), "secret"), "a query is in the log:\n%s", b.Logs.String())

	_, metrics := b.Get(b.Metrics)
	for _, line := range []string{
		`onlyonce_http_request_duration_seconds_count{method="POST",route="/api/v1/customers",status="2xx"} 2`,
		`onlyonce_http_request_duration_seconds_count{method="GET",route="unmatched",status="4xx"} 2`,
		`onlyonce_http_requests_in_flight 0`,
	} {
		assert.Thatf(t, strings.Contains(metrics, line+"\n"), "no %s in\n%s", line, metrics)
	}
}

func TestTheLogHoldsNoSecrets(t *testing.T) {
	b := setup(t, func(c *app.Config) { c.AccessLog = true })
	b.create(key, ada)
	b.create(key, strings.Replace(ada, "12", "What somebody typed", 1))
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.PostForm(b.URL()+"/login", apptest.DemoLogin())
	must.OK(t, err)
	_ = response.Body.Close()
	cookies := response.Cookies()
	must.Thatf(t, len(cookies) != 0, "%v", response.Status)
	secrets := []string{"oo_demo_acme", apptest.DemoPassword, cookies[0].Value, "What somebody typed", "argon2"}
	for path, form := range map[string]url.Values{
		"/tokens": {"name": {"shop"}, "role": {"member"}, "idempotency_key": {key}},
		"/people": {"email": {"grace@example.com"}, "role": {"member"}, "idempotency_key": {key}},
	} {
		made := b.visit(browser, cookies[0], http.MethodPost, path, form)
		shown := b.visit(browser, cookies[0], http.MethodGet, made.Header.Get("Location"), nil)
		page, err := io.ReadAll(shown.Body)
		secret := regexp.MustCompile(`(?:oo_|link=)([\w-]{43})<`).FindSubmatch(page)
		must.Thatf(t, err == nil && secret != nil, "%v: no secret in %s", err, page)
		secrets = append(secrets, string(secret[1]))
		b.visit(browser, cookies[0], http.MethodGet, "/join?link="+string(secret[1]), nil)
		b.visit(browser, cookies[0], http.MethodPost, "/join", url.Values{"link": {string(secret[1])}, "password": {"x"}})
	}
	for _, secret := range secrets {
		assert.Thatf(t, !strings.Contains(b.Logs.String(), secret), "%q is in the log:\n%s", secret, b.Logs.String())
	}
}

// visit requests a page with a session.
func (b *bundle) visit(browser *http.Client, session *http.Cookie, method, path string, form url.Values) *http.Response {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, b.URL()+path, strings.NewReader(form.Encode()))
	must.OK(b, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(session)
	response, err := browser.Do(r)
	must.OK(b, err)
	b.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func behindWire(t *testing.T, c *app.Config) *proxy.Proxy {
	t.Helper()
	config, err := pgconn.ParseConfig(c.DatabaseURL)
	must.OK(t, err)
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	wire, err := proxy.Listen(t.Context(), network, address)
	must.OK(t, err)
	t.Cleanup(wire.Close)
	c.DatabaseURL = "postgres://" + config.User + "@" + wire.Addr() + "/" + config.Database
	return wire
}

// TestReadiness depends on the database; liveness does not.
func TestReadiness(t *testing.T) {
	pgtest.Long(t)
	var wire *proxy.Proxy
	b := setup(t, func(c *app.Config) { wire = behindWire(t, c) })
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200} {
		status, body := b.Get(b.URL() + path)
		assert.Thatf(t, status == want, "%s: %d %s", path, status, body)
	}
	wire.Close()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503} {
		status, body := b.Get(b.URL() + path)
		assert.Thatf(t, status == want, "without a database %s: %d %s", path, status, body)
	}
}

// TestReadyOnANewerSchema checks that a newer schema keeps this version ready, and one without needed parts does not.
func TestReadyOnANewerSchema(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	admin := b.DB.Admin()
	after := func(sql string, want int) {
		t.Helper()
		must.Exec(t, admin, sql)
		status, _ := b.Get(b.URL() + "/readyz")
		assert.Thatf(t, status == want, "%d, want %d", status, want)
	}
	after(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`, http.StatusOK)
	after(`DELETE FROM goose_db_version WHERE version_id > 1`, http.StatusServiceUnavailable)
}

// TestExpiry: the background job erases results, and a late retry creates no second customer. It deletes old sign-ups, too, whose tenant
// isn't in the table of tenants.
func TestExpiry(t *testing.T) {
	b := setup(t, func(c *app.Config) { c.Retain, c.ExpireEvery = time.Microsecond, 10*time.Millisecond })
	first := b.create(key, ada)
	admin := b.DB.Admin()
	must.Exec(t, admin, `INSERT INTO sign_ups (tenant_id, id, email) VALUES ($1, new_id(now() - interval '1 year'), 'ada@example.com')`,
		account.Strangers)
	must.Until(b, "expired", func() bool {
		var left int
		err := admin.QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM intents WHERE key = $1 AND result IS NOT NULL) + (SELECT count(*) FROM sign_ups)`, key).Scan(&left)
		return err == nil && left == 0
	})
	late := b.create(key, ada)
	assert.Thatf(t, late.StatusCode == http.StatusOK && late.Header.Get("Idempotent-Replayed") == "true" &&
		late.Header.Get("Location") == first.Header.Get("Location"), "first %v\nlate %v", first, late)
}

func TestHeadersAreBounded(t *testing.T) {
	b := setup(t)
	r, err := http.NewRequest(http.MethodGet, b.URL()+"/healthz", nil)
	must.OK(t, err)
	r.Header.Set("X-Large", strings.Repeat("x", 80<<10))
	response, err := http.DefaultClient.Do(r)
	must.OK(t, err)
	_ = response.Body.Close()
	assert.Thatf(t, response.StatusCode == http.StatusRequestHeaderFieldsTooLarge, "%v", response.Status)
}

// TestSlowHeadersAreHungUpOn: half a request must not occupy the server for ever.
func TestSlowHeadersAreHungUpOn(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.URL(), "http://"))
	must.OK(t, err)
	defer conn.Close()
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: ")); err != nil {
		t.Fatal(err)
	}
	must.OK(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	_, err = conn.Read(make([]byte, 1))
	var network net.Error
	assert.Thatf(t, err != nil && (!errors.As(err, &network) || !network.Timeout()), "still waiting: %v", err)
}

// value returns the value of a metric without labels.
func (b *bundle) value(metrics, name string) (value float64) {
	b.Helper()
	_, text := b.Get(metrics)
	_, rest, found := strings.Cut(text, "\n"+name+" ")
	_, err := fmt.Sscan(rest, &value)
	must.Thatf(b, err == nil && found, "no %s in %s", name, text)
	return value
}
